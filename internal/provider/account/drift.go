package account

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
)

// written is what was last written of all that drift may change. What a plan wants beyond it, its configuration wants.
type written struct {
	HyperscalerType            string
	Shared, EUAccess, Internal bool
	Quarantine                 string
	Labels                     map[string]string
}

func (m accountModel) written() *written {
	return &written{
		HyperscalerType: m.HyperscalerType.ValueString(), Shared: m.Shared.ValueBool(), EUAccess: m.EUAccess.ValueBool(),
		Internal: m.Internal.ValueBool(), Quarantine: m.Quarantine.ValueString(), Labels: m.labels(),
	}
}

func (w *written) equal(other *written) bool {
	return w.HyperscalerType == other.HyperscalerType && w.Shared == other.Shared && w.EUAccess == other.EUAccess &&
		w.Internal == other.Internal && w.Quarantine == other.Quarantine && maps.Equal(w.Labels, other.Labels)
}

// putsBack reports whether a plan only takes back what another party has changed.
func (m accountModel) putsBack(h holder) bool {
	return h.Written != nil && h.Written.equal(m.written())
}

// quarantineAlone asks for the quarantine of a plan alone, where all else that the plan changes another party has changed, and it takes
// that back; false = it is not so. What cannot be taken back does not hold up a quarantine.
func (m accountModel) quarantineAlone(state accountModel, h holder) (alone protocol.AmendRequest, is bool) {
	if h.Written == nil || m.Quarantine.ValueString() == "" || m.Quarantine.Equal(state.Quarantine) {
		return alone, false // the end of one opens the account, as it is with what the other party has changed
	}
	was := *h.Written
	was.Quarantine = m.Quarantine.ValueString()
	alone = m.amendRequest(state)
	alone.Alone = true
	return alone, was.equal(m.written())
}

// differences lists what the account has and what the configuration wants instead.
func (m accountModel) differences(state accountModel) (all []string) {
	add := func(name string, has, wants attr.Value) {
		if !has.Equal(wants) {
			all = append(all, fmt.Sprintf("%s: the account has %s, the configuration %s", name, valueText(has), valueText(wants)))
		}
	}
	add("hyperscaler_type", state.HyperscalerType, m.HyperscalerType)
	add("shared", state.Shared, m.Shared)
	add("eu_access", state.EUAccess, m.EUAccess)
	add("internal", state.Internal, m.Internal)
	add("quarantine", state.Quarantine, m.Quarantine)
	has, wants := state.Labels.Elements(), m.Labels.Elements()
	for _, key := range slices.Sorted(maps.Keys(union(has, wants))) {
		switch {
		case has[key] == nil:
			all = append(all, fmt.Sprintf("labels[%q]: the account has none, the configuration %s", key, valueText(wants[key])))
		case wants[key] == nil:
			all = append(all, fmt.Sprintf("labels[%q]: the account has %s, the configuration none", key, valueText(has[key])))
		default:
			add(fmt.Sprintf("labels[%q]", key), has[key], wants[key])
		}
	}
	return all
}

func union(a, b map[string]attr.Value) map[string]attr.Value {
	all := maps.Clone(a)
	if all == nil {
		return b
	}
	maps.Copy(all, b)
	return all
}

// valueText is a value as a configuration has it.
func valueText(value attr.Value) string {
	if value.IsNull() {
		return "none"
	}
	return value.String()
}

// attempting says what was to be changed where that is refused for what the account is.
func (m accountModel) attempting(attempt string, state accountModel, err error) string {
	if all := m.differences(state); len(all) > 0 && errors.As(err, new(*account.SupplyError)) {
		return fmt.Sprintf("%s (%s)", attempt, strings.Join(all, "; "))
	}
	return attempt
}

// warnDrift says that another party has changed an account, and that it cannot be put back as it is. The rest of the plan has nothing to do
// with it, so it is no error; quarantine = the apply writes that, and nothing else on the account.
func (l look) warnDrift(plan, state accountModel, quarantine bool, err error) {
	f := diagnose.Explain(err)
	refused := "The change that the plan shows puts it back, and an apply of it would be refused now: %s."
	if quarantine {
		refused = "The apply writes the quarantine alone, and does not put that back, which would be refused now: %s."
	}
	l.diags.AddAttributeWarning(path.Root(f.Attribute), diagnose.SummaryAccountDrift, fmt.Sprintf(
		"Another party has changed account %s: %s. "+refused+"\n\nThe way back: put the labels back by hand as the configuration has them; the "+
			"plan has no change then. Or write what the account has into the configuration. All other changes of the plan can be applied.\n\n%s",
		plan.Name.ValueString(), strings.Join(plan.differences(state), "; "), f.Brief, f.Remedy))
}

// warnAlone says that an apply has written the quarantine alone, where its plan did not know what another party has changed.
func (r *accountResource) warnAlone(plan, state accountModel, err error) {
	if len(plan.differences(state)) > 1 {
		return
	}
	f := diagnose.Explain(err)
	r.Diags.AddAttributeWarning(path.Root("quarantine"), diagnose.SummaryAccountDrift, fmt.Sprintf("The quarantine of account %s was written "+
		"alone. Another party has changed the account, and that could not be put back: %s. The next plan shows it.",
		plan.Name.ValueString(), f.Brief))
}
