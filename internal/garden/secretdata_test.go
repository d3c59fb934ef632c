package garden

import (
	"bytes"
	"encoding/base64"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
)

// wire notes every answer that comes over a connection.
type wire struct {
	next http.RoundTripper
	// whole asks for whole objects where metadata was asked for, as a gateway would that knows nothing of it.
	whole bool

	mu      sync.Mutex
	answers map[string]string // by method and path
}

func (w *wire) on(config *rest.Config) {
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		w.next = next
		return w
	})
}

// RoundTrip notes what comes back.
func (w *wire) RoundTrip(request *http.Request) (*http.Response, error) {
	if w.whole {
		request = request.Clone(request.Context())
		request.Header.Set("Accept", "application/json")
	}
	response, err := w.next.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.answers == nil {
		w.answers = map[string]string{}
	}
	w.answers[request.Method+" "+request.URL.Path] += string(body)
	return response, nil
}

// shows reports whether a text holds the credentials, as they are or encoded.
func shows(text string) bool {
	return strings.Contains(text, testbed.Credential) || strings.Contains(text, base64.StdEncoding.EncodeToString([]byte(testbed.Credential)))
}

// Of a pool of Secrets only the metadata ever leaves the server: in a list, in the answer for one account, and in the
// answer to a write.
func TestDataOfASecretStaysAtTheServer(t *testing.T) {
	t.Parallel()
	p := newOlderPool(t, Secret, DefaultLabelKeys())
	p.Accounts(t, testbed.AccountSpec{Name: "a", Kind: testbed.Secret, HyperscalerType: "aws"})
	change, _ := claimed()
	use := func(t *testing.T, g *Garden) (errs []error) {
		t.Helper()
		judged := get(t, p.garden(t), "a")
		_, listErr := g.List(t.Context())
		_, getErr := g.Get(t.Context(), "a")
		_, writeErr := g.Write(t.Context(), judged, change)
		return []error{listErr, getErr, writeErr}
	}
	path := "/api/v1/namespaces/" + p.Name + "/secrets"
	requests := []string{"GET " + path, "GET " + path + "/a", "PATCH " + path + "/a"}

	seen := &wire{}
	for i, err := range use(t, p.garden(t, seen.on)) {
		if err != nil {
			t.Error(err)
		}
		switch answer := seen.answers[requests[i]]; {
		case !strings.Contains(answer, "PartialObjectMetadata"):
			t.Errorf("%s: the answer is %q", requests[i], answer)
		case shows(answer):
			t.Errorf("%s brings the credentials", requests[i])
		}
	}
	// The test would see them: this is what a server sends that does not know of metadata alone. It is refused, is in no
	// error, and above all is no empty pool.
	careless := &wire{whole: true}
	for i, err := range use(t, p.garden(t, careless.on)) {
		if !shows(careless.answers[requests[i]]) {
			t.Errorf("%s: the answer is %q", requests[i], careless.answers[requests[i]])
		}
		if err == nil || shows(err.Error()) {
			t.Errorf("%s: got error %v", requests[i], err)
		}
		if requests[i] == requests[2] {
			equal(t, "account", as[*account.UnknownOutcomeError](t, err).Account, "a") // it was carried out
		}
	}
}

// An account that is a binding comes as a whole, and its Secret does not come at all.
func TestBindingsBringNoSecret(t *testing.T) {
	t.Parallel()
	for _, kind := range []Kind{CredentialsBinding, SecretBinding} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			p := newOlderPool(t, kind, DefaultLabelKeys())
			p.Accounts(t, testbed.AccountSpec{Name: "a", Kind: string(kind), HyperscalerType: "aws"})
			seen := &wire{}
			g := p.garden(t, seen.on)
			change, _ := claimed()
			if _, err := g.Write(t.Context(), get(t, g, "a"), change); err != nil {
				t.Fatal(err)
			}
			if _, err := g.Users(t.Context(), "a"); err != nil {
				t.Fatal(err)
			}
			for request, answer := range seen.answers {
				if shows(answer) || strings.Contains(request, "/secrets") {
					t.Errorf("%s: the answer is %q", request, answer)
				}
			}
			equal(t, "requests", len(seen.answers), 3)
		})
	}
}

// A list of whole Secrets, from a gateway that knows nothing of metadata alone, is no list of accounts. Above all it is
// no empty pool.
func TestListOfWholeSecretsIsNoEmptyPool(t *testing.T) {
	t.Parallel()
	p := newOlderPool(t, Secret, DefaultLabelKeys())
	p.Accounts(t, testbed.AccountSpec{Name: "a", Kind: string(Secret), HyperscalerType: "aws"})
	careless := &wire{whole: true}
	accounts, err := p.garden(t, careless.on).List(t.Context())
	if accounts != nil || err == nil || !strings.Contains(err.Error(), "SecretList") {
		t.Errorf("got %v, %v", accounts, err)
	}
}
