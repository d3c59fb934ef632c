// Package clusteraccess offers access to Clusters of openMCP: the resource hap_access_request, and the ephemeral resource
// hap_cluster_access, which reads what was granted.
package clusteraccess

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/access"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
	"github.com/hap-project/terraform-provider-hap/internal/provider/journal"
)

// Family registers the resource and what reads its access.
var Family = family.Family{
	Resources: []func() resource.Resource{family.New(family.Resource[accessModel, place, *api.AccessRequest]{
		Type: "access_request", Schema: accessSchema, Identity: family.NamedSchema("AccessRequest"), Private: "place",
		Timeouts: func(m accessModel) timeouts.Value { return m.Timeouts },
		IsGone:   api.IsGone,
		Create:   createTimeout, Update: updateTimeout, Delete: deleteTimeout,
		Hooks: func(call *family.Call) family.Hooks[accessModel, place, *api.AccessRequest] {
			return &accessResource{onPlatform{Call: call, Of: &kind}}
		},
	})},
	EphemeralResources: []func() ephemeral.EphemeralResource{func() ephemeral.EphemeralResource { return &clusterAccess{} }},
}

// kind is what AccessRequests are called, and how they are read.
var kind = family.PlatformKind[*api.AccessRequest]{
	Kind: "AccessRequest", Type: "hap_access_request", Form: "<namespace>/<name>, for example team-a/deploy",
	Adopted: diagnose.SummaryRequestAdopted, Lost: diagnose.SummaryRequestGone, Twice: diagnose.SummaryRequestTwice,
	Reads: func(p *openmcp.Platform) (recent, now family.PlatformRead[*api.AccessRequest]) {
		return p.Objects.Accesses.Read, p.Objects.Accesses.Get
	},
	Remove:  func(p *openmcp.Platform) family.PlatformRemove { return p.Access.Withdraw },
	Removed: "access withdrawn",
}

type (
	onPlatform = family.OnPlatform[accessModel, place, *api.AccessRequest]
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
func (r *accessResource) Create(ctx context.Context, plan *accessModel, _ accessModel) (*api.AccessRequest, error) {
	if err := r.Connect(); err != nil {
		return nil, err
	}
	r.Put(&plan.Namespace)
	made, found, err := r.API.Access.Make(ctx, plan.wanted())
	r.Log(ctx, "access asked for", *plan, err)
	r.Found(found, made, *plan)
	return made, err
}

// Made is the state of an AccessRequest that was just made.
func (r *accessResource) Made(plan accessModel, made *api.AccessRequest) kept {
	return r.as(plan.seen(made))
}

// Settle waits for access as the configuration says. What keeps it away is a warning. The only error is that the AccessRequest is gone: any
// other would taint it, and the next apply would begin anew.
func (r *accessResource) Settle(ctx context.Context, m accessModel, live *api.AccessRequest) (_ *kept, err error) {
	name, waits := live.Ref().String(), m.WaitFor.ValueString() == waitGranted
	live, err = r.API.Access.Serve(ctx, live, waits)
	if err == nil && waits {
		live, err = r.API.Access.Await(ctx, live, journal.TellRequest(ctx, name))
		journal.LogRequest(ctx, "wait for access", name, err)
	}
	if api.IsGone(err) {
		return nil, err
	}
	if err != nil {
		warnWaiting(r.Diags, err)
	}
	if access.IsGranted(live) {
		if err := r.API.Access.CheckCluster(ctx, live, r.API.Objects.Requests.Get); err != nil {
			warnUnusable(r.Diags, err)
			now := r.as(m.seen(live))
			return &now, nil
		}
	}
	read := r.API.Access.Read
	if waits {
		read = r.API.Access.AwaitUsable
	}
	m.ExpiresAt = types.StringNull() // it is not known yet
	now := r.as(r.withAccess(ctx, m, live, read, warnWaiting))
	return &now, nil
}

// withAccess is the state of an AccessRequest with what its Secret says. Where that cannot be read, it counts as granted, and ends when it
// was known to.
func (r *accessResource) withAccess(
	ctx context.Context, m accessModel, live *api.AccessRequest,
	read func(context.Context, *api.AccessRequest) (access.Credentials, error), warn func(*diag.Diagnostics, error),
) accessModel {
	ends, shoot := m.ExpiresAt, m.Shoot
	m = m.seen(live)
	if !access.IsGranted(live) {
		return m
	}
	m.Shoot = r.shootOf(ctx, live, shoot)
	credentials, err := read(ctx, live)
	switch {
	case access.IsUnusable(err):
		m.ExpiresAt = textOfTime(credentials.ExpiresAt)
		warn(r.Diags, err)
		return m
	case err == nil:
		ends = textOfTime(credentials.ExpiresAt)
	case r.Backend.Ledger.First("access", diagnose.Explain(err).Summary):
		warnUnread(r.Diags, err)
	}
	return m.granted(ends)
}

// shootOf is the Shoot behind the Cluster of a granted AccessRequest, by a list that others share; what was known of it where the Cluster
// cannot be read.
func (r *accessResource) shootOf(ctx context.Context, live *api.AccessRequest, known types.Object) types.Object {
	if known.IsUnknown() {
		known = types.ObjectNull(family.ShootTypes)
	}
	if live.Spec.ClusterRef == nil { // the operator writes it with the grant
		return known
	}
	cluster, err := r.API.Objects.Clusters.Read(ctx, *live.Spec.ClusterRef)
	if err != nil {
		return known
	}
	return family.ShootOf(cluster)
}

// Refresh is the state of an AccessRequest, and when its access ends.
func (r *accessResource) Refresh(ctx context.Context, state kept, live *api.AccessRequest) (kept, error) {
	m := state.Model
	if m.UID.IsNull() {
		m = m.imported(live)
	}
	m, err := m.refreshed(live)
	if err != nil {
		return state, err
	}
	if moved := r.API.Access.CheckCluster(ctx, live, r.API.Objects.Requests.Read); moved != nil {
		warnMoved(r.Diags, moved)
		now := r.as(m.seen(live))
		now.Place.Moved = true
		return now, nil
	}
	return r.as(r.withAccess(ctx, m, live, r.API.Access.Read, warnUnusable)), nil
}

// Update writes what differs, has the cluster provider look again where access cannot be used, and waits.
func (r *accessResource) Update(ctx context.Context, plan accessModel, state kept, live *api.AccessRequest) (*kept, error) {
	live, err := r.change(ctx, plan, state.Model, live)
	switch {
	case err != nil:
		return nil, err
	case plan.Granted.IsUnknown():
		return r.Settle(ctx, plan, live)
	case plan.AccessRequestID.IsUnknown() && plan.Granted.ValueBool(): // the plan did not know the platform cluster
		plan.AccessRequestID = plan.ID
	}
	now := r.as(plan) // nothing is waited for: what was planned stays until the next refresh
	return &now, nil
}

// change makes this AccessRequest what the plan says, where it is not. Where it says so already it is denied, or it is the Secret that
// cannot be used: the controllers are to look at it again.
func (r *accessResource) change(
	ctx context.Context, plan, state accessModel, live *api.AccessRequest,
) (_ *api.AccessRequest, err error) {
	name := state.Ref().String()
	if !plan.asksAs(state) || !plan.describesAs(state) {
		live, err = r.API.Access.Change(ctx, live, plan.wanted(), state.wanted())
		journal.LogRequest(ctx, "access changed", name, err)
		return live, err
	}
	if !plan.Granted.IsUnknown() || !access.IsGranted(live) && !access.IsDenied(live) {
		return live, nil
	}
	if access.IsDenied(live) && r.API.Access.Builtin { // the provider itself looks at it again
		return live, nil
	}
	if !access.IsDenied(live) {
		if _, err := r.API.Access.Read(ctx, live); !access.IsUnusable(err) {
			return live, nil
		}
	}
	live, err = r.API.Access.Renew(ctx, live)
	journal.LogRequest(ctx, "access shown to the controllers again", name, err)
	return live, err
}
