package clusterrequest

import (
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
)

func (m requestModel) ref() openmcp.Ref {
	return openmcp.Ref{Namespace: m.Namespace.ValueString(), Name: m.Name.ValueString()}
}

// wanted is the request that the configuration wants.
func (m requestModel) wanted() openmcp.WantedRequest {
	return openmcp.WantedRequest{
		Ref: m.ref(), Purpose: m.Purpose.ValueString(), Labels: tfvalue.Texts(m.Labels), Annotations: tfvalue.Texts(m.Annotations),
	}
}

// sendsAs reports whether two configurations say the same of a request that stands.
func (m requestModel) sendsAs(other requestModel) bool {
	return m.Labels.Equal(other.Labels) && m.Annotations.Equal(other.Annotations)
}

// seen is the state of a request, and of its Cluster where that was seen; nil = it was not.
func (m requestModel) seen(v view) requestModel {
	r, c := v.request, v.cluster
	m.Namespace, m.Name = types.StringValue(r.Namespace), types.StringValue(r.Name)
	m.ID, m.UID = types.StringValue(r.Ref().String()), types.StringValue(string(r.UID))
	m.computed = nothing()
	m.Phase = tfvalue.TextOrNull(r.Status.Phase)
	if openmcp.IsGranted(r) {
		m.Cluster = types.ObjectValueMust(clusterTypes, map[string]attr.Value{
			"namespace": types.StringValue(r.Status.Cluster.Namespace), "name": types.StringValue(r.Status.Cluster.Name),
		})
	}
	if c == nil {
		return m
	}
	m.ClusterPhase, m.Ready = tfvalue.TextOrNull(c.Status.Phase), types.BoolValue(openmcp.IsReady(c))
	m.Tenancy, m.Tenants = types.StringValue(c.Spec.Tenancy), types.Int64Value(int64(len(openmcp.Tenants(c))))
	m.Profile, m.ClusterProvider = types.StringValue(c.Spec.Profile), tfvalue.TextOrNull(c.Labels[openmcp.ProviderLabel])
	m.KubernetesVersion = tfvalue.TextOrNull(c.Labels[openmcp.VersionLabel])
	urls := map[string]string{}
	for _, e := range c.Status.Endpoints {
		urls[e.Name] = e.URL
	}
	m.Endpoints = tfvalue.TextMap(urls)
	if v.prefix != nil {
		m.Prefix = types.StringValue(*v.prefix)
		if *v.prefix != "" {
			m.PrefixSource = types.StringValue(prefixDerived)
		}
	}
	return m
}

// nothing is what a request has that is not granted.
func nothing() computed {
	return computed{
		Phase: types.StringNull(), Cluster: types.ObjectNull(clusterTypes), ClusterPhase: types.StringNull(), Ready: types.BoolValue(false),
		Tenancy: types.StringNull(), Tenants: types.Int64Null(), Profile: types.StringNull(), ClusterProvider: types.StringNull(),
		KubernetesVersion: types.StringNull(), Endpoints: types.MapNull(types.StringType),
		Prefix: types.StringNull(), PrefixSource: types.StringNull(),
	}
}

// awaited is what a request has of which an apply waits for more.
func awaited() computed {
	return computed{
		Phase: types.StringUnknown(), Cluster: types.ObjectUnknown(clusterTypes), ClusterPhase: types.StringUnknown(),
		Ready: types.BoolUnknown(), Tenancy: types.StringUnknown(), Tenants: types.Int64Unknown(), Profile: types.StringUnknown(),
		ClusterProvider: types.StringUnknown(), KubernetesVersion: types.StringUnknown(), Endpoints: types.MapUnknown(types.StringType),
		Prefix: types.StringUnknown(), PrefixSource: types.StringUnknown(),
	}
}

// has reports whether a request has what the configuration waits for.
func (m requestModel) has(wanted string) bool {
	switch wanted {
	case waitReady:
		return m.Ready.ValueBool()
	case waitGranted:
		return m.Phase.ValueString() == openmcp.Granted
	}
	return true
}

// imported is the state of a request that no state knew.
func (m requestModel) imported() requestModel {
	m.Labels, m.Annotations = types.MapNull(types.StringType), types.MapNull(types.StringType)
	m.WaitFor = types.StringValue(waitReady)
	return m
}
