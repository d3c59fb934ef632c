package family

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
)

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
