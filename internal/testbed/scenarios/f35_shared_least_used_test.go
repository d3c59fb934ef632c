package scenarios

import (
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
)

// F35: a shared pool whose trials are suspended: rows without a Shoot. Wherever Gardener is asked the least used account is
// the one with the fewest Shoots, as the broker counts shared accounts; by rows only where the database alone is asked.
func TestF35SharedAccountsAreLeastUsedByShoots(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ settings, want string }{
		"gardener":                        {`cluster_count = { source = "gardener" }`, "shared-2"},
		"both":                            {`cluster_count = { source = "both" }`, "shared-2"},
		"nothing said, with the database": {"", "shared-2"},
		"database":                        {`cluster_count = { source = "database" }`, "shared-1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newCounted(t,
				testbed.AccountSpec{Name: "shared-1", HyperscalerType: "aws", Shared: true},
				testbed.AccountSpec{Name: "shared-2", HyperscalerType: "aws", Shared: true})
			makeShoots(t, s, "shared-1", 2)
			s.database.Insert(t, append(rows(2, "ga-1", "shared-1"), rows(5, "ga-2", "shared-2", suspended)...)...)
			before := s.versions(t)
			c := s.configure(t)
			c.write(t, s.withDatabase()+test.settings, onTrial())
			c.apply(t)
			if got := c.account(t, "blue"); got != test.want {
				t.Errorf("the claim is on %q, want %s", got, test.want)
			}
			s.unwritten(t, before)
		})
	}
}
