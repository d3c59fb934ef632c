package clusterrequest

import (
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/builtin"
	"github.com/hap-project/terraform-provider-hap/internal/provider/adrrequest"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
)

// Ref names the request.
func (m requestModel) Ref() api.Ref {
	return api.Ref{Namespace: m.Namespace.ValueString(), Name: m.Name.ValueString()}
}

// ObjectUID is the UID of the state.
func (m requestModel) ObjectUID() string { return m.UID.ValueString() }

// wanted is the request that the configuration wants.
func (m requestModel) wanted() builtin.Wanted {
	w := builtin.Wanted{
		Ref: m.Ref(), Purpose: m.Purpose.ValueString(), Labels: tfvalue.Texts(m.Labels), Annotations: tfvalue.Texts(m.Annotations),
	}
	if m.ofADR() {
		asked := m.ADRRequest()
		w.ADR = &asked
	}
	return w
}

// ofADR reports whether a configuration or a state is of a request that the built-in scheduler serves.
func (m requestModel) ofADR() bool { return !m.Purposes.IsNull() }

// sendsAs reports whether two configurations say the same of an existing request.
func (m requestModel) sendsAs(other requestModel) bool {
	return m.Labels.Equal(other.Labels) && m.Annotations.Equal(other.Annotations) && (!m.ofADR() || m.AsksAs(other.Model))
}

// protectsAlone reports whether a plan differs in deletion_protection from the state, and in nothing that an apply works for.
func (m requestModel) protectsAlone(state requestModel) bool {
	return !m.Protection.IsUnknown() && !m.Protection.Equal(state.Protection) && m.sendsAs(state) && m.ofADR() == state.ofADR() &&
		m.WaitFor.Equal(state.WaitFor)
}

// seen is the state of a request, and of its Cluster where that was seen; nil = it was not, and what was known of it stays.
func (m requestModel) seen(v view) requestModel {
	r, c := v.request, v.cluster
	before := m.computed
	m.Namespace, m.Name = types.StringValue(r.Namespace), types.StringValue(r.Name)
	m.ID, m.UID = types.StringValue(r.Ref().String()), types.StringValue(string(r.UID))
	m.computed = nothing()
	m.Phase = tfvalue.TextOrNull(r.Status.Phase)
	if builtin.IsLeaving(r) {
		m.Phase = types.StringValue(phaseLeaving)
	}
	if api.IsGranted(r) {
		m.Cluster = types.ObjectValueMust(clusterTypes, map[string]attr.Value{
			"namespace": types.StringValue(r.Status.Cluster.Namespace), "name": types.StringValue(r.Status.Cluster.Name),
		})
	}
	if c == nil {
		m.keep(before, v.lost, builtin.Serves(r))
		return m
	}
	m.ClusterPhase, m.Ready = tfvalue.TextOrNull(c.Status.Phase), types.BoolValue(api.IsReady(c))
	m.Tenancy, m.Tenants = types.StringValue(c.Spec.Tenancy), types.Int64Value(int64(len(api.Tenants(c))))
	m.Profile, m.ClusterProvider = types.StringValue(c.Spec.Profile), tfvalue.TextOrNull(c.Labels[api.ProviderLabel])
	m.KubernetesVersion = tfvalue.TextOrNull(c.Labels[api.VersionLabel])
	urls := map[string]string{}
	for _, e := range c.Status.Endpoints {
		urls[e.Name] = e.URL
	}
	m.Endpoints, m.Shoot = tfvalue.TextMap(urls), family.ShootOf(c)
	if v.prefix != nil {
		m.Prefix, m.PrefixSource = types.StringValue(*v.prefix), prefixSource(*v.prefix, c, string(r.UID))
	}
	return m
}

// prefixSource says where the prefix of a request comes from.
func prefixSource(prefix string, c *api.Cluster, uid string) types.String {
	grant, _ := api.GrantOf(c, uid)
	switch {
	case prefix == "":
		return types.StringNull()
	case grant.Recorded:
		return types.StringValue(prefixGranted)
	}
	return types.StringValue(prefixDerived)
}

// settled is what a grant settles for as long as the request lives, beside the Cluster itself.
func (c *computed) settled() []*types.String {
	return []*types.String{&c.Tenancy, &c.Profile, &c.ClusterProvider, &c.Prefix, &c.PrefixSource}
}

// keep takes over what was known of the same Cluster, which was not seen this time; of one that is lost only what is settled. The built-in
// scheduler may grant another prefix with the Cluster that comes in its place.
func (c *computed) keep(before computed, lost, builtin bool) {
	if c.Cluster.IsNull() || !c.Cluster.Equal(before.Cluster) {
		return
	}
	for i, text := range before.settled() {
		if !text.IsUnknown() {
			*c.settled()[i] = *text
		}
	}
	if lost && builtin {
		c.Prefix, c.PrefixSource = types.StringNull(), types.StringNull()
	}
	if lost || !tfvalue.Known(
		before.ClusterPhase, before.Ready, before.Tenants, before.KubernetesVersion, before.Endpoints, before.Shoot,
	) {
		return
	}
	c.ClusterPhase, c.Ready, c.Tenants = before.ClusterPhase, before.Ready, before.Tenants
	c.KubernetesVersion, c.Endpoints, c.Shoot = before.KubernetesVersion, before.Endpoints, before.Shoot
}

// asPlanned keeps what the plan has said: where it turned out otherwise, the next refresh says so.
func (m requestModel) asPlanned(plan requestModel) requestModel {
	if !plan.Cluster.IsUnknown() {
		m.Cluster = plan.Cluster
	}
	for i, text := range plan.settled() {
		if !text.IsUnknown() {
			*m.settled()[i] = *text
		}
	}
	if !plan.KubernetesVersion.IsUnknown() {
		m.KubernetesVersion = plan.KubernetesVersion
	}
	if !plan.Endpoints.IsUnknown() {
		m.Endpoints = plan.Endpoints
	}
	if !plan.Shoot.IsUnknown() {
		m.Shoot = plan.Shoot
	}
	return m
}

// nothing is what a request has that is not granted.
func nothing() computed {
	return computed{
		Phase: types.StringNull(), Cluster: types.ObjectNull(clusterTypes), ClusterPhase: types.StringNull(), Ready: types.BoolValue(false),
		Tenancy: types.StringNull(), Tenants: types.Int64Null(), Profile: types.StringNull(), ClusterProvider: types.StringNull(),
		KubernetesVersion: types.StringNull(), Endpoints: types.MapNull(types.StringType), Shoot: types.ObjectNull(family.ShootTypes),
		Prefix: types.StringNull(), PrefixSource: types.StringNull(),
	}
}

// unready is what stays as it is while the protection alone changes. What depends on a cluster that is ready stays unknown where it is not:
// the apply writes the protection, and a postcondition on ready fails after that.
func (c computed) unready() computed {
	if !c.Ready.ValueBool() {
		c.Ready, c.Shoot = types.BoolUnknown(), types.ObjectUnknown(family.ShootTypes)
	}
	return c
}

// awaited is what a request has of which an apply waits for more.
func awaited() computed {
	return computed{
		Phase: types.StringUnknown(), Cluster: types.ObjectUnknown(clusterTypes), ClusterPhase: types.StringUnknown(),
		Ready: types.BoolUnknown(), Tenancy: types.StringUnknown(), Tenants: types.Int64Unknown(), Profile: types.StringUnknown(),
		ClusterProvider: types.StringUnknown(), KubernetesVersion: types.StringUnknown(), Endpoints: types.MapUnknown(types.StringType),
		Shoot: types.ObjectUnknown(family.ShootTypes), Prefix: types.StringUnknown(), PrefixSource: types.StringUnknown(),
	}
}

// awaiting is what an existing request has of which an apply waits for more. What is settled stays known: what depends on it would
// be replaced otherwise. The Shoot of one that is not ready does not: hap_shoot_access opens in a plan that knows its name, and would fail.
func (c computed) awaiting() computed {
	more := awaited()
	if c.Cluster.IsNull() {
		return more
	}
	more.Cluster = c.Cluster
	for i, text := range c.settled() {
		if !text.IsNull() {
			*more.settled()[i] = *text
		}
	}
	if !c.Prefix.IsNull() { // that of an exclusive Cluster has no source
		more.PrefixSource = c.PrefixSource
	}
	if len(c.Endpoints.Elements()) > 0 { // they are those of this very Cluster: of one that is lost there are none
		more.Endpoints = c.Endpoints
	}
	if !c.KubernetesVersion.IsNull() {
		more.KubernetesVersion = c.KubernetesVersion
	}
	return more
}

// has reports whether a request has what the configuration waits for.
func (m requestModel) has(wanted string) bool {
	switch wanted {
	case waitReady:
		return m.Ready.ValueBool()
	case waitGranted:
		return m.Phase.ValueString() == api.Granted && !m.Tenants.IsNull() // null where its Cluster is lost
	}
	return true
}

// imported is the state of a request that no state knew.
func (m requestModel) imported(r *api.ClusterRequest) requestModel {
	m.Purpose, m.Model = types.StringValue(r.Spec.Purpose), adrrequest.None()
	if asked, err := builtin.ADRRequestOf(r); err == nil && !builtin.HandedOver(r) {
		m.Model = adrrequest.Of(asked)
	}
	m.Labels, m.Annotations = types.MapNull(types.StringType), types.MapNull(types.StringType)
	m.Protection, m.WaitFor = types.BoolValue(true), types.StringValue(waitReady)
	return m
}
