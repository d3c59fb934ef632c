package fault

import (
	"bytes"
	"io"
	"net/http"
	"strings"
)

// NewerField shows a server as one that is newer than the client: a field that it has is known by another name. The client sends and
// reads that name, in JSON; in protobuf fields have no names.
func NewerField(known, newer string) func(http.RoundTripper) http.RoundTripper {
	return func(next http.RoundTripper) http.RoundTripper { return renaming{next, known, newer} }
}

type renaming struct {
	next         http.RoundTripper
	known, newer string
}

func (r renaming) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Body != nil && request.Body != http.NoBody {
		sent, err := renamed(request.Body, r.newer, r.known)
		if err != nil {
			return nil, err
		}
		request = request.Clone(request.Context())
		request.Body, request.ContentLength = io.NopCloser(bytes.NewReader(sent)), int64(len(sent))
	}
	answer, err := r.next.RoundTrip(request)
	if err != nil || request.URL.Query().Has("watch") || !strings.Contains(answer.Header.Get("Content-Type"), "json") {
		return answer, err
	}
	got, err := renamed(answer.Body, r.known, r.newer)
	if err != nil {
		return nil, err
	}
	answer.Body, answer.ContentLength = io.NopCloser(bytes.NewReader(got)), int64(len(got))
	answer.Header.Del("Content-Length")
	return answer, nil
}

// renamed reads a body with a field under another name, also where managedFields name it.
func renamed(body io.ReadCloser, from, to string) ([]byte, error) {
	text, err := io.ReadAll(body)
	if err != nil {
		return nil, err
	}
	text = bytes.ReplaceAll(text, []byte(`"`+from+`"`), []byte(`"`+to+`"`))
	return bytes.ReplaceAll(text, []byte(`"f:`+from+`"`), []byte(`"f:`+to+`"`)), body.Close()
}
