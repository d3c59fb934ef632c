package garden

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

// The Secret of an account comes as it is, byte by byte, with the Role for credentials alone.
func TestSecret(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	want := map[string][]byte{"key": []byte("value\n"), "binary": {0, 0xff, '"'}, "empty": {}}
	p.Secret(t, "aws-1", want)
	p.Account(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	user := p.ServiceAccount(t, "credentials", testbed.RoleExample(t, "role-credentials.yaml"))
	g := connect(t, user.Config(), p.Name)
	got, err := g.Secret(t.Context(), get(t, g, "aws-1").Credentials.Ref)
	if err != nil {
		t.Fatal(err)
	}
	for key, value := range want {
		if string(got[key]) != string(value) {
			t.Errorf("%s is %q, want %q", key, got[key], value)
		}
	}
	equal(t, "values", len(got), len(want))
}

// Each cause of a failed read has its own error, and what is refused is requested once.
func TestSecretThatCannotBeRead(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	front := p.front(t, fault.ProxyOptions{})
	g := p.garden(t, front.Through)
	ref := func(namespace, name string) account.CredentialsRef {
		return account.CredentialsRef{APIVersion: "v1", Kind: "Secret", Namespace: namespace, Name: name}
	}
	_, err := g.Secret(t.Context(), ref(p.Name, "gone"))
	if missing := as[*SecretNotFoundError](t, err); missing.Ref != ref(p.Name, "gone") {
		t.Errorf("missing is %+v", missing.Ref)
	}
	_, err = g.Secret(t.Context(), ref("garden-elsewhere", "it"))
	forbidden := as[*account.ForbiddenError](t, err)
	equal(t, "what is forbidden", []string{forbidden.Verb, forbidden.Resource, forbidden.Namespace},
		[]string{"get", "secrets", "garden-elsewhere"})
	equal(t, "requests", requests(front), map[string]int{"get secrets": 2})

	_, err = g.Secret(t.Context(), account.CredentialsRef{APIVersion: "security.gardener.cloud/v1alpha1", Kind: "WorkloadIdentity",
		Namespace: p.Name, Name: "id"})
	if other := as[*NotSecretError](t, err); !strings.Contains(other.Error(), "WorkloadIdentity "+p.Name+"/id") {
		t.Errorf("the error says %q", other)
	}
	equal(t, "requests for no Secret", requests(front), map[string]int{"get secrets": 2})
}

// Reading goes on when the server comes back.
func TestSecretIsReadAgain(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.Account(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	front := p.front(t, fault.ProxyOptions{}, fault.Rule{Resource: "secrets", Nth: 1, Fault: fault.Unavailable(0)},
		fault.Rule{Resource: "secrets", Nth: 2, Fault: fault.CutWithin()})
	data, err := p.garden(t, front.Through).Secret(t.Context(),
		account.CredentialsRef{APIVersion: "v1", Kind: "Secret", Namespace: p.Name, Name: "aws-1"})
	if err != nil || len(data) != 1 {
		t.Errorf("%d values, %v", len(data), err)
	}
	equal(t, "requests", requests(front), map[string]int{"get secrets": 3})
}

// An answer that is no Secret may hold the credentials all the same: no error shows what came.
func TestSecretStaysOutOfErrors(t *testing.T) {
	t.Parallel()
	const planted = "PLANTED7f3a9c"
	for name, body := range map[string]string{
		"half a Secret":         `{"kind":"Secret","apiVersion":"v1","data":{"key":"` + planted,
		"bad Base64":            `{"kind":"Secret","apiVersion":"v1","data":{"key":"%` + planted + `"}}`,
		"a list for a value":    `{"kind":"Secret","apiVersion":"v1","data":{"` + planted + `":["` + planted + `"]}}`,
		"of an unknown version": `{"kind":"` + planted + `","apiVersion":"` + planted + `/v1","data":{"key":"` + planted + `"}}`,
		"a text":                planted,
		"nothing":               "",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				g, _ := scripted(t, func(_ int, w http.ResponseWriter, _ *http.Request) error {
					answer(w, http.StatusOK, body)
					return nil
				})
				data, err := g.Secret(context.Background(), account.CredentialsRef{APIVersion: "v1", Kind: "Secret", Namespace: "garden", Name: "aws-1"})
				if text := fmt.Sprintf("%+v %#v", err, err); err == nil || strings.Contains(text, planted) {
					t.Errorf("the error is %s, the values %v", text, data)
				}
			})
		})
	}
}

// A binding that is declared to lead into the cloud account of a Secret is one account with it: its clusters are seen where the Secrets are
// the accounts, too.
func TestDeclaredBindingOfAPoolOfSecrets(t *testing.T) {
	t.Parallel()
	p := newOlderPool(t, Secret, DefaultLabelKeys())
	p.Accounts(t, testbed.AccountSpec{Name: "a", Kind: testbed.Secret, HyperscalerType: "aws"})
	p.Accounts(t, testbed.AccountSpec{Name: "w", Kind: testbed.CredentialsBinding, Credentials: testbed.WorkloadIdentity, HyperscalerType: "aws",
		Annotations: map[string]string{account.SameAnnotation: "a"}})
	p.ShootBy(t, "live", testbed.CredentialsBinding, "w")
	g := p.garden(t)
	users, err := g.Users(t.Context(), "a", account.BindingOf(testbed.CredentialsBinding, "w"))
	equal(t, "users, error", []any{len(users), err}, []any{1, nil})
	if claim, err := pool.New(p.Name, g, g, account.Policy{}).Claim(t.Context(), claimOf("ga-1")); err == nil {
		t.Errorf("account %s was claimed with a live cluster", claim.Account.Name)
	}
}
