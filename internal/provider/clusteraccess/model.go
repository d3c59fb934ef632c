package clusteraccess

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp/access"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
)

// Ref names the AccessRequest.
func (m accessModel) Ref() api.Ref {
	return api.Ref{Namespace: m.Namespace.ValueString(), Name: m.Name.ValueString()}
}

// ObjectUID is the UID of the state.
func (m accessModel) ObjectUID() string { return m.UID.ValueString() }

// refOf is what a reference leads to from a namespace; nil = it is null.
func refOf(ref types.Object, namespace string) *api.Ref {
	if ref.IsNull() || ref.IsUnknown() {
		return nil
	}
	var to struct {
		Namespace types.String `tfsdk:"namespace"`
		Name      types.String `tfsdk:"name"`
	}
	_ = ref.As(context.Background(), &to, basetypes.ObjectAsOptions{}) // both have the types of refTypes
	found := api.Ref{Namespace: namespace, Name: to.Name.ValueString()}
	if !to.Namespace.IsNull() {
		found.Namespace = to.Namespace.ValueString()
	}
	return &found
}

// wanted is the AccessRequest that the configuration wants.
func (m accessModel) wanted() access.Wanted {
	at := m.Namespace.ValueString()
	return access.Wanted{
		Ref: m.Ref(), ClusterRef: refOf(m.ClusterRef, at), RequestRef: refOf(m.RequestRef, at),
		Token: textOf(m.Token), OIDC: textOf(m.OIDC), Labels: tfvalue.Texts(m.Labels), Annotations: tfvalue.Texts(m.Annotations),
	}
}

// asksAs reports whether two configurations surely ask for the same access.
func (m accessModel) asksAs(other accessModel) bool {
	return tfvalue.Known(m.Token, m.OIDC) && sameText(textOf(m.Token), textOf(other.Token)) && sameText(textOf(m.OIDC), textOf(other.OIDC))
}

// describesAs reports whether two configurations describe an AccessRequest alike.
func (m accessModel) describesAs(other accessModel) bool {
	return m.Labels.Equal(other.Labels) && m.Annotations.Equal(other.Annotations)
}

// seen is the state of an AccessRequest as the server has it. What it was granted is still to be looked at.
func (m accessModel) seen(r *api.AccessRequest) accessModel {
	m.Namespace, m.Name = types.StringValue(r.Namespace), types.StringValue(r.Name)
	m.ID, m.UID = types.StringValue(r.Ref().String()), types.StringValue(string(r.UID))
	m.computed = computed{
		Phase: tfvalue.TextOrNull(r.Status.Phase), Granted: types.BoolValue(false), SecretRef: types.ObjectNull(refTypes),
		ExpiresAt: types.StringNull(), AccessRequestID: types.StringNull(), Shoot: types.ObjectNull(family.ShootTypes),
	}
	if ref := r.Status.SecretRef; ref != nil && ref.Name != "" {
		m.SecretRef = objectOf(types.StringValue(r.Namespace), ref.Name)
	}
	return m
}

// granted is the state of an AccessRequest whose access can be used.
func (m accessModel) granted(expires types.String) accessModel {
	m.Granted, m.AccessRequestID, m.ExpiresAt = types.BoolValue(true), m.ID, expires
	return m
}

// awaited is what an AccessRequest has of which an apply waits for more.
func awaited() computed {
	return computed{
		Phase: types.StringUnknown(), Granted: types.BoolUnknown(), SecretRef: types.ObjectUnknown(refTypes),
		ExpiresAt: types.StringUnknown(), AccessRequestID: types.StringUnknown(), Shoot: types.ObjectUnknown(family.ShootTypes),
	}
}

func objectOf(namespace types.String, name string) types.Object {
	return types.ObjectValueMust(refTypes, map[string]attr.Value{"namespace": namespace, "name": types.StringValue(name)})
}

// textOfTime is a time as an attribute has it; null = there is none.
func textOfTime(t time.Time) types.String {
	if t.IsZero() {
		return types.StringNull()
	}
	return types.StringValue(t.UTC().Format(time.RFC3339))
}

// refreshed takes over what another party has changed of what the configuration says.
func (m accessModel) refreshed(r *api.AccessRequest) (accessModel, error) {
	var err error
	if m.Token, err = asSeen(m.Token, r.Spec.Token); err != nil {
		return m, err
	}
	if m.OIDC, err = asSeen(m.OIDC, r.Spec.OIDC); err != nil {
		return m, err
	}
	m.Labels, m.Annotations = tfvalue.Standing(m.Labels, r.Labels), tfvalue.Standing(m.Annotations, r.Annotations)
	return m, nil
}

// imported is the state of an AccessRequest that no state knew. A request_ref stays one: the operator adds the Cluster that it found. Its
// namespace is left out where it is the request's own; that of a cluster_ref is not, as the attribute cluster of a
// hap_cluster_request has it.
func (m accessModel) imported(r *api.AccessRequest) accessModel {
	m.ClusterRef, m.RequestRef = types.ObjectNull(refTypes), types.ObjectNull(refTypes)
	switch {
	case r.Spec.RequestRef != nil:
		namespace := types.StringValue(r.Spec.RequestRef.Namespace)
		if r.Spec.RequestRef.Namespace == r.Namespace {
			namespace = types.StringNull()
		}
		m.RequestRef = objectOf(namespace, r.Spec.RequestRef.Name)
	case r.Spec.ClusterRef != nil:
		m.ClusterRef = objectOf(types.StringValue(r.Spec.ClusterRef.Namespace), r.Spec.ClusterRef.Name)
	}
	m.Labels, m.Annotations = types.MapNull(types.StringType), types.MapNull(types.StringType)
	m.WaitFor = types.StringValue(waitGranted)
	return m
}
