package scenarios

import (
	"testing"

	"k8s.io/utils/ptr"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

// The account of the claim is taken away between the plan of a cluster and its POST: it is refused before the POST, and no cluster
// comes to an account that its tenant does not hold.
func TestClusterAccountIsTakenAway(t *testing.T) {
	t.Parallel()
	for name, taken := range map[string]struct {
		labels map[string]*string
		words  []string
	}{
		"held by no tenant":      {map[string]*string{"tenantName": nil}, []string{"no Global Account holds account"}},
		"held by another tenant": {map[string]*string{"tenantName": ptr.To("ga-2")}, []string{"held by Global Account ga-2", "no claim stands on it"}},
		"dirty":                  {map[string]*string{"dirty": ptr.To("true")}, []string{"out of circulation"}},
		"being released":         {map[string]*string{"dirty": ptr.To("releasing")}, []string{"a release of account"}},
	} {
		for when, late := range map[string]bool{"behind the plan": false, "behind the check of the apply": true} {
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
