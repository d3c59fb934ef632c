package shoot

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/hap-project/terraform-provider-hap/internal/garden"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
	"github.com/hap-project/terraform-provider-hap/internal/shoots"
)

// cluster is the Cluster that the Shoot is to be of; zero = of none, or it is not known yet.
func (m shootModel) cluster() api.Ref {
	var ref clusterRefModel
	_ = m.ClusterRef.As(context.Background(), &ref, basetypes.ObjectAsOptions{UnhandledNullAsEmpty: true, UnhandledUnknownAsEmpty: true})
	return api.Ref{Namespace: ref.Namespace.ValueString(), Name: ref.Name.ValueString()}
}

// wanted is the Shoot that the configuration wants.
//
// Errors: [shoots.TemplateError], [shoots.ReservedError].
func (m shootModel) wanted(kind garden.Kind) (shoots.Wanted, error) {
	template, err := shoots.ReadTemplate(m.Template.ValueString())
	if err != nil {
		return shoots.Wanted{Name: m.Name.ValueString()}, err
	}
	ref := m.cluster()
	field := "credentialsBindingName"
	if kind == garden.SecretBinding {
		field = "secretBindingName"
	}
	w := shoots.Wanted{
		Name: m.Name.ValueString(), Template: template, Account: m.CredentialsBindingName.ValueString(), AccountField: field,
		Labels: tfvalue.Texts(m.Labels), Annotations: tfvalue.Texts(m.Annotations),
		ClusterNamespace: ref.Namespace, ClusterName: ref.Name, Protected: m.DeletionProtection.ValueBool(),
	}
	return w, w.Check()
}

// before is the Shoot that the state wanted; what the configuration wants now where the state cannot be read any more.
func (m shootModel) before(kind garden.Kind, now shoots.Wanted, at place) shoots.Wanted {
	if w, err := m.wanted(kind); err == nil {
		w.Imported = at.Imported
		return w
	}
	return now
}

// sendsAs reports whether two configurations send the same.
func (m shootModel) sendsAs(other shootModel) bool {
	return m.Template.Equal(other.Template) && m.Labels.Equal(other.Labels) && m.Annotations.Equal(other.Annotations) &&
		m.ClusterRef.Equal(other.ClusterRef)
}

// known reports whether all that is sent is known.
func (m shootModel) known() bool {
	return tfvalue.Known(m.Name, m.Template, m.CredentialsBindingName, m.Labels, m.Annotations, m.ClusterRef)
}

// seen is the state of a Shoot as it was seen last. The authority of its certificate stays.
func (m shootModel) seen(s shoots.Shoot) shootModel {
	m.ID = types.StringValue(s.Namespace + "/" + s.Name)
	m.UID, m.TechnicalID, m.Seed = types.StringValue(s.UID), tfvalue.TextOrNull(s.TechnicalID), tfvalue.TextOrNull(s.Seed)
	m.KubernetesVersion = types.StringValue(s.KubernetesVersion)
	m.Workerless, m.Hibernated, m.Ready = types.BoolValue(s.Workerless), types.BoolValue(s.Hibernated), types.BoolValue(s.Status.Ready)
	m.AccessName = types.StringNull()
	if s.Status.Ready {
		m.AccessName = types.StringValue(s.Name)
	}
	m.APIServerURLs, m.Conditions = tfvalue.TextMap(s.Addresses), tfvalue.TextMap(s.Conditions)
	if m.CACertificate.IsUnknown() {
		m.CACertificate = types.StringNull()
	}
	return m
}

// imported is the state of a Shoot that no state knew.
func (m shootModel) imported(s shoots.Shoot) shootModel {
	m.Name, m.Template = types.StringValue(s.Name), types.StringValue(s.Template())
	m.CredentialsBindingName, m.GlobalAccount = tfvalue.TextOrNull(s.Account), types.StringNull()
	m.Labels, m.Annotations = types.MapNull(types.StringType), types.MapNull(types.StringType)
	m.ClusterRef = types.ObjectNull(clusterRefTypes)
	if of := s.OurCluster(); of != (shoots.Cluster{}) {
		m.ClusterRef = types.ObjectValueMust(clusterRefTypes, map[string]attr.Value{
			"namespace": types.StringValue(of.Namespace), "name": types.StringValue(of.Name)})
	}
	m.DeletionProtection = types.BoolValue(true)
	m.OnImmutableChange, m.WaitFor = types.StringValue(immutableError), types.StringValue(waitReady)
	m.CACertificate = types.StringNull()
	return m.seen(s)
}

// reached plans what a change reaches as unknown, and all else as the state has it: what depends on it would be replaced otherwise. An
// apply that waits shows more than that of a cluster that is not ready yet.
func (m *shootModel) reached(state shootModel, by shoots.Reach) {
	m.keep(state)
	m.Ready, m.Conditions = types.BoolUnknown(), types.MapUnknown(types.StringType)
	if !state.Ready.ValueBool() { // else what is inside goes on being reached
		m.AccessName = types.StringUnknown()
	}
	if by.Hibernation || !state.Ready.ValueBool() {
		m.Hibernated = types.BoolUnknown()
	}
	if by.Version || state.KubernetesVersion.IsNull() {
		m.KubernetesVersion = types.StringUnknown()
	}
	if by.Addresses || len(state.APIServerURLs.Elements()) == 0 {
		m.APIServerURLs = types.MapUnknown(types.StringType)
	}
	for _, once := range []*types.String{&m.TechnicalID, &m.Seed, &m.CACertificate} {
		if once.IsNull() {
			*once = types.StringUnknown()
		}
	}
}

// asPlanned keeps what the plan has said: where another party has changed it meanwhile, the next refresh says so.
func (m shootModel) asPlanned(plan shootModel) shootModel {
	for is, planned := range map[*types.String]types.String{
		&m.TechnicalID: plan.TechnicalID, &m.Seed: plan.Seed, &m.KubernetesVersion: plan.KubernetesVersion,
		&m.AccessName: plan.AccessName, &m.CACertificate: plan.CACertificate,
	} {
		if !planned.IsUnknown() {
			*is = planned
		}
	}
	m.Workerless = plan.Workerless // no change of a cluster changes it
	if !plan.Hibernated.IsUnknown() {
		m.Hibernated = plan.Hibernated
	}
	if !plan.APIServerURLs.IsUnknown() {
		m.APIServerURLs = plan.APIServerURLs
	}
	return m
}

// keep plans what the state has, where nothing of it is going to change.
func (m *shootModel) keep(state shootModel) {
	m.KubernetesVersion, m.AccessName, m.CACertificate = state.KubernetesVersion, state.AccessName, state.CACertificate
	m.Seed, m.TechnicalID = state.Seed, state.TechnicalID
	m.Workerless, m.Hibernated, m.Ready = state.Workerless, state.Hibernated, state.Ready
	m.APIServerURLs, m.Conditions = state.APIServerURLs, state.Conditions
}
