package clusterprofile

import (
	"cmp"
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/configs"
	"github.com/hap-project/terraform-provider-hap/internal/provider/connection"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
)

// profiles lists the profiles of a platform cluster.
var profiles = family.DataSource[profilesModel]{Type: "cluster_profiles", Schema: profilesSchema, Read: readProfiles}

type profilesModel struct {
	Profiles []profileModel `tfsdk:"profiles"`
}

type profileModel struct {
	Name           types.String   `tfsdk:"name"`
	Provider       types.String   `tfsdk:"provider"`
	ProviderConfig types.String   `tfsdk:"provider_config"`
	Versions       []versionModel `tfsdk:"versions"`
	Traits         types.List     `tfsdk:"traits"`
	Account        types.String   `tfsdk:"credentials_binding_name"`
}

type versionModel struct {
	Version    types.String `tfsdk:"version"`
	Deprecated types.Bool   `tfsdk:"deprecated"`
}

func profilesSchema(context.Context) schema.Schema {
	return schema.Schema{
		MarkdownDescription: "The profiles that the cluster providers of a platform cluster of openMCP offer, with what is known of the " +
			"clusters that are made by them. It needs the rights of `examples/rbac/platform.yaml` there.",
		Attributes: map[string]schema.Attribute{
			"profiles": tfvalue.ComputedList("The profiles, by their names.", map[string]schema.Attribute{
				"name":            tfvalue.ComputedText("The name of the `ClusterProfile`: `<environment>.<provider>.<configuration>`."),
				"provider":        tfvalue.ComputedText("The cluster provider that offers it."),
				"provider_config": tfvalue.ComputedText("The provider's configuration behind it."),
				"versions": tfvalue.ComputedList("The Kubernetes versions that it offers, the newest first.", map[string]schema.Attribute{
					"version":    tfvalue.ComputedText("The version."),
					"deprecated": tfvalue.ComputedBool("Whether the provider deprecates it."),
				}),
				"traits": schema.ListAttribute{Computed: true, ElementType: types.StringType,
					MarkdownDescription: "What its clusters have, in the words of the Cluster API's proposal: `infrastructure/vendor/<type>`, and " +
						"`kubernetes.io/apis/compute` where they have workers, else `cluster.openmcp.cloud/workerless`. They are read from the Shoot " +
						"template of a Gardener `ProviderConfig`, and `traits` of `hap_gardener_provider_config` are among them; null where there is " +
						"none, or it may not be read. No operator knows traits."},
				"credentials_binding_name": tfvalue.ComputedText("The account that its clusters come to, from the same template; null where it names " +
					"none, or cannot be read."),
			}),
		},
	}
}

func readProfiles(ctx context.Context, call *family.Call, m *profilesModel) {
	if err := m.read(ctx, call.Backend.Platform); err != nil {
		diagnose.Report(call.Diags, call.Backend.Platform.Attempt("Listing the profiles of clusters"), err)
	}
}

func (m *profilesModel) read(ctx context.Context, of *connection.Platform) error {
	platform, err := of.API()
	if err != nil {
		return err
	}
	all, err := platform.Objects.Profiles.All(ctx)
	if err != nil {
		return err
	}
	facts, err := factsOf(ctx, platform)
	if err != nil {
		return err
	}
	slices.SortFunc(all, func(a, b *api.ClusterProfile) int { return cmp.Compare(a.Name, b.Name) })
	m.Profiles = make([]profileModel, len(all))
	for i, p := range all {
		m.Profiles[i] = shown(p, facts)
	}
	return nil
}

// factsOf reads the configurations of the Gardener cluster provider; none where there are none, or they may not be read.
func factsOf(ctx context.Context, platform *openmcp.Platform) (map[configs.ConfigKey]configs.ShootFacts, error) {
	facts, err := platform.Profiles.Facts(ctx)
	if diagnose.Unseen(err) {
		return nil, nil
	}
	return facts, err
}

// shown is a profile as the data source shows it.
func shown(p *api.ClusterProfile, facts map[configs.ConfigKey]configs.ShootFacts) profileModel {
	m := profileModel{
		Name: types.StringValue(p.Name), Provider: types.StringValue(p.Spec.ProviderRef.Name),
		ProviderConfig: types.StringValue(p.Spec.ProviderConfigRef.Name),
		Versions:       versionsOf(p), Traits: types.ListNull(types.StringType),
	}
	if f, ok := facts[configs.ConfigKeyOf(p)]; ok {
		m.Traits, m.Account = tfvalue.TextList(f.Traits()), tfvalue.TextOrNull(f.Bindings.Account())
	}
	return m
}

// versionsOf are the versions that a profile lists, the newest first.
func versionsOf(p *api.ClusterProfile) []versionModel {
	versions := slices.Clone(p.Spec.SupportedVersions)
	slices.SortStableFunc(versions, func(a, b api.SupportedVersion) int { return adr.CompareVersions(b.Version, a.Version) })
	shown := make([]versionModel, len(versions))
	for i, v := range versions {
		shown[i] = versionModel{types.StringValue(v.Version), types.BoolValue(v.Deprecated)}
	}
	return shown
}
