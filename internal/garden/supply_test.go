package garden

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	gardensecurity "github.com/gardener/gardener/pkg/apis/security/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// What the pool's owner sends, and what the answers mean.

// spare is what is put into the pool.
func spare(changes ...func(*account.Supply)) account.Supply {
	s := account.Supply{
		Name: "a", Target: account.Target{HyperscalerType: "aws"},
		Credentials: account.Credentials{ProviderType: "aws", Ref: CredentialsRefOf("", "garden", "secret")},
	}
	for _, change := range changes {
		change(&s)
	}
	return s
}

// sentBy plays a write and returns the method, the path and the body of its request.
func sentBy(t *testing.T, kind Kind, write func(*Garden) error) (request, body string) {
	t.Helper()
	g, _ := scripted(t, func(_ int, w http.ResponseWriter, r *http.Request) error {
		content, err := io.ReadAll(r.Body)
		request, body = r.Method+" "+r.URL.Path, string(content)
		answer(w, 400, "no")
		return err
	})
	g.kind = kinds[kind]
	fails[*account.RejectedError](t, write(g))
	return request, body
}

// A flag that is false is no label: the broker passes over an account that has the key. Neither a tenant nor dirt is written.
func TestObjectOfANewAccount(t *testing.T) {
	t.Parallel()
	type labels = map[string]string
	plain := labels{"hyperscalerType": "aws"}
	for name, test := range map[string]struct {
		supply      account.Supply
		labels      labels
		annotations labels
	}{
		"plain":    {spare(), plain, nil},
		"flags":    {spare(func(s *account.Supply) { s.Shared, s.Internal = true, true }), labels{"hyperscalerType": "aws", "shared": "true", "internal": "true"}, nil},
		"EU":       {spare(func(s *account.Supply) { s.EUAccess = true }), labels{"hyperscalerType": "aws", "euAccess": "true"}, nil},
		"labelled": {spare(func(s *account.Supply) { s.Labels = labels{"team": "a"} }), labels{"hyperscalerType": "aws", "team": "a"}, nil},
		"put aside": {spare(func(s *account.Supply) { s.Quarantine = "why" }), labels{"hyperscalerType": "aws", "dirty": "quarantine"},
			labels{account.QuarantineAnnotation: "why"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			request, body := sentBy(t, CredentialsBinding, func(g *Garden) error {
				_, err := g.Create(t.Context(), test.supply)
				return err
			})
			equal(t, "request", request, "POST /apis/security.gardener.cloud/v1alpha1/namespaces/garden/credentialsbindings")
			var object struct {
				Kind           string
				APIVersion     string
				Metadata       metav1.ObjectMeta
				Provider       struct{ Type string }
				CredentialsRef map[string]string
			}
			if err := json.Unmarshal([]byte(body), &object); err != nil {
				t.Fatal(err)
			}
			equal(t, "kind", object.APIVersion+" "+object.Kind, "security.gardener.cloud/v1alpha1 CredentialsBinding")
			equal(t, "name", object.Metadata.Name, "a")
			equal(t, "labels", object.Metadata.Labels, test.labels)
			equal(t, "annotations", object.Metadata.Annotations, test.annotations)
			equal(t, "provider", object.Provider.Type, "aws")
			equal(t, "credentials", object.CredentialsRef, labels{"apiVersion": "v1", "kind": "Secret", "namespace": "garden", "name": "secret"})
		})
	}
	request, body := sentBy(t, SecretBinding, func(g *Garden) error {
		_, err := g.Create(t.Context(), spare())
		return err
	})
	if !strings.HasPrefix(request, "POST ") || !strings.Contains(body, `"secretRef":{"name":"secret","namespace":"garden"}`) ||
		!strings.Contains(body, `"provider":{"type":"aws"}`) {
		t.Errorf("%s: %s", request, body)
	}
}

// The quotas of a new account are written with it, and read back as they were: nothing changes them later.
func TestQuotasOfANewAccount(t *testing.T) {
	t.Parallel()
	quotas := []account.QuotaRef{{Namespace: "garden", Name: "one"}, {Namespace: "garden-x", Name: "two"}}
	for kind, object := range map[Kind]runtime.Object{
		CredentialsBinding: &gardensecurity.CredentialsBinding{}, SecretBinding: &gardencore.SecretBinding{},
	} {
		of := spare(func(s *account.Supply) { s.Credentials.Quotas = quotas })
		_, body := sentBy(t, kind, func(g *Garden) error {
			_, err := g.Create(t.Context(), of)
			return err
		})
		want := `"quotas":[{"kind":"Quota","namespace":"garden","name":"one","apiVersion":"core.gardener.cloud/v1beta1"},` +
			`{"kind":"Quota","namespace":"garden-x","name":"two","apiVersion":"core.gardener.cloud/v1beta1"}]`
		if !strings.Contains(body, want) {
			t.Errorf("%s: no %s in %s", kind, want, body)
		}
		if err := json.Unmarshal([]byte(body), object); err != nil {
			t.Fatal(err)
		}
		_, credentials := kinds[kind].read(object)
		equal(t, "credentials", credentials, &of.Credentials)
		_, body = sentBy(t, kind, func(g *Garden) error {
			_, err := g.Create(t.Context(), spare())
			return err
		})
		if strings.Contains(body, "quotas") {
			t.Errorf("%s: quotas that nothing asked for: %s", kind, body)
		}
	}
}

// An account without a type is none, and is never sent.
func TestNoAccountWithoutAType(t *testing.T) {
	t.Parallel()
	g, a := scripted(t, always(200, "{}"))
	if _, err := g.Create(t.Context(), spare(func(s *account.Supply) { s.HyperscalerType = "" })); err == nil || a.sent() > 0 {
		t.Errorf("got %v, %d requests", err, a.sent())
	}
}

// A delete names the object and the version that were judged, and is not sent without.
func TestDeleteNamesWhatWasJudged(t *testing.T) {
	t.Parallel()
	request, body := sentBy(t, CredentialsBinding, func(g *Garden) error { return g.Delete(t.Context(), judgedAccount) })
	equal(t, "request", request, "DELETE /apis/security.gardener.cloud/v1alpha1/namespaces/garden/credentialsbindings/a")
	equal(t, "body", body, `{"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"uid":"5c1e","resourceVersion":"17"}}`)
	for name, judged := range map[string]account.Account{
		"no UID": {Name: "a", Version: "17"}, "no version": {Name: "a", UID: "5c1e"}, "neither": {Name: "a"},
	} {
		g, a := scripted(t, always(200, "{}"))
		if err := g.Delete(t.Context(), judged); err == nil || a.sent() > 0 {
			t.Errorf("%s: got %v, %d requests", name, err, a.sent())
		}
	}
}

func TestAnswersToTheOwner(t *testing.T) {
	t.Parallel()
	there := &metav1.StatusDetails{Name: "a", Group: "security.gardener.cloud", Kind: bindings}
	exists := always(409, statusText(t, 409, metav1.StatusReasonAlreadyExists, there))
	conflict := always(409, statusText(t, 409, metav1.StatusReasonConflict, there))
	missing := always(404, statusText(t, 404, metav1.StatusReasonNotFound, there))
	for name, test := range map[string]struct {
		script         script
		create, delete func(t *testing.T, err error)
	}{
		"exists":         {exists, func(t *testing.T, err error) { equal(t, "account", as[*account.ExistsError](t, err).Account, "a") }, nil},
		"conflict":       {conflict, nil, fails[*account.ConflictError]},
		"missing":        {missing, nil, fails[*account.NotFoundError]},
		"forbidden":      {always(403, statusText(t, 403, metav1.StatusReasonForbidden, there)), fails[*account.ForbiddenError], fails[*account.ForbiddenError]},
		"invalid":        {always(422, "no"), fails[*account.RejectedError], fails[*account.RejectedError]},
		"429":            {failures["429"], fails[*account.BusyError], fails[*account.BusyError]},
		"500":            {failures["500"], fails[*account.UnknownOutcomeError], fails[*account.UnknownOutcomeError]},
		"cut":            {failures["cut before the answer"], fails[*account.UnknownOutcomeError], fails[*account.UnknownOutcomeError]},
		"half an answer": {failures["cut within the answer"], fails[*account.UnknownOutcomeError], nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				g, a := scripted(t, test.script)
				sent := 0
				if test.create != nil {
					_, err := g.Create(t.Context(), spare())
					test.create(t, err)
					sent++
				}
				if test.delete != nil {
					test.delete(t, g.Delete(t.Context(), judgedAccount))
					sent++
				}
				equal(t, "requests", a.sent(), sent)
			})
		})
	}
}

// Of credentials nothing but the metadata is asked for. Those that must not be read are as good as none: Gardener would refuse
// the account.
func TestFindCredentials(t *testing.T) {
	t.Parallel()
	metadata := `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"c","labels":{"tenantName":"ga-1","Dirty":"true"}}}`
	secret, identity := CredentialsRefOf("Secret", "n", "c"), CredentialsRefOf("WorkloadIdentity", "n", "c")
	for name, test := range map[string]struct {
		ref    account.CredentialsRef
		code   int
		body   string
		path   string
		absent bool // there are none, or they must not be read
	}{
		"a Secret":     {secret, 200, metadata, "/api/v1/namespaces/n/secrets/c", false},
		"no Secret":    {secret, 404, statusText(t, 404, metav1.StatusReasonNotFound, &metav1.StatusDetails{Name: "c", Kind: "secrets"}), "/api/v1/namespaces/n/secrets/c", true},
		"not for us":   {secret, 403, statusText(t, 403, metav1.StatusReasonForbidden, nil), "/api/v1/namespaces/n/secrets/c", true},
		"an identity":  {identity, 200, metadata, "/apis/security.gardener.cloud/v1alpha1/namespaces/n/workloadidentities/c", false},
		"not a Garden": {secret, 404, "<html>", "/api/v1/namespaces/n/secrets/c", false},
		"a whole Secret": {secret, 200, `{"kind":"Secret","apiVersion":"v1","metadata":{"name":"c"},"data":{"k":"UExBTlRFRA=="}}`,
			"/api/v1/namespaces/n/secrets/c", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g, _ := scripted(t, func(_ int, w http.ResponseWriter, r *http.Request) error {
				equal(t, "path", r.URL.Path, test.path)
				if !strings.Contains(r.Header.Get("Accept"), "PartialObjectMetadata") {
					t.Errorf("it accepts %s", r.Header.Get("Accept"))
				}
				answer(w, test.code, test.body)
				return nil
			})
			said, err := g.FindCredentials(t.Context(), test.ref)
			if test.absent {
				equal(t, "forbidden", as[*account.NoCredentialsError](t, err).Err != nil, test.code == 403)
			} else if found := err == nil; found != (name == "a Secret" || name == "an identity") {
				t.Errorf("got %v", err)
			} else if found {
				equal(t, "labels", []any{said.Tenant, len(said.Misread)}, []any{"ga-1", 1})
			}
		})
	}
}

func TestCredentialsRef(t *testing.T) {
	t.Parallel()
	ref := func(kind, namespace, name string) *account.CredentialsRef {
		return &account.CredentialsRef{Kind: kind, Namespace: namespace, Name: name}
	}
	for name, test := range map[string]struct {
		kind  Kind
		given *account.CredentialsRef
		want  account.CredentialsRef // zero = an error
	}{
		"by name":                   {CredentialsBinding, ref("", "", "c"), CredentialsRefOf("Secret", "garden", "c")},
		"in full":                   {CredentialsBinding, ref("WorkloadIdentity", "n", "c"), CredentialsRefOf("WorkloadIdentity", "n", "c")},
		"not given":                 {CredentialsBinding, nil, account.CredentialsRef{}},
		"without a name":            {CredentialsBinding, ref("Secret", "n", ""), account.CredentialsRef{}},
		"of a SecretBinding":        {SecretBinding, ref("", "n", "c"), CredentialsRefOf("Secret", "n", "c")},
		"an identity's, of one":     {SecretBinding, ref("WorkloadIdentity", "", "c"), account.CredentialsRef{}},
		"of a Secret":               {Secret, nil, CredentialsRefOf("Secret", "garden", "a")},
		"of a Secret, given":        {Secret, ref("Secret", "garden", "a"), CredentialsRefOf("Secret", "garden", "a")},
		"of a Secret, without name": {Secret, ref("Secret", "", ""), CredentialsRefOf("Secret", "garden", "a")},
		"of a Secret, another's":    {Secret, ref("", "", "c"), account.CredentialsRef{}},
		"of a Secret, elsewhere":    {Secret, ref("", "n", "a"), account.CredentialsRef{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := test.kind.CredentialsRef("garden", "a", test.given)
			if test.want == (account.CredentialsRef{}) {
				fails[*CredentialsRefError](t, err)
				return
			}
			equal(t, "reference", got, test.want)
			equal(t, "error", err, nil)
		})
	}
}
