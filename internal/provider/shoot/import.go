package shoot

import (
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
	"github.com/hap-project/terraform-provider-hap/internal/provider/settings"
)

// identitySchema describes what distinguishes a cluster from all others, also outside of its state.
var identitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
	"namespace": identityschema.StringAttribute{OptionalForImport: true,
		Description: "The namespace of the Gardener project. Default: the provider's; another one is an error."},
	"name": identityschema.StringAttribute{RequiredForImport: true, Description: "The name of the Shoot."},
}}

// Import takes an identity, the name of a Shoot, or <namespace>/<name> as the attribute id has it.
func (r *shootResource) Import(id string, by family.Identity) family.Identity {
	if namespace, name, both := strings.Cut(id, "/"); both {
		by = family.Identity{"namespace": types.StringValue(namespace), "name": types.StringValue(name)}
	} else if id != "" {
		by["name"] = types.StringValue(id)
	}
	name, namespace := by["name"].ValueString(), by["namespace"]
	if !kube.IsLabelName(name) {
		r.Diags.AddError(diagnose.SummaryInvalidImport, fmt.Sprintf(
			"%q is not the name of a Shoot. The import ID of a cluster is its name, for example blue.", name))
		return nil
	}
	if all, err := r.Backend.Garden.Shoots(); err == nil && !namespace.IsNull() && namespace.ValueString() != all.Namespace() {
		elsewhere := &settings.ChangedError{Object: theCluster, What: "namespace", Was: namespace.ValueString(), Now: all.Namespace()}
		diagnose.Report(r.Diags, r.Backend.Garden.Attempt("Importing cluster %s", name), elsewhere)
	}
	return family.Identity{"name": by["name"]}
}

// Gone says why a cluster leaves the state, or that there is none to import.
func (r *shootResource) Gone(of kept, _ error) {
	name, uid := of.Model.Name.ValueString(), of.Model.UID.ValueString()
	if uid == "" {
		diagnose.ReportNoImport(r.Diags, diagnose.Import{
			What: "cluster " + name, LookedAt: fmt.Sprintf("Shoot %s in namespace %s", name, r.all.Namespace()), ID: name,
			Form:  "the name of the Shoot, for example blue, or <namespace>/<name>",
			Check: "that the provider leads to the Gardener project of the Shoot",
		})
		return
	}
	r.Diags.AddWarning(diagnose.SummaryShootGone, fmt.Sprintf("Cluster %s (UID %s) does not exist any more. It is removed from the state; "+
		"the next apply makes another one.", name, uid))
}
