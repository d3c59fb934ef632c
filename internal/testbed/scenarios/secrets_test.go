package scenarios

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
)

// secrets are texts that nothing may show, by what they are.
type secrets map[string]string

// plant makes a secret of this kind that is nowhere else.
func plant(kind string) string { return "PLANTED-" + kind + "+/=7f3a9c" }

// spellings are the ways in which a text may be written down.
func spellings(secret string) []string {
	all := []string{
		secret, url.QueryEscape(secret), url.PathEscape(secret), fmt.Sprintf("%q", secret),
		base64.StdEncoding.EncodeToString([]byte(secret)), base64.URLEncoding.EncodeToString([]byte(secret)),
		base64.RawStdEncoding.EncodeToString([]byte(secret)), fmt.Sprint([]byte(secret)),
	}
	// Inside a longer text that is encoded as a whole the letters depend on what comes before.
	for before := range 3 {
		encoded := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x", before) + secret))
		all = append(all, encoded[4:len(encoded)-4])
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// in lists the secrets that a text shows.
func (s secrets) in(text string) []string {
	var found []string
	for kind, secret := range s {
		for _, spelling := range spellings(secret) {
			if i := strings.Index(text, spelling); i >= 0 {
				found = append(found, fmt.Sprintf("%s: …%s…", kind, text[max(0, i-120):i]))
				break
			}
		}
	}
	slices.Sort(found)
	return found
}

// A search that finds nothing must be able to find something.
func TestSecretsAreFound(t *testing.T) {
	t.Parallel()
	token := plant("token")
	s := secrets{"token": token}
	for name, text := range map[string]string{
		"plain": "token: " + token, "base64": base64.StdEncoding.EncodeToString([]byte("user:" + token + "\n")),
		"URL": "https://user:" + url.QueryEscape(token) + "@host", "bytes": fmt.Sprint([]byte(token)),
	} {
		if len(s.in(text)) != 1 {
			t.Errorf("%s: not found in %q", name, text)
		}
	}
	if found := s.in("nothing of the kind"); found != nil {
		t.Errorf("found %q", found)
	}
}

// pipeline is a configuration whose settings hold secrets: the program is asked to say all it can.
type pipeline struct {
	configuration
	secrets secrets
	log     string
	output  *bytes.Buffer
}

// secretly begins a pipeline. Variables are ephemeral: any other is kept in a plan file by the program itself, sensitive
// or not, as is what the configuration says in so many words. That is no matter of the provider's.
func (s stage) secretly(t *testing.T, planted secrets, settings string, variables map[string]string) pipeline {
	t.Helper()
	p := pipeline{s.configure(t), planted, filepath.Join(t.TempDir(), "trace"), &bytes.Buffer{}}
	p.Setenv("KUBE_CONFIG_PATH", "")
	p.Setenv("TF_LOG", "TRACE")
	p.Setenv("TF_LOG_PATH", p.log)
	declared := ""
	for name, value := range variables {
		declared += fmt.Sprintf("variable %q {\n  type      = string\n  sensitive = true\n  ephemeral = true\n}\n", name)
		p.Setenv("TF_VAR_"+name, value)
	}
	p.write(t, settings, declared, claim("blue", "ga-1"))
	return p
}

// run runs a command and keeps what it has said.
func (p pipeline) run(t *testing.T, arguments ...string) cli.Result {
	t.Helper()
	result := p.Run(t, arguments...)
	p.output.WriteString(result.Output)
	return result
}

// works takes a claim through its life.
func (p pipeline) works(t *testing.T) {
	t.Helper()
	for _, command := range [][]string{
		{"validate"},
		{"plan", "-out=saved"},
		{"show", "-json", "saved"},
		{"apply", "saved"},
		{"refresh"},
		{"show", "-json"},
		destroying,
	} {
		result := p.run(t, command...)
		p.tell(t)
		if result.ExitCode != 0 {
			t.Fatalf("%v: exit code %d:\n%s", command, result.ExitCode, result.Output)
		}
	}
}

// keepsQuiet checks all that the commands have said and left behind.
func (p pipeline) keepsQuiet(t *testing.T) {
	t.Helper()
	p.secrets.keptQuiet(t, "the output", p.output.String())
	p.secrets.keptQuietInLog(t, p.log)
	p.secrets.keptQuietIn(t, p.Folder)
}

// keptQuietInLog checks that the log of the program and of the provider shows none of the secrets, and nothing of the headers of requests.
func (s secrets) keptQuietInLog(t *testing.T, path string) {
	t.Helper()
	log, err := os.ReadFile(path)
	if err != nil || !bytes.Contains(log, []byte("terraform-provider-hap")) {
		t.Errorf("the log of %d bytes says nothing of the provider: %v", len(log), err)
	}
	s.keptQuiet(t, "the log", string(log))
	if bytes.Contains(log, []byte("Authorization")) || bytes.Contains(log, []byte("Bearer ")) {
		t.Error("the log has headers of requests")
	}
}

// keptQuiet checks that a text shows none of the secrets.
func (s secrets) keptQuiet(t *testing.T, where, text string) {
	t.Helper()
	for _, leak := range s.in(text) {
		t.Errorf("%s shows %s", where, leak)
	}
}

// keptQuietIn checks that no file of a folder shows any of the secrets, be it in an archive.
func (s secrets) keptQuietIn(t *testing.T, folder string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		s.keptQuiet(t, entry.Name(), string(content))
		return unpack(content, func(name, content string) { s.keptQuiet(t, entry.Name()+"/"+name, content) })
	})
	if err != nil {
		t.Error(err)
	}
}

// unpack calls look with each file of an archive; what is none is passed over.
func unpack(content []byte, look func(name, content string)) error {
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return nil //nolint:nilerr // no archive
	}
	for _, file := range archive.File {
		reader, err := file.Open()
		if err != nil {
			return err
		}
		inside, err := io.ReadAll(reader)
		if err != nil {
			return err
		}
		look(file.Name, string(inside))
	}
	return nil
}

// secretStage is a pool with one account whose credentials are planted.
func secretStage(t *testing.T) (stage, secrets) {
	t.Helper()
	s := newStage(t)
	planted := secrets{"token of the user": s.user.Token, "credentials of the account": plant("credentials")}
	credentials := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.Name, Name: "aws-1"},
		StringData: map[string]string{"secretAccessKey": planted["credentials of the account"]},
	}
	if err := s.Garden().AdminClient().Create(t.Context(), credentials); err != nil {
		t.Fatal(err)
	}
	s.Accounts(t, awsAccounts(1)...)
	return s, planted
}

// No secret of a connection that works comes out: neither in what is printed and logged, nor in plan and state.
func TestSecretsOfAConnectionThatWorks(t *testing.T) {
	t.Parallel()
	for name, begin := range sampled(t, map[string]func(*testing.T, stage, secrets) pipeline{
		"token and a proxy with a password": func(t *testing.T, s stage, planted secrets) pipeline {
			t.Helper()
			planted["password of the proxy"] = plant("proxy")
			tunnel := newTunnel(t, "user", planted["password of the proxy"])
			t.Cleanup(func() {
				if tunnel.opened.Load() == 0 {
					t.Error("nothing went through the proxy")
				}
			})
			return s.secretly(t, planted, s.connection(t)+"\n    token = var.token\n    proxy_url = var.proxy\n  }",
				map[string]string{"token": s.user.Token, "proxy": tunnel.url(planted["password of the proxy"])})
		},
		"config_raw": func(t *testing.T, s stage, planted secrets) pipeline {
			t.Helper()
			kubeconfig, err := os.ReadFile(s.proxy.Kubeconfig(t, s.user))
			if err != nil {
				t.Fatal(err)
			}
			return s.secretly(t, planted, `kubernetes = { config_raw = var.kubeconfig }`, map[string]string{"kubeconfig": string(kubeconfig)})
		},
		"program": func(t *testing.T, s stage, planted secrets) pipeline {
			t.Helper()
			planted["argument"], planted["variable"] = plant("argument"), plant("variable")
			program := writeProgram(t, fmt.Sprintf("test \"$1\" = '%s' && test \"$PLANTED\" = '%s' && echo '%s'",
				planted["argument"], planted["variable"], execCredential("v1", s.user.Token)))
			settings := s.connection(t) + fmt.Sprintf("\n    exec = { command = %q, args = [var.argument], env = { PLANTED = var.variable } }\n  }", program)
			return s.secretly(t, planted, settings, map[string]string{"argument": planted["argument"], "variable": planted["variable"]})
		},
		"environment": func(t *testing.T, s stage, planted secrets) pipeline {
			t.Helper()
			config := s.user.Config()
			s.proxy.Through(config)
			p := s.secretly(t, planted, "", nil)
			p.Setenv("KUBE_HOST", config.Host)
			p.Setenv("KUBE_TOKEN", s.user.Token)
			p.Setenv("KUBE_CLUSTER_CA_CERT_DATA", string(config.CAData))
			p.Setenv("HAP_NAMESPACE", s.Name)
			return p
		},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, planted := secretStage(t)
			p := begin(t, s, planted)
			p.works(t)
			p.keepsQuiet(t)
		})
	}
}
