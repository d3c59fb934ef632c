package clusteraccess

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
	"github.com/hap-project/terraform-provider-hap/internal/provider/journal"
)

// Family registers the resource and what reads its access.
var Family = family.Family{
	Resources: []func() resource.Resource{family.New(family.Resource[accessModel, place, *openmcp.AccessRequest]{
		Type: "access_request", Schema: accessSchema, Identity: family.NamedSchema("AccessRequest"), Private: "place",
		Timeouts: func(m accessModel) timeouts.Value { return m.Timeouts },
		IsGone:   openmcp.IsGone,
		Create:   createTimeout, Update: updateTimeout, Delete: deleteTimeout,
		Hooks: func(call *family.Call) family.Hooks[accessModel, place, *openmcp.AccessRequest] {
			return &accessResource{onPlatform{Call: call, Of: &kind}}
		},
	})},
	EphemeralResources: []func() ephemeral.EphemeralResource{func() ephemeral.EphemeralResource { return &clusterAccess{} }},
}

// kind is what AccessRequests are called, and how they are read.
var kind = family.PlatformKind[*openmcp.AccessRequest]{
	Kind: "AccessRequest", Type: "hap_access_request", Form: "<namespace>/<name>, for example team-a/deploy",
	Adopted: diagnose.SummaryRequestAdopted, Lost: diagnose.SummaryRequestGone, Twice: diagnose.SummaryRequestTwice,
	Read: (*openmcp.Platform).AccessRequestOf, Now: (*openmcp.Platform).AccessRequestNow,
	Remove: (*openmcp.Platform).WithdrawAccess, Removed: "access withdrawn",
}

type (
	onPlatform = family.OnPlatform[accessModel, place, *openmcp.AccessRequest]
	kept       = family.Kept[accessModel, place]
)

// place says where an AccessRequest was seen last.
type place struct {
	family.Place
	Moved bool `json:"moved,omitempty"` // its request has another Cluster by now
}

// accessResource is an AccessRequest on the platform cluster.
type accessResource struct{ onPlatform }

// as is what is kept of an AccessRequest of this model.
func (r *accessResource) as(m accessModel) kept { return kept{Model: m, Place: place{Place: r.Here()}} }

// Create makes the AccessRequest, in the provider's namespace where the configuration names none.
func (r *accessResource) Create(ctx context.Context, plan *accessModel, _ accessModel) (*openmcp.AccessRequest, error) {
	if err := r.Connect(); err != nil {
		return nil, err
	}
	r.Put(&plan.Namespace)
	made, found, err := r.API.RequestAccess(ctx, plan.wanted())
	r.Log(ctx, "access asked for", *plan, err)
	r.Found(found, made, *plan)
	return made, err
}

// Made is the state of an AccessRequest that was just made.
func (r *accessResource) Made(plan accessModel, made *openmcp.AccessRequest) kept {
	return r.as(plan.seen(made))
}

// Settle waits for access as the configuration says. What keeps it away is a warning. The only error is that the AccessRequest is gone: any
// other would taint it, and the next apply would begin anew.
func (r *accessResource) Settle(ctx context.Context, m accessModel, live *openmcp.AccessRequest) (_ *kept, err error) {
	name, waits := live.Ref().String(), m.WaitFor.ValueString() == waitGranted
	if waits {
		live, err = r.API.AwaitAccess(ctx, live, journal.TellRequest(ctx, name))
		journal.LogRequest(ctx, "wait for access", name, err)
	}
	if openmcp.IsGone(err) {
		return nil, err
	}
	if err != nil {
		warnWaiting(r.Diags, err)
	}
	if openmcp.IsAccessGranted(live) {
		if err := r.API.CheckCluster(ctx, live, (*openmcp.Platform).RequestNow); err != nil {
			warnUnusable(r.Diags, err)
			now := r.as(m.seen(live))
			return &now, nil
		}
	}
	read := r.API.Access
	if waits {
		read = r.API.AwaitUsable
	}
	m.ExpiresAt = types.StringNull() // it is not known yet
	now := r.as(r.withAccess(ctx, m, live, read, warnWaiting))
	return &now, nil
}

// withAccess is the state of an AccessRequest with what its Secret says. Where that cannot be read, it counts as granted, and ends when it
// was known to.
func (r *accessResource) withAccess(
	ctx context.Context, m accessModel, live *openmcp.AccessRequest,
	read func(context.Context, *openmcp.AccessRequest) (openmcp.Access, error), warn func(*diag.Diagnostics, error),
) accessModel {
	ends := m.ExpiresAt
	m = m.seen(live)
	if !openmcp.IsAccessGranted(live) {
		return m
	}
	access, err := read(ctx, live)
	switch {
	case openmcp.IsUnusable(err):
		m.ExpiresAt = textOfTime(access.ExpiresAt)
		warn(r.Diags, err)
		return m
	case err == nil:
		ends = textOfTime(access.ExpiresAt)
	case r.Backend.Ledger.First("access", diagnose.Explain(err).Summary):
		warnUnread(r.Diags, err)
	}
	return m.granted(ends)
}

// Refresh is the state of an AccessRequest, and when its access ends.
func (r *accessResource) Refresh(ctx context.Context, state kept, live *openmcp.AccessRequest) (kept, error) {
	m := state.Model
	if m.UID.IsNull() {
		m = m.imported(live)
	}
	m, err := m.refreshed(live)
	if err != nil {
		return state, err
	}
	if moved := r.API.CheckCluster(ctx, live, (*openmcp.Platform).RequestOf); moved != nil {
		warnMoved(r.Diags, moved)
		now := r.as(m.seen(live))
		now.Place.Moved = true
		return now, nil
	}
	return r.as(r.withAccess(ctx, m, live, r.API.Access, warnUnusable)), nil
}

// Update writes what differs, has the cluster provider look again where access cannot be used, and waits.
func (r *accessResource) Update(ctx context.Context, plan accessModel, state kept, live *openmcp.AccessRequest) (*kept, error) {
	live, err := r.change(ctx, plan, state.Model, live)
	switch {
	case err != nil:
		return nil, err
	case plan.Granted.IsUnknown():
		return r.Settle(ctx, plan, live)
	case plan.AccessRequestID.IsUnknown() && plan.Granted.ValueBool(): // the plan did not know the platform cluster
		plan.AccessRequestID = plan.ID
	}
	now := r.as(plan) // nothing is waited for: what was planned stands until the next refresh
	return &now, nil
}

// change makes this AccessRequest what the plan says, where it is not. Where it says so already it is denied, or it is the Secret that
// cannot be used: the controllers are to look at it again.
func (r *accessResource) change(
	ctx context.Context, plan, state accessModel, live *openmcp.AccessRequest,
) (_ *openmcp.AccessRequest, err error) {
	name := state.Ref().String()
	if !plan.asksAs(state) || !plan.describesAs(state) {
		live, err = r.API.ChangeAccess(ctx, live, plan.wanted(), state.wanted())
		journal.LogRequest(ctx, "access changed", name, err)
		return live, err
	}
	if !plan.Granted.IsUnknown() || !openmcp.IsAccessGranted(live) && !openmcp.IsAccessDenied(live) {
		return live, nil
	}
	if !openmcp.IsAccessDenied(live) {
		if _, err := r.API.Access(ctx, live); !openmcp.IsUnusable(err) {
			return live, nil
		}
	}
	live, err = r.API.RenewAccess(ctx, live)
	journal.LogRequest(ctx, "access shown to the controllers again", name, err)
	return live, err
}
