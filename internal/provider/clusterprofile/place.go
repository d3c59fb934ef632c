package clusterprofile

import (
	"github.com/hap-project/terraform-provider-hap/internal/garden"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/configs"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
)

// place says where a ProviderConfig was made, and what of it the state cannot say.
type place struct {
	family.Place
	// Bindings are the fields by which it names its account; nil = they were not looked at.
	Bindings *configs.Bindings `json:"bindings,omitempty"`
	// Drift is what the last refresh found changed of the template, in lines.
	Drift []string `json:"drift,omitempty"`
}

// saw notes what a ProviderConfig names its account by, and what of it has drifted.
func (p place) saw(live *api.ProviderConfig, drift ...string) place {
	p.Drift = drift
	if facts, ok := configs.FactsOf(live.Spec.ShootTemplate); ok {
		p.Bindings = &facts.Bindings
	}
	return p
}

// rebound reports whether a plan names the account by another field than the ProviderConfig does, or by one field alone where that has
// both.
func (p place) rebound(plan configModel, kind garden.Kind) bool {
	return p.Bindings != nil && !plan.CredentialsBindingName.IsUnknown() && *p.Bindings != plan.bindings(kind)
}

// respecifies reports whether a plan writes another spec, or writes it again where another party has changed it.
func (p place) respecifies(plan, state configModel, kind garden.Kind) bool {
	return !plan.specifiesAs(state) || p.rebound(plan, kind) || len(p.Drift) > 0
}
