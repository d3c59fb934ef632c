package claim

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/garden"
	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
	"github.com/hap-project/terraform-provider-hap/internal/provider/backend"
	"github.com/hap-project/terraform-provider-hap/internal/provider/connection"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
	"github.com/hap-project/terraform-provider-hap/internal/provider/settings"
)

// holder is what this side has last written about a claim. In the state proper global_account and owner follow the
// account, so that drift shows; what the account said before is kept here.
type holder struct {
	// Namespace is that of the Gardener project the claim was made in.
	Namespace string `json:"namespace,omitempty"`
	// Kind is what the account is; empty in a state from before there was a choice.
	Kind garden.Kind `json:"kind,omitempty"`
	// GlobalAccount is whom the claim was made for.
	GlobalAccount string `json:"globalAccount"`
	// Claim is the identity of the claim in the ledger, see [object]; empty in a state from before it was kept.
	Claim string `json:"claim,omitempty"`
	// Owner is the owner that the claim was last recorded with.
	Owner string `json:"owner,omitempty"`
	// Used says that clusters were counted on the account while this state had the claim, or may have been: the claim was
	// adopted or imported, or was not to go back to the pool then, or an earlier holder was lost.
	Used bool `json:"used,omitempty"`
	// Recorded says that the claim's record was seen on the account, or written there.
	Recorded bool `json:"recorded,omitempty"`
	// Bare says that the account did not have the claim's record when it was seen last.
	Bare bool `json:"bare,omitempty"`
	// Internal says that the account was seen with the label internal: a destroy neither marks nor frees it.
	Internal bool `json:"internal,omitempty"`
	// Keys are those of the labels by which the account was last the claim's: by others it may look free, or another pool's. They are
	// empty in a state from before they were kept.
	Keys garden.LabelKeys `json:"keys,omitzero"`
	// Instance distinguishes this state from others that have the same claim: it is in the mark on the record, see [account.Mark]. It is empty
	// in a state from before there were marks, after an import, and where the notes were lost; the next update makes one.
	Instance string `json:"instance,omitempty"`
	// Imported is what the import of the claim has met; nil = it was not imported.
	Imported *account.Imported `json:"imported,omitempty"`
	// Lost says that an earlier holder was lost: an apply was killed in the middle of an update or a destroy.
	Lost bool `json:"lost,omitempty"`
	// Server is the API server that the account was last seen behind; empty in a state from before it was kept.
	Server string `json:"server,omitempty"`
	settings.Sources
	// From is the binding that has the record, where it is another one than that of the state: the claim was imported from another binding of
	// the same credentials. Nil = it is that of the state.
	From *origin `json:"from,omitempty"`
}

// seen notes what a refresh has found.
func (h holder) seen(s pool.Status, server string, shared bool) holder {
	h.Server = server
	if !shared {
		h.Used = h.Used || s.Clusters > 0
		h.Recorded, h.Bare = h.Recorded || s.Recorded, !s.Recorded
		h.Internal = s.Account.Internal
	}
	return h
}

// noteUse notes a cluster that only a source knows which does not count, for a claim whose account may go back to the pool. A source that
// does not answer says nothing: what this run itself has there is known, see usedByRun, and the release asks all sources.
func (r *claimResource) noteUse(ctx context.Context, m claimModel, h holder, s pool.Status) holder {
	if !m.returns() || !m.NewlyClaimed.ValueBool() || h.Used || s.Clusters > 0 || s.Account.Name == "" {
		return h
	}
	ctx, cancel := context.WithTimeout(ctx, connection.PreviewTimeout)
	defer cancel()
	occupied, err := r.pool.Occupied(ctx, s.Account.Name)
	h.Used = err == nil && occupied
	return h
}

// usedByRun reports whether this run has made, changed or deleted a cluster on the account of a claim that is to go back to the pool, by
// whichever binding of its credentials. A destroy without a refresh has seen no count of it. Where the other bindings are not known it says
// yes.
func (r *claimResource) usedByRun(ctx context.Context, m claimModel, h holder) bool {
	if !m.returns() || !r.Backend.Ledger.UsesAccounts() {
		return false
	}
	if r.Backend.Ledger.UsesAccount(m.BindingName.ValueString()) {
		return true
	}
	status, err := r.inspect(ctx, r.pool, m, h)
	return err != nil || slices.ContainsFunc(status.Account.Bindings(), func(b *account.Account) bool {
		return r.Backend.Ledger.UsesAccount(b.Name)
	})
}

// replanned notes a change to return_to_pool: until then the account was not watched for it.
func (h holder) replanned(plan, state claimModel) holder {
	h.Used = h.Used || plan.returns() && !state.returns()
	return h
}

// unsettled reports whether the claim is recorded by the owner that the configuration names, and this side does not know that it is its
// own: an apply was killed after it had written that owner. An update takes the claim on, and writes nothing.
func (h holder) unsettled(plan, state claimModel) bool {
	return plan.Owner.Equal(state.Owner) && state.Owner.ValueString() != h.Owner
}

// claimedBy is the holder of a claim that was just made.
func claimedBy(c protocol.Claim, b *backend.Backend) holder {
	h := newHolder(b, c.Identity.Namespace, c.Identity.GlobalAccount, c.Record)
	id := c.Identity
	id.Namespace = "" // as in [claimModel.identityOf]
	h.Claim = object(id).ID
	h.Used, h.Instance = c.Used, c.Record.Mark.Instance
	h.Sources.Sources = h.And(c.Record.Mark.Sources) // of a claim that is adopted: another run has counted with these
	return h.seen(pool.Status{Account: c.Account, Clusters: c.Clusters, Recorded: true}, b.Garden.Server(), c.Account.Shared)
}

// next is the instance of the first change of an imported claim; empty = it was not imported, or by an older version.
func (h holder) next() string {
	if h.Imported == nil {
		return ""
	}
	return h.Imported.Next
}

// keeper is this side of the claim.
func (h holder) keeper() account.Keeper {
	return account.Keeper{Owner: h.Owner, Instance: h.Instance, Imported: h.Imported, Lost: h.Lost}
}

// remembered is a holder that was lost, with the sources by which the record says that clusters were counted.
func (h holder) remembered(s pool.Status) holder {
	if h.Lost {
		h.Sources.Sources = h.And(s.Record.Mark.Sources)
	}
	return h
}

// updated notes what an update has recorded. The mark of another state on the record stays, and this one keeps its own.
func (h holder) updated(s pool.Status, req protocol.UpdateRequest) holder {
	h = h.remembered(s)
	h.Owner, h.Lost = req.Owner, false
	if s.Recorded && s.Record.Mark.Instance == req.Instance {
		h.Instance = req.Instance
	}
	return h
}

func newHolder(b *backend.Backend, namespace, globalAccount string, record account.Record) holder {
	return holder{Kind: b.Settings.Kind, Keys: b.Settings.Keys, Namespace: namespace, GlobalAccount: globalAccount, Owner: record.Owner,
		Sources: settings.Sources{}.With(&b.Settings)}
}

// Restore completes the holder where private state is lost, or is that of an import. One of an older provider has no kind, and is that of a
// CredentialsBinding.
func (r *claimResource) Restore(of *kept) {
	if of.Place.GlobalAccount == "" {
		of.Place = lostHolder(of.Model)
		of.Place.Kind = r.Backend.Settings.Kind
	}
}

// lostHolder is the holder of a claim whose private state is lost: Terraform keeps none where the provider dies within an update or a
// destroy. It goes by what does not drift, and takes the account for a used one.
func lostHolder(state claimModel) holder {
	globalAccount := state.GlobalAccount.ValueString()
	if made, ok := strings.CutSuffix(state.ID.ValueString(), "/"+state.BindingName.ValueString()+"/"+state.Name.ValueString()); ok {
		globalAccount = made
	}
	return holder{
		GlobalAccount: globalAccount, Owner: state.Owner.ValueString(), Used: !state.Shared.ValueBool(), Lost: true,
		Recorded: !state.Shared.ValueBool() && !state.ClaimedAt.IsNull(), // it is known from the record alone
	}
}

// inspect looks at the account of a claim.
func (r *claimResource) inspect(ctx context.Context, p *pool.Pool, m claimModel, h holder) (pool.Status, error) {
	at := r.originOf(m, h)
	return p.Inspect(ctx, h.GlobalAccount, m.stateTarget(), m.Name.ValueString(), at.Name, at.UID)
}

// gone reports whether the account that was claimed is not there any more, though another may have its name.
func gone(s pool.Status) bool {
	return s.Drift == account.DriftGone || s.Drift == account.DriftRecreated
}

// completed is a holder with what one from before it was kept lacks. The labels have the keys of the provider by now.
func (r *claimResource) completed(of kept) holder {
	h := of.Place
	h.Claim = object(of.Model.identityOf(h)).ID
	h.Namespace, h.Keys = cmp.Or(h.Namespace, r.pool.Namespace()), r.Backend.Settings.Keys
	h.Sources = h.With(&r.Backend.Settings)
	return h
}

// poolFor is [claimResource.poolOf], and an error where the keys of the labels have changed and the account is not the claim's by the new
// ones. A landscape that has renamed its labels goes on: those of the tenant and of the hyperscaler type are on each account, and show that
// the new keys are right. The others are on few, so a new key of theirs is an error: whether the account is dirty, internal or shared would
// not be seen any more, nor a fence by KEB.
func (r *claimResource) poolFor(ctx context.Context, m claimModel, h holder, doing family.Doing) (*pool.Pool, error) {
	p, err := r.poolOf(h, doing)
	if err == nil && doing == family.Destroying {
		err = r.sameSources(m, h)
	}
	if err != nil {
		return nil, err
	}
	was, now := cmp.Or(h.Keys, r.Backend.Settings.Keys), r.Backend.Settings.Keys
	if was == now {
		return p, nil
	}
	status, err := r.inspect(ctx, p, m, h)
	if err != nil {
		return nil, err
	}
	if gone(status) { // its name and UID decide, whatever the keys are
		return p, nil
	}
	target := m.stateTarget()
	shown := was
	shown.TenantName, shown.HyperscalerType = now.TenantName, now.HyperscalerType
	a := status.Account
	if shown != now || a.UID != m.BindingUID.ValueString() || a.Target() != target || !target.Shared && a.Tenant != h.GlobalAccount {
		return nil, settings.SameKeys("the claim on account "+m.BindingName.ValueString(), was, now)
	}
	return p, nil
}

// sameSources returns an error where a release that may give the account away lacks a source by which clusters were counted: clusters that
// are on the account, or on their way there, are not seen then.
func (r *claimResource) sameSources(m claimModel, h holder) error {
	if m.Shared.ValueBool() || account.Mode(m.OnDestroy.ValueString()) == account.Keep {
		return nil
	}
	return h.Lacking("the claim", &r.Backend.Settings)
}

// poolOf opens the pool that the claim was made in. It returns an error where the provider leads elsewhere by now: there nothing is found,
// and "not found" would read as "gone". A claim of an older kind of pool is followed, and an apply takes it along; before that it is not
// destroyed.
func (r *claimResource) poolOf(h holder, doing family.Doing) (*pool.Pool, error) {
	p, err := r.Backend.Garden.Pool()
	if err != nil {
		return nil, err
	}
	const claim = "the claim"
	was, now := h.kindOf(), r.Backend.Settings.Kind
	if follows(was, now) && doing != family.Destroying {
		was = now
	}
	return p, cmp.Or(settings.Same(claim, "namespace", h.Namespace, p.Namespace()),
		settings.Same(claim, "pool.kind", string(was), string(now)))
}
