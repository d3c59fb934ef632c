package cluster

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/clusters"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
)

// Ref names the Cluster.
func (m clusterModel) Ref() api.Ref {
	return api.Ref{Namespace: m.Namespace.ValueString(), Name: m.Name.ValueString()}
}

// ObjectUID is the UID of the state.
func (m clusterModel) ObjectUID() string { return m.UID.ValueString() }

// wanted is the Cluster that the configuration wants.
func (m clusterModel) wanted() clusters.Wanted {
	purposes := textsOf(m.Purposes.Elements())
	slices.Sort(purposes)
	return clusters.Wanted{
		Ref: m.Ref(), Profile: m.Profile.ValueString(), Tenancy: m.Tenancy.ValueString(), Version: m.Version.ValueString(),
		Purposes: purposes, Configs: textsOf(m.ConfigRefs.Elements()),
		Labels: tfvalue.Texts(m.Labels), Annotations: tfvalue.Texts(m.Annotations), Protected: m.Protection.ValueBool(),
	}
}

func textsOf(values []attr.Value) (texts []string) {
	for _, value := range values {
		if text, ok := value.(types.String); ok {
			texts = append(texts, text.ValueString())
		}
	}
	return texts
}

// specifies reports whether two configurations say the same of the spec of a Cluster, which its provider goes by.
func (m clusterModel) specifies(other clusterModel) bool {
	return m.Purposes.Equal(other.Purposes) && m.Tenancy.Equal(other.Tenancy) && m.Version.Equal(other.Version) &&
		m.ConfigRefs.Equal(other.ConfigRefs)
}

// sendsAs reports whether two configurations say the same of an existing Cluster.
func (m clusterModel) sendsAs(other clusterModel) bool {
	return m.specifies(other) && m.Labels.Equal(other.Labels) && m.Annotations.Equal(other.Annotations)
}

// protectsAlone reports whether a plan differs in deletion_protection from the state, and in nothing that an apply works for.
func (m clusterModel) protectsAlone(state clusterModel) bool {
	return !m.Protection.IsUnknown() && !m.Protection.Equal(state.Protection) && m.sendsAs(state) && m.WaitFor.Equal(state.WaitFor)
}

// seen is the state of a Cluster with what others report of it.
func (m clusterModel) seen(c *api.Cluster) clusterModel {
	m.Namespace, m.Name = types.StringValue(c.Namespace), types.StringValue(c.Name)
	m.ID, m.UID = types.StringValue(c.Ref().String()), types.StringValue(string(c.UID))
	m.Phase, m.Ready = tfvalue.TextOrNull(c.Status.Phase), types.BoolValue(api.IsReady(c))
	conditions, urls := map[string]string{}, map[string]string{}
	for _, one := range c.Status.Conditions {
		conditions[one.Type] = string(one.Status)
	}
	for _, e := range c.Status.Endpoints {
		urls[e.Name] = e.URL
	}
	m.Conditions, m.Endpoints = tfvalue.TextMap(conditions), tfvalue.TextMap(urls)
	m.RunningVersion, m.Shoot = tfvalue.TextOrNull(c.Labels[api.VersionLabel]), family.ShootOf(c)
	m.Requests = holders(api.Grants(c))
	return m
}

// holders are the requests that hold a Cluster.
func holders(grants []api.Grant) types.List {
	all := make([]attr.Value, len(grants))
	for i, g := range grants {
		prefix := types.StringNull()
		if g.Recorded {
			prefix = types.StringValue(g.Prefix)
		}
		all[i] = types.ObjectValueMust(holderTypes, map[string]attr.Value{
			"namespace": tfvalue.TextOrNull(g.Request.Namespace), "name": tfvalue.TextOrNull(g.Request.Name),
			"uid": types.StringValue(g.UID), "prefix": prefix,
		})
	}
	return types.ListValueMust(holderType, all)
}

// refreshed is the state of a Cluster without what of the configuration is not on it any more. What others have added is none of its
// business.
func (m clusterModel) refreshed(c *api.Cluster) clusterModel {
	m.Profile, m.Tenancy = types.StringValue(c.Spec.Profile), types.StringValue(c.Spec.Tenancy)
	if !m.Purposes.IsNull() {
		m.Purposes = tfvalue.TextSet(slices.DeleteFunc(slices.Clone(c.Spec.Purposes), func(purpose string) bool {
			return !slices.Contains(textsOf(m.Purposes.Elements()), purpose)
		}))
	}
	if !m.Version.IsNull() {
		m.Version = tfvalue.TextOrNull(c.Spec.Kubernetes.Version)
	}
	if !m.ConfigRefs.IsNull() {
		m.ConfigRefs = configRefs(c)
	}
	m.Labels, m.Annotations = tfvalue.Standing(m.Labels, c.Labels), tfvalue.Standing(m.Annotations, c.Annotations)
	return m
}

// imported is the state of a Cluster that no state knew: its whole spec, and none of its labels and annotations.
func (m clusterModel) imported(c *api.Cluster) clusterModel {
	m.Purposes, m.ConfigRefs = tfvalue.TextSet(c.Spec.Purposes), configRefs(c)
	if len(c.Spec.Purposes) == 0 {
		m.Purposes = types.SetNull(types.StringType)
	}
	m.Version = tfvalue.TextOrNull(c.Spec.Kubernetes.Version)
	m.Labels, m.Annotations = types.MapNull(types.StringType), types.MapNull(types.StringType)
	m.Protection, m.WaitFor = types.BoolValue(true), types.StringValue(waitReady)
	return m
}

func configRefs(c *api.Cluster) types.List {
	if len(c.Spec.ClusterConfigs) == 0 {
		return types.ListNull(types.StringType)
	}
	names := make([]string, len(c.Spec.ClusterConfigs))
	for i, ref := range c.Spec.ClusterConfigs {
		names[i] = ref.Name
	}
	return tfvalue.TextList(names)
}

// unready is what stays as it is while the protection alone changes. What depends on a cluster that is ready stays unknown where it is not:
// the apply writes the protection, and a postcondition on ready fails after that.
func (c computed) unready() computed {
	if !c.Ready.ValueBool() {
		c.Ready, c.Shoot = types.BoolUnknown(), types.ObjectUnknown(family.ShootTypes)
	}
	return c
}

// awaited is what a Cluster has that is to be made.
func awaited() computed {
	return computed{
		Phase: types.StringUnknown(), Ready: types.BoolUnknown(), Conditions: types.MapUnknown(types.StringType),
		Endpoints: types.MapUnknown(types.StringType), RunningVersion: types.StringUnknown(), Requests: types.ListUnknown(holderType),
		Shoot: types.ObjectUnknown(family.ShootTypes),
	}
}

// awaiting is what an existing Cluster has of which an apply waits for more. What it has already stays known: what depends on it would be
// replaced otherwise. The Shoot of one that is not ready does not: hap_shoot_access opens in a plan that knows its name, and would fail.
func (c computed) awaiting(anotherVersion bool) computed {
	more := awaited()
	more.Requests = c.Requests
	if len(c.Endpoints.Elements()) > 0 {
		more.Endpoints = c.Endpoints
	}
	if c.Ready.ValueBool() {
		more.Shoot = c.Shoot
	}
	if !c.RunningVersion.IsNull() && !anotherVersion {
		more.RunningVersion = c.RunningVersion
	}
	return more
}

// asPlanned keeps what the plan has said: where it turned out otherwise, the next refresh says so.
func (m clusterModel) asPlanned(plan clusterModel) clusterModel {
	if !plan.Endpoints.IsUnknown() {
		m.Endpoints = plan.Endpoints
	}
	if !plan.RunningVersion.IsUnknown() {
		m.RunningVersion = plan.RunningVersion
	}
	if !plan.Requests.IsUnknown() {
		m.Requests = plan.Requests
	}
	if !plan.Shoot.IsUnknown() {
		m.Shoot = plan.Shoot
	}
	return m
}
