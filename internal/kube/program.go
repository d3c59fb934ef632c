package kube

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"regexp"
	"strings"
	"sync"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/klog/v2"
)

// program is a program that prints credentials (exec), as far as it is watched: client-go connects what it writes to stderr with that of
// the provider, and so with the log of the CLI, whatever it holds. Here it goes to a pipe, of which the last is kept for an error.
type program struct {
	secrets own // the arguments and the environment that it is given
	stderr  *os.File

	mu   sync.Mutex
	last []byte
}

// maxStderr is how much of what a program writes is kept.
const maxStderr = 4 << 10

var (
	programsMu sync.Mutex
	// programs are those of this process, as client-go keeps them: by what they are.
	programs = map[string]*program{}
)

// What client-go logs goes to what stderr was at the start: klog would ask for it at each line, and meet the one that [httpClientFor] sets.
func init() { klog.SetSlogLogger(slog.New(slog.NewTextHandler(os.Stderr, nil))) }

// httpClientFor returns the HTTP client of a connection, and the program that makes its credentials; nil = there is none.
func httpClientFor(config *rest.Config) (*http.Client, *program, error) {
	if config.ExecProvider == nil {
		client, err := rest.HTTPClientFor(config)
		return client, nil, err
	}
	programsMu.Lock()
	defer programsMu.Unlock()
	p, err := programOf(config.ExecProvider)
	if err != nil {
		return nil, nil, err
	}
	// client-go has no setting for it: it takes what stderr is when it first sees the program.
	was := os.Stderr
	os.Stderr = p.stderr
	client, err := rest.HTTPClientFor(config)
	os.Stderr = was
	return client, p, err
}

func programOf(config *api.ExecConfig) (*program, error) {
	key := fmt.Sprintf("%q %q %q %q", config.APIVersion, config.Command, config.Args, config.Env)
	if programs[key] != nil {
		return programs[key], nil
	}
	from, to, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("making a pipe for what %s writes: %w", config.Command, err)
	}
	p := &program{stderr: to}
	p.secrets = append(p.secrets, config.Args...)
	for _, v := range config.Env {
		p.secrets = append(p.secrets, v.Value)
	}
	programs[key] = p
	go p.listen(from)
	return p, nil
}

// listen keeps the last of what the program writes.
func (p *program) listen(from io.Reader) {
	chunk := make([]byte, maxStderr)
	for {
		n, err := from.Read(chunk)
		p.mu.Lock()
		p.last = append(p.last, chunk[:n]...)
		p.last = p.last[max(0, len(p.last)-maxStderr):]
		p.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// said returns what the program has written since, without what may be a credential.
func (p *program) said() string {
	time.Sleep(stderrPause)
	p.mu.Lock()
	defer p.mu.Unlock()
	text := p.secrets.blank(string(p.last))
	for _, likely := range likelySecrets {
		text = likely.ReplaceAllString(text, "${1}(secret)")
	}
	if more := len(text) - maxText/2; more > 0 { // why it failed comes last
		text = "… " + strings.ToValidUTF8(text[more:], "")
	}
	return Clean(text)
}

// stderrPause is for the last of what a program writes to come through the pipe.
const stderrPause = 20 * time.Millisecond

// likelySecrets find credentials that the provider does not know: a token as JSON Web Tokens are, and what follows a word such as password.
var likelySecrets = []*regexp.Regexp{
	regexp.MustCompile(`()\beyJ[\w-]{8,}(?:\.[\w-]+)*`),
	regexp.MustCompile(`(?i)((?:pass(?:word|wd|phrase)?|secret|token|credentials?|api[-_]?key|bearer)` +
		`["']?(?:\s*[:=]\s*|\s+)["']?)[^\s"',;]{4,}`),
}

// notDecoded is how client-go begins what it says of an output that it cannot read.
const notDecoded = "decoding stdout: "

// ProgramError says that the program which makes the credentials of a connection failed.
type ProgramError struct {
	Said string // the last that it has written to stderr, fit to be shown
	Err  error  // the text of client-go
}

func (e *ProgramError) Error() string {
	if e.Said == "" {
		return e.Err.Error()
	}
	return fmt.Sprintf("%v. It wrote: %s", e.Err, e.Said)
}

// Unwrap returns the error of client-go.
func (e *ProgramError) Unwrap() error { return e.Err }

// failed adds to an error what the program has written, where it was the program that failed.
func (p *program) failed(err error) error {
	if p == nil || err == nil || !strings.HasPrefix(err.Error(), "getting credentials: ") {
		return err
	}
	if before, _, unread := strings.Cut(err.Error(), notDecoded); unread { // what follows quotes what the program printed
		err = errors.New(before + notDecoded + "what it printed is no ExecCredential that can be read. " +
			"(The parser's own message is left out: it may quote secrets.)")
	}
	return &ProgramError{Said: p.said(), Err: cleaned(err, p.secrets)}
}
