package kube

import (
	"bytes"
	"context"
	"encoding/base64"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
)

const (
	// minSecret is the least length of a credential that is blanked in a text: a shorter one would tear holes into all the rest.
	minSecret = 4
	// minMasked is the least length of one that is masked in an answer before it is decoded, minMaskedRefusal of one in a refusal: a
	// password may be a word of the API.
	minMasked        = 16
	minMaskedRefusal = 8
)

// own are the credentials of a request. A server may send them back.
type own []string

// credentialsIn returns the credentials in the headers of a request, whether they come from a setting, a file or a program.
func credentialsIn(header http.Header) (found own) {
	kind, value, _ := strings.Cut(header.Get("Authorization"), " ")
	if value == "" {
		return nil
	}
	found = append(found, value)
	if strings.EqualFold(kind, "Basic") {
		if decoded, err := base64.StdEncoding.DecodeString(value); err == nil {
			if _, password, ok := strings.Cut(string(decoded), ":"); ok {
				found = append(found, password)
			}
		}
	}
	return found
}

// blank takes the credentials out of a text.
func (o own) blank(text string) string {
	for _, secret := range o {
		if len(secret) >= minSecret {
			text = strings.ReplaceAll(text, secret, "(secret)")
		}
	}
	return text
}

// used collects the credentials of the requests that are sent for one call: what is said of its end is said without them.
type used struct {
	mu    sync.Mutex
	all   own
	basic bool // a request had a user name and a password
}

type usedKey struct{}

// collecting returns a context whose requests report their credentials.
func collecting(ctx context.Context) (context.Context, *used) {
	collected := &used{}
	return context.WithValue(ctx, usedKey{}, collected), collected
}

// note reports the credentials to the call that the request belongs to.
func (o own) note(req *http.Request) {
	if collected, ok := req.Context().Value(usedKey{}).(*used); ok && len(o) > 0 {
		_, _, basic := req.BasicAuth()
		collected.mu.Lock()
		defer collected.mu.Unlock()
		collected.all = append(collected.all, o...)
		collected.basic = collected.basic || basic
	}
}

// clean returns an error fit to be shown; see [Clean]. An answer to a user name and a password that do not count is a
// [BasicAuthError].
func (u *used) clean(err error) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	err = cleaned(err, u.all)
	if u.basic && isUnknown(err) {
		return &BasicAuthError{err}
	}
	return err
}

// masked reads an answer without the credentials of its request. A mask is as long as what it covers, so that the answer can be decoded.
type masked struct {
	io.ReadCloser
	secrets [][]byte
	ready   []byte // to be given out
	held    []byte // may be the beginning of a credential
	chunk   []byte
	err     error // of the reader below
}

// maskChunk is how much is read at a time.
const maskChunk = 32 << 10

// newMasked masks the credentials that have at least some length.
func newMasked(body io.ReadCloser, credentials own, least int) io.ReadCloser {
	m := &masked{ReadCloser: body}
	for _, secret := range credentials {
		if len(secret) >= least {
			m.secrets = append(m.secrets, []byte(secret))
		}
	}
	if len(m.secrets) == 0 {
		return body
	}
	return m
}

// Read reads on. What cannot be part of a credential is never held back: events of a watch come when they come.
func (m *masked) Read(p []byte) (int, error) {
	for len(m.ready) == 0 && m.err == nil {
		if m.chunk == nil {
			m.chunk = make([]byte, maskChunk)
		}
		n := copy(m.chunk, m.held)
		if n > maskChunk/2 { // no header is as long
			m.err = io.ErrShortBuffer
			break
		}
		var more int
		more, m.err = m.ReadCloser.Read(m.chunk[n:])
		data := m.chunk[:n+more]
		for _, secret := range m.secrets {
			cover(data, secret)
		}
		keep := 0
		if m.err == nil {
			keep = m.begins(data)
		}
		m.ready, m.held = data[:len(data)-keep], slices.Clone(data[len(data)-keep:])
	}
	if len(m.ready) == 0 {
		return 0, m.err
	}
	n := copy(p, m.ready)
	m.ready = m.ready[n:]
	return n, nil
}

// sought is how much of a credential is searched for, which fits into the registers that bytes.Index compares with. It is the end of the
// credential: a token begins as all tokens do, and ends with its signature.
const sought = 32

// cover writes a mask over each place where the data has a secret. All that the provider reads goes through it.
func cover(data, secret []byte) {
	before := max(0, len(secret)-sought)
	start, end := secret[:before], secret[before:]
	for from := before; from < len(data); {
		at := bytes.Index(data[from:], end)
		if at < 0 {
			return
		}
		at += from
		if !bytes.HasSuffix(data[:at], start) {
			from = at + 1
			continue
		}
		for i := at - before; i < at+len(end); i++ {
			data[i] = '*'
		}
		from = at + len(secret) // where the end of another one can begin
	}
}

// begins returns how many of the last bytes are the beginning of a credential.
func (m *masked) begins(data []byte) (longest int) {
	for _, secret := range m.secrets {
		tail := data[max(0, len(data)-len(secret)+1):]
		for at := bytes.IndexByte(tail, secret[0]); at >= 0; {
			if bytes.HasPrefix(secret, tail[at:]) {
				longest = max(longest, len(tail)-at)
				break
			}
			next := bytes.IndexByte(tail[at+1:], secret[0])
			if next < 0 {
				break
			}
			at += 1 + next
		}
	}
	return longest
}
