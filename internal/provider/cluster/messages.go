package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/configs"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
	"github.com/hap-project/terraform-provider-hap/internal/words"
)

// warnEnds says that a Cluster goes with its last request, although a resource owns it: a scheduler has made it, and it was imported.
func warnEnds(diags *diag.Diagnostics, c *api.Cluster) {
	if c.Labels[api.DeletedWithoutRequests] != "true" {
		return
	}
	diags.AddAttributeWarning(path.Root("labels"), diagnose.SummaryClusterEnds, fmt.Sprintf("Cluster %s bears the label %s = \"true\": the "+
		"scheduler deletes it with its last request, and all that runs there is lost, although this resource owns it. To keep it, set the label "+
		"in labels to \"false\".", c.Ref(), api.DeletedWithoutRequests))
}

// warnNotReady says what keeps a Cluster from being ready, and how dependents are kept waiting.
func warnNotReady(diags *diag.Diagnostics, c *api.Cluster, profile string, err error) {
	next := "the next apply waits on"
	switch {
	case errors.As(err, new(*api.EndsError)):
		next = "another party has deleted it. It stays in the state until it is gone; then the next apply makes it again"
	case errors.As(err, new(*api.ShootRefusedError)):
		next = family.MendTemplate
	}
	text := fmt.Sprintf("%s.\n\nCluster %s is kept, with ready = false; %s. What depends on the cluster must not run: a "+
		"postcondition with condition = self.ready in its lifecycle block fails the apply there.",
		words.Capitalized(words.WithoutStop(err)), c.Ref(), next)
	if c.Annotations[api.OperationAnnotation] == api.OperationIgnore {
		text += fmt.Sprintf("\n\nIt bears the annotation %s: %s, with which its cluster provider leaves it alone.", api.OperationAnnotation,
			api.OperationIgnore)
	}
	if profile != "" {
		text += "\n\n" + profile
	}
	if f := diagnose.Explain(err); f.Summary == diagnose.SummaryPlatformForbidden {
		text += "\n\n" + f.Remedy
	}
	diags.AddWarning(diagnose.SummaryShootNotReady, text)
}

// unknownProfile says that no ClusterProfile has the name of a profile; empty = one has, or they cannot be seen.
//
// Errors: those of [configs.Profiles.Names].
func unknownProfile(ctx context.Context, platform *openmcp.Platform, profile string) (string, error) {
	names, err := platform.Profiles.Names(ctx)
	if err != nil || slices.Contains(names, profile) {
		return "", err
	}
	known := "There are none"
	if len(names) > 0 {
		known = "There are " + strings.Join(names, ", ")
	}
	return fmt.Sprintf("No ClusterProfile is called %q, and no cluster provider makes such a Cluster ready. %s. The data source "+
		"hap_cluster_providers says whether its cluster provider runs, and what it has published.", profile, known), nil
}

// reportProtected refuses to destroy a Cluster.
func reportProtected(diags *diag.Diagnostics, of api.Ref) {
	family.ReportProtected(diags, "", "Cluster "+of.String())
}

// warnAlong says that a Shoot goes with its Cluster which a hap_shoot has made: this plan does not say whether that is protected.
func warnAlong(diags *diag.Diagnostics, of api.Ref, s configs.BoundShoot) {
	diags.AddWarning(diagnose.SummaryShootAlong, fmt.Sprintf("Cluster %s is destroyed, and Shoot %s/%s goes with it, which a hap_shoot has "+
		"made and the Cluster has adopted: the cluster provider deletes it, with all that runs there. It has no annotation %s, which a "+
		"hap_shoot with deletion_protection = true writes, also one of another state; an earlier release and an import write none. To keep the "+
		"Shoot, keep the Cluster: take hap_cluster out of the state with `state rm`, which changes nothing on the platform cluster.", of,
		s.Namespace, s.Name, kube.ProtectionAnnotation))
}

// warnName says that the operator overwrites the spec of a Cluster because of its name. A Cluster that has the purpose of its name is used
// as it is.
func warnName(diags *diag.Diagnostics, m clusterModel, uses []api.Ref) {
	if len(uses) == 0 {
		return
	}
	names := make([]string, len(uses))
	for i, of := range uses {
		names[i] = of.String()
	}
	diags.AddAttributeWarning(path.Root("name"), diagnose.SummaryClusterName, fmt.Sprintf("%q is a purpose of %s (%s), and none of this "+
		"Cluster's. The openmcp-operator calls the one shared Cluster of a purpose by the name of the purpose, unless its configuration names "+
		"it otherwise. While no request holds this Cluster, it takes it for that one, and overwrites its spec: purposes, tenancy, version and "+
		"configurations. Give the Cluster the purpose %[1]q, with which it is used as it is; or another name, such as %[1]s-1.",
		m.Name.ValueString(), words.Count(len(uses), "request"), words.List(names)))
}

// checkLabels checks what the server takes and the operator answers by deleting the Cluster.
func checkLabels(diags *diag.Diagnostics, m clusterModel) {
	label, ok := m.Labels.Elements()[api.DeletedWithoutRequests].(types.String)
	if ok && !label.IsUnknown() && label.ValueString() != "false" {
		diags.AddAttributeError(path.Root("labels").AtMapKey(api.DeletedWithoutRequests), diagnose.SummaryReservedKey, fmt.Sprintf(
			"With the label %s the openmcp-operator deletes the Cluster after its last request, although this resource owns it. Take it out of "+
				"the configuration: a destroy deletes the Cluster.", api.DeletedWithoutRequests))
	}
}

// warnUnknown says what comes of a name or a profile of an existing Cluster, where it is known only after an apply: it replaces nothing.
func warnUnknown(diags *diag.Diagnostics, plan, state clusterModel) {
	for _, input := range []struct {
		name  string
		value types.String
	}{{"namespace", plan.Namespace}, {"name", plan.Name}, {"profile", plan.Profile}} {
		if input.value.IsUnknown() {
			diags.AddAttributeWarning(path.Root(input.name), diagnose.SummaryClusterUnknown, fmt.Sprintf("Cluster %s exists, and its %s will be "+
				"known only after apply. If it turns out to be another one, the apply stops and leaves the Cluster alone: plan "+
				"again, and the Cluster is replaced.", state.Ref(), input.name))
		}
	}
}
