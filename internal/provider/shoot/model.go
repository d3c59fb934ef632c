package shoot

import (
	"context"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
	"github.com/hap-project/terraform-provider-hap/internal/shoots"
)

// wanted is the Shoot that the configuration wants.
func (m shootModel) wanted(template shoots.Template, accountField string) shoots.Wanted {
	var ref clusterRefModel
	_ = m.ClusterRef.As(context.Background(), &ref, basetypes.ObjectAsOptions{UnhandledNullAsEmpty: true, UnhandledUnknownAsEmpty: true})
	return shoots.Wanted{
		Name: m.Name.ValueString(), Template: template, Account: m.CredentialsBindingName.ValueString(), AccountField: accountField,
		Labels: texts(m.Labels), Annotations: texts(m.Annotations),
		ClusterNamespace: ref.Namespace.ValueString(), ClusterName: ref.Name.ValueString(),
	}
}

func texts(m types.Map) map[string]string {
	all := map[string]string{}
	for key, value := range m.Elements() {
		if text, ok := value.(types.String); ok {
			all[key] = text.ValueString()
		}
	}
	return all
}

// seen is the state of a Shoot as it was seen last.
func (m shootModel) seen(shoot *gardencore.Shoot, ca string) shootModel {
	status := shoots.StatusOf(shoot)
	m.ID = types.StringValue(shoot.Namespace + "/" + shoot.Name)
	m.UID, m.TechnicalID = types.StringValue(string(shoot.UID)), tfvalue.TextOrNull(shoot.Status.TechnicalID)
	m.Seed = types.StringPointerValue(shoot.Status.SeedName)
	m.KubernetesVersion = types.StringValue(shoot.Spec.Kubernetes.Version)
	m.Workerless = types.BoolValue(len(shoot.Spec.Provider.Workers) == 0)
	m.Hibernated, m.Ready = types.BoolValue(shoot.Status.IsHibernated), types.BoolValue(status.Ready)
	m.AccessName = types.StringNull()
	if status.Ready {
		m.AccessName = types.StringValue(shoot.Name)
	}
	urls, conditions := map[string]attr.Value{}, map[string]attr.Value{}
	for _, a := range shoot.Status.AdvertisedAddresses {
		urls[a.Name] = types.StringValue(a.URL)
	}
	for _, c := range shoot.Status.Conditions {
		conditions[string(c.Type)] = types.StringValue(string(c.Status))
	}
	m.APIServerURLs, m.Conditions = types.MapValueMust(types.StringType, urls), types.MapValueMust(types.StringType, conditions)
	m.CACertificate = tfvalue.TextOrNull(ca)
	return m
}
