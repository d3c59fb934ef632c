package claim

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/hap-project/terraform-provider-hap/internal/garden"
	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
	"github.com/hap-project/terraform-provider-hap/internal/provider/connection"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
)

// A claim follows its cloud account to another binding: to a CredentialsBinding where the pool was of an older kind when the claim was made
// (pool.kind has changed since), and to the one that binding_name names by now. (ADR 022)

// origin is the binding that a claim is recorded on, under the name that the pool has for it.
type origin struct {
	Name string `json:"name"`
	UID  string `json:"uid"`
}

// kindOf is what the account of a holder is.
func (h holder) kindOf() garden.Kind { return cmp.Or(h.Kind, garden.CredentialsBinding) }

// follows reports whether the claims of an older pool are followed to one of CredentialsBindings. Gardener knows no way back.
func follows(was, now garden.Kind) bool { return now == garden.CredentialsBinding && was != now }

// older reports whether the pool was of another kind when the claim was made.
func (r *claimResource) older(h holder) bool { return h.kindOf() != r.Backend.Settings.Kind }

// originOf is the binding that the claim of a state is recorded on.
func (r *claimResource) originOf(m claimModel, h holder) origin {
	switch {
	case h.From != nil:
		return *h.From
	case r.older(h):
		return origin{account.BindingOf(string(h.kindOf()), m.BindingName.ValueString()), m.BindingUID.ValueString()}
	}
	return origin{m.BindingName.ValueString(), m.BindingUID.ValueString()}
}

// moveRequest takes the claim of a state from its binding to the one of a plan; one that is not known = the only one there is.
func (r *claimResource) moveRequest(plan, state claimModel, h holder, p *pool.Pool) protocol.MoveRequest {
	from := r.originOf(state, h)
	req := protocol.MoveRequest{
		UpdateRequest: plan.updateRequest(p, state, h, &r.Backend.Settings), To: plan.BindingName.ValueString(),
		Credentials: state.credentialsRef(),
	}
	req.Account, req.UID = from.Name, from.UID
	return req
}

// credentialsRef are the credentials of the claim; zero where the state does not say.
func (m claimModel) credentialsRef() account.CredentialsRef {
	var ref struct {
		APIVersion types.String `tfsdk:"api_version"`
		Kind       types.String `tfsdk:"kind"`
		Namespace  types.String `tfsdk:"namespace"`
		Name       types.String `tfsdk:"name"`
	}
	_ = m.CredentialsRef.As(context.Background(), &ref, basetypes.ObjectAsOptions{UnhandledNullAsEmpty: true, UnhandledUnknownAsEmpty: true})
	return account.CredentialsRef{APIVersion: ref.APIVersion.ValueString(), Kind: ref.Kind.ValueString(),
		Namespace: ref.Namespace.ValueString(), Name: ref.Name.ValueString()}
}

// observeOther reads the status of a claim that is recorded on another binding than that of the state, or was made in a pool of another
// kind. Where its binding is gone, or has lost the record to a move that was killed, it is the status of the account that the claim has
// gone to. The claim is gone only where its cloud account has no binding any more.
func (r *claimResource) observeOther(ctx context.Context, m claimModel, h holder) (pool.Status, error) {
	status, err := r.inspect(ctx, r.pool, m, h)
	if err != nil || !gone(status) && (status.Recorded || m.Shared.ValueBool()) {
		return status, err
	}
	to := m
	if h.From == nil { // the name in the state is that of the old binding
		to.BindingName = types.StringNull()
	}
	req := r.moveRequest(to, m, h, r.pool)
	at, err := r.pool.Destination(ctx, req)
	_, bears := at.Holds(req.Identity.Key())
	refused, moves := errors.AsType[*protocol.MoveError](err)
	switch {
	case err == nil && (gone(status) || bears):
		return r.pool.Inspect(ctx, h.GlobalAccount, m.stateTarget(), m.Name.ValueString(), at.Name, at.UID)
	case gone(status) && err != nil && !(moves && refused.Known == 0):
		return status, err
	}
	return status, nil
}

// observeLost finds the binding of a claim whose notes were lost, such as by a provider that was killed in a move: it may be of an older
// kind than the pool's, which the notes said. Where the user may not read such bindings there is none.
func (r *claimResource) observeLost(ctx context.Context, m claimModel, h holder) (pool.Status, garden.Kind, error) {
	for _, kind := range []garden.Kind{garden.SecretBinding, garden.Secret} {
		was := h
		if was.Kind = kind; !follows(kind, r.Backend.Settings.Kind) {
			continue
		}
		status, err := r.inspect(ctx, r.pool, m, was)
		switch {
		case errors.As(err, new(*account.ForbiddenError)) || err == nil && gone(status):
		case err != nil:
			return status, "", err
		default:
			status, err = r.observeOther(ctx, m, was)
			return status, kind, err
		}
	}
	return pool.Status{Drift: account.DriftGone}, "", nil
}

// planMove plans a move, where there is one: in place, with what is known of the new binding. A binding that is asked for and that is no
// other one of the same cloud account is another claim. What the configuration names is asked for also where the state has it already.
func (r *claimResource) planMove(ctx context.Context, planned *claimModel, configured types.String, of kept) (moves bool) {
	state, h := of.Model, of.Place
	asked := tfvalue.Known(planned.BindingName) && !planned.BindingName.Equal(state.BindingName)
	if !asked && !r.older(h) && h.From == nil {
		return false
	}
	if asked = asked || configured.ValueString() != ""; !asked {
		planned.BindingName = types.StringUnknown()
	}
	if asked && h.From != nil && planned.BindingName.ValueString() == h.From.Name {
		r.reportWayBack(state, *h.From)
		return true
	}
	to, exists, err := r.lookForBinding(ctx, *planned, of, asked)
	switch {
	case !exists:
		r.reportNowhere(state, planned.BindingName.ValueString())
		return true
	case asked && !r.older(h) && !isJoined(err) && errors.As(err, new(*protocol.MoveError)):
		return false
	case asked && r.refuseMove(*planned, of, err):
		return true
	}
	r.warnMove(state, of, to, err)
	if err == nil && !asked && to.Name == state.BindingName.ValueString() {
		planned.BindingName = state.BindingName // the apply goes there, or fails
	}
	planned.moves(h.GlobalAccount)
	return true
}

// refuseMove refuses to plan a move to the binding that is asked for: a replacement would mark the cloud account, and end on it again, or
// nowhere; and a claim is not replaced because a read has failed. false = nothing is against it.
func (r *claimResource) refuseMove(planned claimModel, of kept, err error) bool {
	switch {
	case isJoined(err):
		diagnose.Report(r.Diags, "Planning the claim on "+bindingOf(r.originOf(of.Model, of.Place).Name), err)
	case !r.older(of.Place) && connection.Unlooked(err):
		r.Diags.AddAttributeError(path.Root("binding_name"), diagnose.SummaryMove, fmt.Sprintf("Whether accounts %s and %s are one cloud "+
			"account is not known, so nothing was planned for the claim: %s.", of.Model.BindingName.ValueString(), planned.BindingName.ValueString(),
			strings.TrimRight(err.Error(), ".")))
	default:
		return false
	}
	return true
}

// isJoined reports whether the account that a claim was to go to is one cloud account with its binding, and cannot take it.
func isJoined(err error) bool {
	refused, is := errors.AsType[*protocol.MoveError](err)
	return is && refused.Joined
}

// lookForBinding returns the binding to which a claim would move, and whether the account that it asks for exists, or this plan makes it.
func (r *claimResource) lookForBinding(
	ctx context.Context, planned claimModel, of kept, asked bool,
) (to account.Account, exists bool, err error) {
	exists = true
	err = r.Backend.Previews.Try(ctx, connection.AskedPool, func(ctx context.Context) error {
		p, err := r.Backend.Garden.Pool()
		if err == nil {
			to, err = p.Destination(ctx, r.moveRequest(planned, of.Model, of.Place, p))
		}
		if asked && !r.older(of.Place) && errors.As(err, new(*protocol.MoveError)) {
			exists, err = r.exists(ctx, p, planned.BindingName.ValueString(), err)
		}
		return err
	})
	return to, exists, err
}

// moves plans what an apply knows only when the claim is on its new binding.
func (m *claimModel) moves(globalAccount string) {
	m.BindingUID, m.ProviderType = types.StringUnknown(), types.StringUnknown()
	m.CredentialsRef = types.ObjectUnknown(credentialsRefTypes)
	m.ID = types.StringUnknown()
	if tfvalue.Known(m.BindingName) {
		m.ID = types.StringValue(globalAccount + "/" + m.BindingName.ValueString() + "/" + m.Name.ValueString())
	}
}

// exists reports whether an account exists to which a claim cannot move, or this plan makes it. It returns the error of the read where that
// has failed, and else why the claim cannot move.
func (r *claimResource) exists(ctx context.Context, p *pool.Pool, accountName string, why error) (bool, error) {
	there, err := p.Exists(ctx, accountName)
	return there || err != nil || r.Backend.Ledger.AwaitAccount(ctx, accountName), cmp.Or(err, why)
}

// reportNowhere refuses to replace a claim by one on an account that does not exist: the replacement would destroy the claim, and the
// clusters that go with it, before the new one is refused.
func (r *claimResource) reportNowhere(state claimModel, asked string) {
	r.Diags.AddAttributeError(path.Root("binding_name"), diagnose.SummaryAccountNotFound, fmt.Sprintf("The claim is on account %s, and "+
		"binding_name asks for account %s, which does not exist; no hap_account of this plan makes it. Nothing was planned for the claim: a "+
		"replacement would end it, and the clusters on it, for nothing.\n\nCorrect binding_name. If another tool makes the account, have it "+
		"make the account first, and plan again.", state.BindingName.ValueString(), asked))
}

// reportWayBack refuses to plan the binding that a move which was interrupted has come from.
func (r *claimResource) reportWayBack(state claimModel, from origin) {
	r.Diags.AddAttributeError(path.Root("binding_name"), diagnose.SummaryMove, fmt.Sprintf("The claim is recorded on account %[1]s, this "+
		"state has it on account %[2]s, and both lead into the same cloud account: a move between the two was interrupted. binding_name asks "+
		"for %[1]s. Nothing was planned for the claim: a replacement would end it, and mark the cloud account.\n\nSet binding_name = %[2]q and "+
		"apply: that takes the record along. Then set it to %[1]q. Where account %[2]s is "+
		"gone, take the claim out of the state with \"state rm\", and import it.", from.Name, state.BindingName.ValueString()))
}

// warnMove says what the apply writes, or that by what the plan can see it will fail.
func (r *claimResource) warnMove(state claimModel, of kept, to account.Account, err error) {
	from := bindingOf(r.originOf(state, of.Place).Name)
	if err != nil {
		r.Diags.AddAttributeWarning(path.Root("binding_name"), diagnose.SummaryMove, fmt.Sprintf(
			"This apply is to take the claim from %s to another binding of the same cloud account. As it looks now it will fail: %s.\n\n%s",
			from, strings.TrimRight(err.Error(), "."), diagnose.Explain(err).Remedy))
		return
	}
	wrote := "its record is written there, with the label of Global Account " + of.Place.GlobalAccount + ", and taken off the old binding"
	if state.Shared.ValueBool() {
		wrote = "nothing is written, because all tenants share the account"
	}
	r.Diags.AddAttributeWarning(path.Root("binding_name"), diagnose.SummaryMove, fmt.Sprintf(
		"The claim goes from %s to %s %s, which leads into the same cloud account: %s. Nothing is marked dirty, no cluster is touched, and the "+
			"old binding keeps its labels.", from, r.Backend.Settings.Kind, to.Name, wrote))
}

// bindingOf names a binding with its kind, as far as it is not that of the pool.
func bindingOf(name string) string {
	if kind, _ := account.BindingName(name); kind != "" {
		return name
	}
	return "account " + name
}

// move takes the claim to its new binding; ends = for a release.
func (r *claimResource) move(ctx context.Context, plan claimModel, of kept, ends bool) (*kept, error) {
	state, h := of.Model, r.completed(of).replanned(plan, of.Model)
	req := r.moveRequest(plan, state, h, r.pool)
	if ends {
		keeper := h.keeper()
		req.Ends, req.Instance = &keeper, ""
	}
	status, err := r.pool.Move(ctx, req)
	if err != nil {
		return nil, err
	}
	moved := plan.updated(status, h.GlobalAccount)
	moved.setAccount(status.Account, h.GlobalAccount)
	h.Kind, h.From = r.Backend.Settings.Kind, nil
	h = h.updated(status, req.UpdateRequest).seen(status, r.Backend.Garden.Server(), plan.Shared.ValueBool())
	return &kept{Model: moved, Place: h}, nil
}

// moves reports whether an update takes the claim to another binding.
func (r *claimResource) moves(plan claimModel, of kept) bool {
	return of.Place.From != nil || r.older(of.Place) || !plan.BindingName.Equal(of.Model.BindingName)
}
