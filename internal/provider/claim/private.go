package claim

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/hap-project/terraform-provider-hap/internal/garden"
	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/provider/backend"
)

// holderKey is where private state keeps a holder.
const holderKey = "holder"

// holder is what this side has last written about a claim. In the state proper global_account and owner follow the
// account, so that drift shows; what the account said before is kept here.
type holder struct {
	// Namespace is that of the Gardener project the claim was made in.
	Namespace string `json:"namespace,omitempty"`
	// Kind is what the account is; empty in a state from before there was a choice.
	Kind garden.Kind `json:"kind,omitempty"`
	// GlobalAccount is whom the claim was made for.
	GlobalAccount string `json:"globalAccount"`
	// Owner is the owner that the claim was last recorded with.
	Owner string `json:"owner,omitempty"`
	// Used says that clusters were counted on the account while this state had the claim, or may have been: the claim was
	// adopted or imported, or was not to go back to the pool then, or an earlier holder was lost.
	Used bool `json:"used,omitempty"`
	// Recorded says that the claim's record was seen on the account, or written there.
	Recorded bool `json:"recorded,omitempty"`
	// Internal says that the account was seen with the label internal: a destroy neither marks nor frees it.
	Internal bool `json:"internal,omitempty"`
	// Keys are those of the labels by which the account was last the claim's: by others it may look free, or another pool's. They are
	// empty in a state from before they were kept.
	Keys garden.LabelKeys `json:"keys,omitzero"`
	// Server is the API server that the account was last seen behind; empty in a state from before it was kept.
	Server string `json:"server,omitempty"`
}

// seen notes what a refresh has found.
func (h holder) seen(s pool.Status, server string, shared bool) holder {
	h.Server = server
	if !shared {
		h.Used = h.Used || s.Clusters > 0
		h.Recorded = h.Recorded || s.Recorded
		h.Internal = s.Account.Internal
	}
	return h
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
func claimedBy(c pool.Claim, b *backend.Backend) holder {
	h := newHolder(b, c.Identity.Namespace, c.Identity.GlobalAccount, c.Record)
	h.Used = c.Used
	return h.seen(pool.Status{Account: c.Account, Clusters: c.Clusters, Recorded: true}, b.Server(), c.Account.Shared)
}

func newHolder(b *backend.Backend, namespace, globalAccount string, record pool.Record) holder {
	return holder{Kind: b.Kind, Keys: b.Keys, Namespace: namespace, GlobalAccount: globalAccount, Owner: record.Owner}
}

func (h holder) bytes() []byte {
	text, _ := json.Marshal(h) // strings cannot fail
	return text
}

// privateState is the part of a request that holds private state.
type privateState interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
}

// holderOf returns what this side has last written.
func (r *claimResource) holderOf(ctx context.Context, private privateState, diags *diag.Diagnostics, state claimModel) holder {
	text, more := private.GetKey(ctx, holderKey)
	diags.Append(more...)
	var h holder
	if text == nil || json.Unmarshal(text, &h) != nil || h.GlobalAccount == "" {
		h = lostHolder(state)
		if r.backend != nil { // an older state has a holder without a kind, and that one is of a CredentialsBinding
			h.Kind = r.backend.Kind
		}
	}
	return h
}

// lostHolder is the holder of a claim whose private state is lost: Terraform keeps none where the provider dies within an update or a
// destroy. It goes by what does not drift, and takes the account for a used one.
func lostHolder(state claimModel) holder {
	globalAccount := state.GlobalAccount.ValueString()
	if made, ok := strings.CutSuffix(state.ID.ValueString(), "/"+state.BindingName.ValueString()+"/"+state.Name.ValueString()); ok {
		globalAccount = made
	}
	return holder{
		GlobalAccount: globalAccount, Owner: state.Owner.ValueString(), Used: !state.Shared.ValueBool(),
		Recorded: !state.Shared.ValueBool() && !state.ClaimedAt.IsNull(), // it is known from the record alone
	}
}
