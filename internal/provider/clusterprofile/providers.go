package clusterprofile

import (
	"cmp"
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/provider/connection"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
)

// providers lists the cluster providers of a platform cluster.
var providers = family.DataSource[providersModel]{Type: "cluster_providers", Schema: providersSchema, Read: readProviders}

type providersModel struct {
	Providers []providerModel `tfsdk:"providers"`
}

type providerModel struct {
	Name       types.String           `tfsdk:"name"`
	Ready      types.Bool             `tfsdk:"ready"`
	Phase      types.String           `tfsdk:"phase"`
	Conditions []conditionModel       `tfsdk:"conditions"`
	Profiles   []providerProfileModel `tfsdk:"profiles"`
}

type conditionModel struct {
	Type    types.String `tfsdk:"type"`
	Status  types.String `tfsdk:"status"`
	Reason  types.String `tfsdk:"reason"`
	Message types.String `tfsdk:"message"`
}

type providerProfileModel struct {
	Name     types.String   `tfsdk:"name"`
	Versions []versionModel `tfsdk:"versions"`
}

func providersSchema(context.Context) schema.Schema {
	return schema.Schema{
		MarkdownDescription: "The cluster providers that are installed on a platform cluster of openMCP, whether they run, and which profiles " +
			"each has published: why a profile is not there, and a `Cluster` of it does not become ready. It needs the rights of " +
			"`examples/rbac/platform.yaml` there.",
		Attributes: map[string]schema.Attribute{
			"providers": tfvalue.ComputedList("The `ClusterProvider` objects, by their names.", map[string]schema.Attribute{
				"name": tfvalue.ComputedText("Its name: the second part of the names of its profiles."),
				"ready": tfvalue.ComputedBool("Whether the operator has installed it as it is now: its phase is `Ready`. One that is not " +
					"publishes nothing new."),
				"phase": tfvalue.ComputedText("Its phase, such as `Ready` or `Progressing`; null where the operator has not processed it."),
				"conditions": tfvalue.ComputedList("Its conditions, by their types.", map[string]schema.Attribute{
					"type": tfvalue.ComputedText("What it is about."), "status": tfvalue.ComputedText("`True`, `False` or `Unknown`."),
					"reason":  tfvalue.ComputedText("The reason in one word; null where there is none."),
					"message": tfvalue.ComputedText("The reason in a sentence; null where there is none."),
				}),
				"profiles": tfvalue.ComputedList("The profiles that it has published, by their names; `hap_cluster_profiles` has more of them. "+
					"Empty where it has published none: it does not run, or has no configuration, or one that is wrong, as the conditions of the "+
					"`ProviderConfig` say.", map[string]schema.Attribute{
					"name": tfvalue.ComputedText("The name of the `ClusterProfile`."),
					"versions": tfvalue.ComputedList("The Kubernetes versions that it lists, the newest first.", map[string]schema.Attribute{
						"version":    tfvalue.ComputedText("The version."),
						"deprecated": tfvalue.ComputedBool("Whether the provider deprecates it."),
					}),
				}),
			}),
		},
	}
}

func readProviders(ctx context.Context, call *family.Call, m *providersModel) {
	if err := m.read(ctx, call.Backend.Platform); err != nil {
		diagnose.Report(call.Diags, call.Backend.Platform.Attempt("Listing the cluster providers"), err)
	}
}

func (m *providersModel) read(ctx context.Context, of *connection.Platform) error {
	platform, err := of.API()
	if err != nil {
		return err
	}
	all, err := platform.Objects.Providers.All(ctx)
	if err != nil {
		return err
	}
	profiles, err := platform.Objects.Profiles.All(ctx)
	if err != nil {
		return err
	}
	slices.SortFunc(all, func(a, b *api.ClusterProvider) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortFunc(profiles, func(a, b *api.ClusterProfile) int { return cmp.Compare(a.Name, b.Name) })
	m.Providers = make([]providerModel, len(all))
	for i, p := range all {
		m.Providers[i] = shownProvider(p, profiles)
	}
	return nil
}

// shownProvider is a cluster provider as the data source shows it, with those of the profiles that it has published.
func shownProvider(p *api.ClusterProvider, profiles []*api.ClusterProfile) providerModel {
	m := providerModel{
		Name: types.StringValue(p.Name), Phase: tfvalue.TextOrNull(p.Status.Phase),
		Ready:      types.BoolValue(p.Status.Phase == api.Ready && p.Status.ObservedGeneration == p.Generation && p.DeletionTimestamp == nil),
		Conditions: make([]conditionModel, len(p.Status.Conditions)), Profiles: []providerProfileModel{},
	}
	for i, c := range p.Status.Conditions {
		m.Conditions[i] = conditionModel{
			types.StringValue(c.Type), types.StringValue(string(c.Status)), tfvalue.TextOrNull(c.Reason), tfvalue.TextOrNull(c.Message),
		}
	}
	slices.SortFunc(m.Conditions, func(a, b conditionModel) int { return cmp.Compare(a.Type.ValueString(), b.Type.ValueString()) })
	for _, profile := range profiles {
		if profile.Spec.ProviderRef.Name == p.Name {
			m.Profiles = append(m.Profiles, providerProfileModel{types.StringValue(profile.Name), versionsOf(profile)})
		}
	}
	return m
}
