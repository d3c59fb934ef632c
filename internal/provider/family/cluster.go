package family

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
)

// ShootTypes are the types of the attribute shoot.
var ShootTypes = map[string]attr.Type{"namespace": types.StringType, "name": types.StringType}

// ShootAttribute is the attribute shoot of what has a Cluster.
func ShootAttribute() schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{
		Computed: true,
		MarkdownDescription: "The Shoot behind the `Cluster`, as Gardener's cluster provider reports it, for `shoot_name` of " +
			"`hap_shoot_access` where the provider block leads to its project; unknown in a plan that waits for one that is not ready. Null " +
			"where none is reported: other cluster providers make no Shoots.",
		Attributes: map[string]schema.Attribute{
			"namespace": schema.StringAttribute{Computed: true, MarkdownDescription: "Its namespace in the Garden: that of the project."},
			"name":      schema.StringAttribute{Computed: true, MarkdownDescription: "Its name."},
		},
	}
}

// ShootOf is the attribute shoot of a Cluster.
func ShootOf(c *api.Cluster) types.Object {
	shoot, ok := api.ShootOf(c)
	if !ok {
		return types.ObjectNull(ShootTypes)
	}
	return types.ObjectValueMust(ShootTypes, map[string]attr.Value{
		"namespace": tfvalue.TextOrNull(shoot.Namespace), "name": types.StringValue(shoot.Name),
	})
}

// fromTemplate is why a wanted version of Kubernetes may not be that of a Cluster.
const fromTemplate = "Gardener's cluster provider takes the version from the Shoot template of the ProviderConfig alone"

// WarnUndelivered says, in a plan, that the clusters of a profile get another version of Kubernetes than the wanted one.
func WarnUndelivered(diags *diag.Diagnostics, at path.Path, profile, wanted, other string) {
	diags.AddAttributeWarning(at, diagnose.SummaryVersionUndelivered, Undelivered(profile, wanted, other))
}

// Undelivered is the text of [WarnUndelivered].
func Undelivered(profile, wanted, other string) string {
	return fmt.Sprintf("Kubernetes %s is wanted, and a cluster of profile %s gets %s: %s. Write the version that it gets, take a profile "+
		"whose template has the wanted one, or change the template, which raises the version of all clusters of the profile.", wanted, profile,
		other, fromTemplate)
}

// RunsOther reports whether a Cluster that is ready runs another version of Kubernetes than a wanted one; empty = none is wanted.
func RunsOther(c *api.Cluster, wanted string) bool {
	running := c.Labels[api.VersionLabel]
	return wanted != "" && running != "" && api.IsReady(c) && !adr.Means(wanted, running)
}

// WarnVersion says that a Cluster which is ready runs another version of Kubernetes than the one that an attribute wants.
func WarnVersion(diags *diag.Diagnostics, at path.Path, c *api.Cluster, wanted string) {
	if !RunsOther(c, wanted) {
		return
	}
	diags.AddAttributeWarning(at, diagnose.SummaryVersionOther, fmt.Sprintf("Cluster %s runs Kubernetes %s, and %s is wanted: %s, and "+
		"maintenance raises it. Every plan says so while the two differ. Write the version that runs, or its first two numbers alone, with "+
		"which a patch that maintenance brings is no difference. To raise the version of the cluster change it in the template.", c.Ref(),
		c.Labels[api.VersionLabel], wanted, fromTemplate))
}

// MendTemplate is what comes next for a Cluster whose Shoot Gardener refuses.
const MendTemplate = "time alone does not help: correct the Shoot template of its profile (shoot_template of the " +
	"hap_gardener_provider_config), and the next apply waits on"
