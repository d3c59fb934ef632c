package kube

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// What an answer may have at most. A body is held in memory as a whole, so an answer without an end would take all there is. Each bound
// is some times what the API can send.
const (
	// maxObject bounds one object: etcd takes 1.5 MiB of it, and JSON with credentials in base64 is a third longer.
	maxObject = 16 << 20
	// maxPage bounds a page of a list: 500 Shoots of production have 8.5 MB, 5,000 accounts without all but metadata 7.5 MB.
	maxPage = 64 << 20
	// maxRefusal bounds an answer that is no success.
	maxRefusal = 1 << 20
	// maxEvent bounds one event of a watch, which holds one object.
	maxEvent = maxObject
	// maxWatch is how much of one watch is read. It is begun anew then, with a list: what is kept of a watch stays bounded.
	maxWatch = 4 * maxPage
)

// RedirectError says that a server answered with a redirect. It is not followed: the request would go, with the credentials of the
// connection, to whatever the answer names.
type RedirectError struct {
	Status int    // 300 to 399
	To     string // where to, without a user and a query; empty = the answer does not say
}

func (e *RedirectError) Error() string {
	to := ""
	if e.To != "" {
		to = " to " + e.To
	}
	return fmt.Sprintf("the server redirects%s (status %d): is this the API server?", to, e.Status)
}

// ForeignAnswerError says that a server answered with success, and with what no API server sends.
type ForeignAnswerError struct {
	Type string // the content type, such as text/plain; empty = a web page
}

func (e *ForeignAnswerError) Error() string {
	what := "a web page"
	if e.Type != "" {
		what = "content of the type " + strconv.Quote(e.Type)
	}
	return "the server answered with " + what + ", it is not the API server"
}

// TooLargeError says that an answer has more bytes than the API can send. The rest was not read.
type TooLargeError struct {
	What string // what was asked for, such as "page of a list"
	Most int64  // in bytes
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("the answer has more than %d MiB, and no %s has that much", e.Most>>20, e.What)
}

// IsForeign reports whether an error says that what answered is not the API server, or does not behave like one.
func IsForeign(err error) bool {
	return errors.As(err, new(*RedirectError)) || errors.As(err, new(*ForeignAnswerError)) || errors.As(err, new(*TooLargeError))
}

// guard is between client-go and a server that is not trusted: it refuses redirects and web pages, bounds each body, and takes the
// credentials of the request out of the answer. It is the transport below the one that adds the credentials.
type guard struct{ next http.RoundTripper }

// WrappedRoundTripper returns the transport below, for client-go, which finds its settings there.
func (g guard) WrappedRoundTripper() http.RoundTripper { return g.next }

// RoundTrip sends a request, and returns an answer that can be read safely.
func (g guard) RoundTrip(req *http.Request) (*http.Response, error) {
	own := credentialsIn(req.Header)
	own.note(req)
	answer, err := g.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	for _, values := range answer.Header {
		for i := range values {
			values[i] = own.blank(values[i])
		}
	}
	if err := refuse(req, answer); err != nil {
		_ = answer.Body.Close()
		return nil, err
	}
	switch {
	case answer.StatusCode >= 300:
		answer.Body = newMasked(answer.Body, own, minMaskedRefusal)
	case !isSecret(req): // a Secret is for the user, and may well hold the token that the provider was given
		answer.Body = newMasked(answer.Body, own, minMasked)
	}
	answer.Body = newBounded(req, answer)
	return answer, nil
}

// refuse says why an answer is not passed on; nil = it is.
func refuse(req *http.Request, answer *http.Response) error {
	if answer.StatusCode >= 300 && answer.StatusCode < 400 {
		return &RedirectError{Status: answer.StatusCode, To: leadsTo(req, answer.Header.Get("Location"))}
	}
	kind := answer.Header.Get("Content-Type")
	if kind == "" { // client-go takes it for JSON
		return nil
	}
	media, _, err := mime.ParseMediaType(kind)
	switch {
	case media == "text/html", media == "application/xhtml+xml":
		if !countsBesidePage(answer.StatusCode) {
			return &ForeignAnswerError{}
		}
		// The page itself is for browsers.
		_ = answer.Body.Close()
		answer.Body = io.NopCloser(strings.NewReader("a web page instead of an answer of the API"))
		answer.Header.Set("Content-Type", "text/plain")
	case answer.StatusCode < 300 && (err != nil || !isOfAPI(media)):
		return &ForeignAnswerError{Type: cut(media, maxName)}
	}
	return nil
}

// countsBesidePage reports whether a status means the same beside a web page: a gateway may be in front of the API server and answer for it
// while it starts, or ask for credentials.
func countsBesidePage(status int) bool {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusRequestTimeout, http.StatusTooManyRequests:
		return true
	}
	return status >= 500
}

// isOfAPI reports whether an API server sends content of a type.
func isOfAPI(media string) bool {
	return media == "application/json" || media == "application/yaml" || strings.HasPrefix(media, "application/vnd.kubernetes.protobuf")
}

// maxName bounds a name that a server has sent and a message quotes.
const maxName = 200

// leadsTo is where a redirect leads, to be shown: without a user, a query and a fragment, which may have tokens.
func leadsTo(req *http.Request, location string) string {
	to, err := url.Parse(location)
	if location == "" || err != nil {
		return ""
	}
	to = req.URL.ResolveReference(to)
	to.User, to.RawQuery, to.Fragment = nil, "", ""
	return Clean(cut(to.String(), maxName))
}

// isSecret reports whether a request asks for one Secret.
func isSecret(req *http.Request) bool {
	parts := strings.Split(req.URL.Path, "/")
	return req.Method == http.MethodGet && len(parts) > 2 && parts[len(parts)-2] == "secrets"
}

// boundedBody reads an answer up to a bound.
type boundedBody struct {
	io.ReadCloser
	what       string
	most, left int64
	// Of a watch the bound holds for each event, and the whole ends without an error where it has grown too long.
	watch, lines bool
	whole        int64
	begun        bool
}

func newBounded(req *http.Request, answer *http.Response) io.ReadCloser {
	b := &boundedBody{ReadCloser: answer.Body, what: "object", most: maxObject}
	query := req.URL.Query()
	switch {
	case answer.StatusCode >= 300:
		b.what, b.most, b.begun = "refusal", maxRefusal, true // a refusal may be any text
	case query.Get("watch") != "":
		b.what, b.most, b.watch, b.whole = "event of a watch", maxEvent, true, maxWatch
		// In JSON an event ends with its line. client-go bounds each event in protobuf by itself.
		b.lines = !strings.Contains(answer.Header.Get("Content-Type"), "protobuf")
	case query.Get("limit") != "":
		b.what, b.most = "page of a list", maxPage
	}
	b.left = b.most
	return b
}

// Read reads on, up to the bound.
func (b *boundedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if !b.begun && n > 0 {
		b.begun = true
		if start := bytes.TrimLeft(p[:n], "\ufeff \t\r\n"); len(start) > 0 && start[0] == '<' { // neither JSON nor protobuf
			return 0, &ForeignAnswerError{}
		}
	}
	if !b.watch {
		b.left -= int64(n)
	} else if b.whole -= int64(n); b.whole < 0 {
		return 0, io.EOF
	} else if b.lines {
		b.left -= int64(n)
		if last := bytes.LastIndexByte(p[:n], '\n'); last >= 0 {
			b.left = b.most - int64(n-last-1)
		}
	}
	if b.left < 0 {
		return 0, &TooLargeError{What: b.what, Most: b.most}
	}
	return n, err
}
