package scenarios

import (
	"strings"
	"testing"

	"k8s.io/utils/ptr"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

// The account of the claim is taken away between the plan of a cluster and its POST: it is refused before the POST, and no cluster
// comes to an account that its tenant does not hold.
func TestClusterAccountIsTakenAway(t *testing.T) {
	t.Parallel()
	for name, taken := range sampled(t, map[string]struct {
		labels map[string]*string
		words  []string
	}{
		"held by no tenant":      {map[string]*string{"tenantName": nil}, []string{"no Global Account holds account"}},
		"held by another tenant": {map[string]*string{"tenantName": ptr.To("ga-2")}, []string{"held by Global Account ga-2", "the cluster is for ga-1"}},
		"dirty":                  {map[string]*string{"dirty": ptr.To("true")}, []string{"is dirty and waits for the clean-up job"}},
		"being released":         {map[string]*string{"dirty": ptr.To("releasing")}, []string{"is being released"}},
	}) {
		for when, late := range map[string]bool{"after the plan": false, "after the check of the apply": true} {
			t.Run(name+" "+when, func(t *testing.T) {
				t.Parallel()
				s := newClusterStage(t, nil, awsAccounts(1)...)
				c := s.configureCluster(t)
				c.succeeds(t, "plan", "-out=saved")
				account := c.account(t, "blue")
				take := func() { s.PatchLabels(t, account, taken.labels) }
				if late {
					s.proxy.Spoil(clusterChecked(fault.Do(nil, take)))
				} else {
					take()
				}
				c.fails(t, []string{"apply", "saved"}, "Account takes no cluster", taken.words...)
				c.wantGone(t, "refused")
				if written := s.clusterWrites(); len(written) > 0 {
					t.Errorf("written: %q", written)
				}
			})
		}
	}
}

// The account is released, and claimed by another Global Account, between the plan of a cluster and its POST: the claim that is on
// it is another tenant's, and the cluster is refused.
func TestClusterAccountIsClaimedByAnother(t *testing.T) {
	t.Parallel()
	for when, late := range map[string]bool{"after the plan": false, "after the check of the apply": true} {
		t.Run(when, func(t *testing.T) {
			t.Parallel()
			s := newClusterStage(t, nil, awsAccounts(1)...)
			c := s.configureCluster(t)
			c.succeeds(t, "plan", "-out=saved")
			account, other := c.account(t, "blue"), s.configure(t, claim("green", "ga-2"))
			take := func() {
				s.PatchLabels(t, account, map[string]*string{"tenantName": nil})
				other.apply(t)
			}
			if late {
				s.proxy.Spoil(clusterChecked(fault.Do(nil, take)))
			} else {
				take()
			}
			c.fails(t, []string{"apply", "saved"}, "Account takes no cluster", "held by Global Account ga-2", "the cluster is for ga-1")
			c.wantGone(t, "refused")
			if written := s.clusterWrites(); len(written) > 0 {
				t.Errorf("written: %q", written)
			}
		})
	}
}

// A release begins after the last read of the account, and the cluster is made: the apply says so loudly, and keeps the cluster.
func TestClusterAccountIsTakenWithinThePOST(t *testing.T) {
	t.Parallel()
	s := newClusterStage(t, nil, awsAccounts(1)...)
	c := s.configureCluster(t)
	account := c.account(t, "blue")
	rule := clusterWrite()
	rule.Fault = fault.Do(func() { s.PatchLabels(t, account, map[string]*string{"dirty": ptr.To("releasing")}) }, nil)
	s.proxy.Spoil(rule)
	result := c.apply(t)
	uid := c.wantCluster(t, true, "")
	wantMessage(t, result.Output, "Warning: Account was taken from the cluster", "cluster blue", uid, "account "+account, "is being released",
		"put the account's label tenantName back by hand", "(ga-1)", "Otherwise destroy the cluster")
	s.PatchLabels(t, account, map[string]*string{"dirty": nil})
}

// The account of a live cluster is taken away: each plan says so until it is mended, also a refresh alone and a plan without one, and
// nothing is planned for the cluster. A quarantine by the pool's owner takes it from no cluster.
func TestClusterAccountIsTakenLater(t *testing.T) {
	t.Parallel()
	s := newClusterStage(t, nil, awsAccounts(1)...)
	c := s.configureCluster(t)
	c.apply(t)
	account, uid := c.account(t, "blue"), c.wantCluster(t, true, "")
	const taken = "Account was taken from the cluster"
	commands := [][]string{{"plan"}, {"plan", "-refresh-only"}, {"plan", "-refresh=false"}}
	for _, test := range []struct {
		labels map[string]*string
		words  []string // none = it is still the cluster's
	}{
		{map[string]*string{}, nil},
		{map[string]*string{"dirty": ptr.To("quarantine")}, nil},
		{map[string]*string{"dirty": ptr.To("true")}, []string{"is dirty and waits for the clean-up job (label dirty=true)"}},
		{map[string]*string{"dirty": nil, "tenantName": nil}, []string{"no Global Account holds account " + account}},
		{map[string]*string{"tenantName": ptr.To("ga-2")}, []string{"held by Global Account ga-2, and the cluster is for ga-1"}},
		{map[string]*string{"tenantName": ptr.To("ga-1")}, nil},
	} {
		s.PatchLabels(t, account, test.labels)
		for _, command := range commands {
			output := c.Run(t, command...).Output
			switch times := strings.Count(output, taken); {
			case test.words == nil && times > 0:
				t.Errorf("%v, %v: the account is the cluster's:\n%s", test.labels, command, output)
			case test.words != nil:
				wantMessage(t, output, "Warning: "+taken, append([]string{"Cluster blue", uid}, test.words...)...)
				if times != 1 {
					t.Errorf("%v, %v: it is reported %d times", test.labels, command, times)
				}
			}
		}
	}
	c.wantCluster(t, true, uid)
}
