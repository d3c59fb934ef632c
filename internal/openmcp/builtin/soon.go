package builtin

import (
	"github.com/hap-project/terraform-provider-hap/internal/clusters"
	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
)

// ServedBy reports whether one of these profiles is enough to make a Cluster for a request, such as one that is about to be published.
func (w Wanted) ServedBy(profiles []adr.Profile) bool {
	if w.ADR == nil || len(profiles) == 0 {
		return false
	}
	d, err := adr.Schedule(w.ADR.request(w.Ref), adr.Landscape{
		Purposes: w.ADR.Definitions, Profiles: profiles, Equivalences: w.ADR.Equivalences,
	})
	return err == nil && d.Action != clusters.Deny
}
