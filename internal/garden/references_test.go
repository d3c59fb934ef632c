package garden

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

// In production Gardener demands of the user who writes an account, even if only a label, the right to read the credentials
// that the account refers to (admission plug-in ResourceReferenceManager).
func TestGardenerChecksReferences(t *testing.T) {
	t.Parallel()
	acceptance(t)
	strict := testbed.New(t, testbed.Options{ReferenceChecks: true})

	t.Run("the documented Role is enough", func(t *testing.T) {
		t.Parallel()
		p := projectIn(t, strict)
		p.Account(t, testbed.AccountSpec{Name: "a", HyperscalerType: "aws"})
		front := p.front(t, fault.ProxyOptions{})
		g := p.garden(t, front.Through)
		claim, err := pool.New(p.Name, g, g, account.Policy{}).Claim(t.Context(), claimOf("ga-1"))
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "account", claim.Account, get(t, p.garden(t), "a"))
		equal(t, "tenant", p.GetAccount(t, "a").Labels["tenantName"], "ga-1")
		// No Secret is read, although Gardener wants to see the right to.
		equal(t, "requests", requests(front), map[string]int{
			"list " + bindings: 1, "list " + secretBindings: 1, "list " + shoots: 1, "patch " + bindings: 1,
		})
		equal(t, "warnings", claim.Doubts, []string(nil))
	})
	// The same is demanded of a SecretBinding, and nothing of the kind of a Secret.
	for kind, want := range map[Kind]map[string]int{
		SecretBinding: {"list " + secretBindings: 1, "list " + bindings: 1, "list " + shoots: 1, "patch " + secretBindings: 1},
		Secret: {
			"list " + secrets: 1, "list " + bindings: 1, "list " + secretBindings: 1, "list " + shoots: 1, "patch " + secrets: 1,
		},
	} {
		t.Run("the Role documented for a "+string(kind)+" is enough", func(t *testing.T) {
			t.Parallel()
			p := olderPoolIn(t, strict, kind, KebabLabelKeys())
			p.Accounts(t, testbed.AccountSpec{Name: "a", Kind: string(kind), Keys: labelsOf(p.keys), HyperscalerType: "aws"})
			front := p.front(t, fault.ProxyOptions{})
			g := p.garden(t, front.Through)
			claim, err := pool.New(p.Name, g, g, account.Policy{}).Claim(t.Context(), claimOf("ga-1"))
			if err != nil {
				t.Fatal(err)
			}
			equal(t, "account", claim.Account, get(t, p.garden(t), "a"))
			equal(t, "tenant", p.object(t).GetLabels()["tenant-name"], "ga-1")
			equal(t, "requests", requests(front), want)
			equal(t, "warnings", claim.Doubts, []string(nil))
		})
	}
	t.Run("without the right to read Secrets nothing is written", func(t *testing.T) {
		t.Parallel()
		p := projectIn(t, strict)
		p.Account(t, testbed.AccountSpec{Name: "a", HyperscalerType: "aws"})
		before := p.GetAccount(t, "a")
		front := p.front(t, fault.ProxyOptions{})
		user := p.ServiceAccount(t, "restricted", roleWithout(t, "secrets", "get"))
		g := connect(t, user.Config(), p.Name, front.Through)
		_, err := pool.New(p.Name, g, g, account.Policy{}).Claim(t.Context(), claimOf("ga-1"))
		forbidden := as[*account.ForbiddenError](t, err)
		equal(t, "what is forbidden", []string{forbidden.Verb, forbidden.Resource, forbidden.Namespace}, []string{"patch", bindings, p.Name})
		if reason := "cannot reference a Secret you are not allowed to read"; !strings.Contains(err.Error(), reason) {
			t.Errorf("%q does not have the server's reason (%s)", err, reason)
		}
		equal(t, "patches", front.Count("patch", bindings), 1)
		equal(t, "account", p.GetAccount(t, "a"), before)
	})
	// The guide Claims says so: gardener-apiserver sends two requests for each write of a binding of a Secret, ten at first and then five a
	// second, and none for one of a WorkloadIdentity.
	t.Run("writes are limited for the sake of Secrets alone", func(t *testing.T) {
		t.Parallel()
		p := projectIn(t, testbed.New(t, testbed.Options{ReferenceChecks: true})) // no other test uses the limit up
		const writes = 20
		p.Account(t, testbed.AccountSpec{Name: "secret", HyperscalerType: "aws"})
		p.WorkloadIdentityAccount(t, testbed.AccountSpec{Name: "identity", HyperscalerType: "aws"})
		took := func(name string) time.Duration {
			g, began := p.garden(t), time.Now()
			for i := range writes {
				change, _ := claimed()
				change.Tenant = new(fmt.Sprint("ga-", i))
				if _, err := g.Write(t.Context(), get(t, g, name), change); err != nil {
					t.Fatal(err)
				}
			}
			return time.Since(began)
		}
		const least = (2*writes - 10) * time.Second / 5
		if secret := took("secret"); secret < least {
			t.Errorf("%d writes take %s with a Secret, want %s at least", writes, secret, least)
		}
		// What a limit costs is there each time; a busy machine is slow for some time.
		identity := took("identity")
		for range 29 {
			if identity >= least/2 {
				identity = took("identity")
			}
		}
		if identity >= least/2 {
			t.Errorf("%d writes take %s with a WorkloadIdentity, want less than half of %s", writes, identity, least)
		}
	})
	// The account is there, its Secret is not: the error has to say so, and must not say that the account is gone.
	t.Run("an account whose Secret is gone is not gone", func(t *testing.T) {
		t.Parallel()
		p := projectIn(t, strict)
		p.Account(t, testbed.AccountSpec{Name: "a", HyperscalerType: "aws"})
		before := p.GetAccount(t, "a")
		secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: p.Name, Name: "a"}}
		if err := p.Garden().AdminClient().Delete(t.Context(), secret); err != nil {
			t.Fatal(err)
		}
		g := p.garden(t)
		change, _ := claimed()
		_, err := g.Write(t.Context(), get(t, g, "a"), change)
		var gone *account.NotFoundError
		if err == nil || errors.As(err, &gone) || !strings.Contains(err.Error(), `"a" not found`) {
			t.Errorf("got %T: %v", err, err)
		}
		equal(t, "account", p.GetAccount(t, "a"), before)
	})
}
