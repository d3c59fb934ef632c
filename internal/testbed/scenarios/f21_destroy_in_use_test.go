package scenarios

import (
	"fmt"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

// destroyingBlind is a destroy that does not look at the claim before: the release alone decides.
var destroyingBlind = []string{"destroy", "-auto-approve", "-refresh=false"}

// F21: no account is released under a cluster. The refusal names twenty of the clusters and counts the others; to give
// up the claim alone is possible.
func TestF21DestroyUnderClusters(t *testing.T) {
	t.Parallel()
	s := newStage(t, awsAccounts(1)...)
	c := s.configure(t, claim("blue", "ga-1"))
	c.apply(t)
	account := c.account(t, "blue")
	s.Shoots(t, account, 25)
	c.fails(t, destroying, "Account is in use", account,
		"is used by 25 clusters: Shoot "+account+"-0", "and 5 more", "neither marked nor freed", `on_destroy = "keep"`)
	s.wantWrites(t, "refused", 1)
	c.wantClaimed(t, "blue", "ga-1")

	c.write(t, "", claim("blue", "ga-1", `on_destroy = "keep"`))
	c.apply(t)
	c.destroy(t)
	s.wantWrites(t, "given up", 3)
	if s.tenant(t, account) != "ga-1" || s.dirt(t, account) != "" || len(s.records(t, account)) != 0 {
		t.Errorf("the account has the labels %v and the records %q", s.GetAccount(t, account).Labels, s.records(t, account))
	}
}

// F21: a destroy that cannot see whether a cluster is on the account does not release it. An account with none on it is
// released as soon as the destroy can see that.
func TestF21DestroyWithoutKnowing(t *testing.T) {
	t.Parallel()
	for name, unknown := range map[string]struct {
		fault   fault.Fault
		summary string
		words   []string
	}{
		"the Shoots may not be listed": {fault.Forbidden(), "Not allowed in the Garden", []string{"whether clusters are on account", "list shoots"}},
		"the list fails all the time":  {fault.InternalError(), "Garden not reachable", []string{"whether clusters are on account", "list shoots"}},
		"the list never ends":          {fault.HangBefore(), "Garden not reachable", []string{"whether clusters are on account", "list shoots"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, awsAccounts(1)...)
			c := s.configure(t, claim("blue", "ga-1", `timeouts = { delete = "40s" }`))
			c.apply(t)
			s.proxy.Spoil(fault.Rule{Resource: "shoots", Fault: unknown.fault})
			c.fails(t, destroyingBlind, unknown.summary, unknown.words...)
			s.wantWrites(t, "refused", 1)
			account := c.wantClaimed(t, "blue", "ga-1")

			s.proxy.Lift()
			c.destroy(t)
			s.wantWrites(t, "released", 3)
			if s.dirt(t, account) != "true" || len(s.records(t, account)) != 0 {
				t.Errorf("the account has dirty=%q and the records %q", s.dirt(t, account), s.records(t, account))
			}
		})
	}
}

// F21: half a list is no list. The only cluster of the account is on the second page, which does not come.
func TestF21DestroyWithHalfTheList(t *testing.T) {
	t.Parallel()
	s := newStage(t, append(awsAccounts(1), testbed.AccountSpec{Name: "other", HyperscalerType: "aws", Tenant: "ga-2"})...)
	c := s.configure(t, claim("blue", "ga-1", `timeouts = { delete = "60s" }`))
	c.apply(t)
	account := c.account(t, "blue")
	shoots := []testbed.ShootSpec{{Name: "z-last", Account: account}}
	for i := range 500 {
		shoots = append(shoots, testbed.ShootSpec{Name: fmt.Sprintf("a-%03d", i), Account: "other"})
	}
	if err := s.MakeShoots(t.Context(), shoots...); err != nil {
		t.Fatal(err)
	}
	lift := s.proxy.Spoil(fault.Rule{Verb: "page", Resource: "shoots", Fault: fault.InternalError()})
	c.fails(t, destroyingBlind, "Garden not reachable", "whether clusters are on account")
	lift()
	lift = s.proxy.Spoil(fault.Rule{Verb: "page", Resource: "shoots", Fault: fault.ExpireToken()})
	c.fails(t, destroyingBlind, "Garden not reachable", "whether clusters are on account")
	lift()
	c.fails(t, destroyingBlind, "Account is in use", "is used by 1 cluster: Shoot z-last")
	s.wantWrites(t, "refused", 1)
	c.wantClaimed(t, "blue", "ga-1")
}
