package claim

import (
	"cmp"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/ledger"
)

// declare notes a claim that is to be made, and refuses the second one of the same identity, and one that the same plan destroys.
func (r *claimResource) declare(plan claimModel, target account.Target) {
	if plan.GlobalAccount.IsUnknown() || plan.Name.IsUnknown() {
		return
	}
	id := plan.identityOn(target)
	clashes(r.Diags, r.Backend.Ledger.Plan(object(id), r.Anew), id, plan)
}

// successorNoted begins the note that the successor of a claim is noted, by the two identities.
const successorNoted = "successor"

// declareReplaced notes a claim in the place of which another is made, or this one anew, and that one as far as it is known.
func (r *claimResource) declareReplaced(plan claimModel, of kept, rule answer) {
	was := of.Model.identityOf(of.Place)
	anew := rule.known && plan.identityOn(rule.match.Target()) == was
	r.note(of, true)
	clash := r.Backend.Ledger.Destroy(object(was), anew)
	clashes(r.Diags, clash, was, of.Model)
	if rule.known && clash != ledger.ClashKept { // one that is kept has declared it
		r.Backend.Ledger.First(successorNoted, object(was).ID, object(plan.identityOn(rule.match.Target())).ID)
		r.declare(plan, rule.match.Target())
	}
}

// noteNew notes a claim that is to be made on an account which is not known yet.
func (r *claimResource) noteNew(plan claimModel, rule answer) {
	if !plan.BindingName.IsUnknown() {
		return
	}
	on := ledger.ClaimOn{Tenant: plan.GlobalAccount.ValueString()}
	if rule.known {
		on.Pool = rule.match.Target()
	}
	r.Backend.Ledger.ComeTo(on)
}

// note notes a claim that exists, and whether this plan ends it: the plan of a cluster on its account goes by it.
func (r *claimResource) note(of kept, ends bool) {
	id := of.Model.identityOf(of.Place)
	on := ledger.ClaimOn{Pool: of.Model.stateTarget(), Tenant: id.GlobalAccount}
	r.Backend.Ledger.NoteClaim(of.Model.BindingName.ValueString(), object(id).ID, on, ends)
	r.noteUnrecorded(of, id, ends)
}

// noteUnrecorded refuses to plan the end of a claim that would release an account under a claim of the same state which has no record: the
// release in the apply sees records alone. A claim whose own record is gone releases nothing, and one on a dirty account changes nothing.
func (r *claimResource) noteUnrecorded(of kept, id account.Identity, ends bool) {
	state, h, book := of.Model, of.Place, r.Backend.Ledger
	if state.Shared.ValueBool() || state.GlobalAccount.ValueString() != h.GlobalAccount {
		return
	}
	at, lost := state.cloudAccount(), h.Bare && !state.ClaimedAt.IsNull()
	staying, ending := id.String(), id.String()
	switch mode := account.Mode(state.OnDestroy.ValueString()); {
	case !ends && h.Bare:
		ending = book.KeepUnrecorded(at, object(id).ID, id.String())
	case ends && mode != account.Keep && !h.Internal && !lost && !state.Dirty.ValueBool():
		staying = book.Release(at, object(id).ID, id.String())
	default:
		return
	}
	if staying != "" && ending != "" {
		r.Diags.AddError(diagnose.SummaryUnrecordedStays, fmt.Sprintf("This plan ends the %s and releases account %s. The %s stays on the "+
			"account and has no record there, so the release would not see it. Nothing was planned. Change the claim that stays first (its owner, "+
			"for example) and apply that: its record is written. Or set on_destroy = %q for the claim that ends, apply that, and then take it "+
			"out. Or end both in one plan.", ending, state.BindingName.ValueString(), staying, account.Keep))
	}
}

// cloudAccount names the cloud account of a claim: its credentials, or its binding where the state does not have these.
func (m claimModel) cloudAccount() string {
	ref := m.CredentialsRef.Attributes()
	text := func(name string) string {
		value, _ := ref[name].(types.String)
		return value.ValueString()
	}
	if name := text("name"); name != "" {
		return text("kind") + "/" + text("namespace") + "/" + name
	}
	return m.BindingName.ValueString()
}

// another reports whether a claim of this identity is another one than that of the predecessor, which may be none. Also where a plan is
// forced to replace a claim it may be: the rules may lead elsewhere by now. Of a predecessor from before the holder kept its identity
// that is not known, and its successor is noted with it.
func (h holder) another(id account.Identity) bool {
	return h.GlobalAccount == "" || h.Claim != "" && h.Claim != object(id).ID
}

// declareKept notes a claim that exists and stays.
func (r *claimResource) declareKept(of kept) {
	id := of.Model.identityOf(of.Place)
	r.note(of, false)
	first := r.Backend.Ledger.Configure(object(id))
	if !clashes(r.Diags, r.Backend.Ledger.Retain(object(id)), id, of.Model) && !first {
		clashes(r.Diags, ledger.ClashTwice, id, of.Model)
	}
}

// object is a claim for the ledger. Its identity distinguishes its objects in a state from all others: a UID is that of the account.
func object(id account.Identity) ledger.Object {
	return ledger.Object{Type: resourceType, ID: id.Key()}
}

// clashes reports what else a plan wants with a claim; false = nothing.
func clashes(diags *diag.Diagnostics, clash ledger.Clash, id account.Identity, m claimModel) bool {
	switch clash {
	case ledger.ClashTwice, ledger.ClashBoth:
		diags.AddAttributeError(path.Root("name"), diagnose.SummaryDuplicate, fmt.Sprintf(
			"The %s is declared twice in this configuration. Give each claim of one Global Account on one pool a name of its own. If a resource "+
				"was renamed, say so with a moved block.", id))
	case ledger.ClashEnded:
		diagnose.ReportRenamed(diags, object(id).Type, "The "+id.String())
	case ledger.ClashKept:
		keptAndDestroyed(diags, id, m)
	case ledger.NoClash:
	}
	return clash != ledger.NoClash
}

func keptAndDestroyed(diags *diag.Diagnostics, id account.Identity, state claimModel) {
	diags.AddError(diagnose.SummaryKeptAndDestroyed, fmt.Sprintf(
		"The %s is in the state twice, once to be kept and once to be destroyed, which would release account %s under the claim that is kept. "+
			"A replacement that stopped half way leaves this behind. Nothing was planned for it. Take the resource out of the state with `state "+
			"rm`, and import it as %s.",
		id, state.BindingName.ValueString(), state.ID.ValueString()))
}

// identityOf is the identity of an existing claim, without the namespace, which is the provider's.
func (m claimModel) identityOf(h holder) account.Identity {
	return account.Identity{GlobalAccount: h.GlobalAccount, Pool: m.stateTarget().String(), Name: m.Name.ValueString()}
}

// identityOn is the identity of a claim that is made on a pool, likewise. Unknown parts are empty.
func (m claimModel) identityOn(target account.Target) account.Identity {
	return account.Identity{GlobalAccount: m.GlobalAccount.ValueString(), Pool: target.String(), Name: m.Name.ValueString()}
}

// Object is the claim for the ledger; of a planned one as far as it is known.
func (r *claimResource) Object(of kept) ledger.Object {
	of.Place.GlobalAccount = cmp.Or(of.Place.GlobalAccount, of.Model.GlobalAccount.ValueString())
	return object(of.Model.identityOf(of.Place))
}

// Clash reports what else a plan wants with a claim; false = nothing.
func (r *claimResource) Clash(clash ledger.Clash, m claimModel) bool {
	id := m.identityOf(lostHolder(m)) // its Global Account is in the ID
	return clashes(r.Diags, clash, id, m)
}
