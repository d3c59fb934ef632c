package family

import (
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
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
