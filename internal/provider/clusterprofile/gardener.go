package clusterprofile

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp/configs"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
)

// unchecked is what comes of a template that Gardener could not be asked for.
const unchecked = "So it is not known whether Gardener takes clusters of the profile; other profiles of this run may not have been " +
	"checked either. The apply asks again before it writes, and writes all the same where it cannot ask: a template that Gardener refuses " +
	"shows in the first Cluster then. The check needs the right to create Shoots in the project: examples/rbac/role-clusters.yaml grants it."

// refused has Gardener check a Shoot as the cluster provider would make it by the template, and reports what it refuses; destroys is what
// comes behind that for an object that exists. It is asked in the namespace of the provider block, where that may be the project's.
func (r *configResource) refused(ctx context.Context, diags *diag.Diagnostics, attempt string, m configModel, destroys string) bool {
	if !tfvalue.Known(m.ShootTemplate, m.CredentialsBindingName, m.Extensions, m.Project) {
		return false
	}
	w, err := m.wanted(r.Backend.Settings.Kind)
	if err != nil { // told at validation
		return false
	}
	all, err := r.Backend.Garden.Shoots()
	if err == nil && !(configs.Home{Project: w.Project}).MayHold(all.Namespace()) {
		if r.Backend.Ledger.First(diagnose.SummaryShootUnchecked, kind.Type) {
			diags.AddWarning(diagnose.SummaryShootUnchecked, fmt.Sprintf("%s: the provider block leads to namespace %s of the Garden, and the "+
				"clusters come to project %s. %s", attempt, all.Namespace(), w.Project, unchecked))
		}
		return false
	}
	return !family.GardenerCheck{
		Type: kind.Type, Attempt: attempt, Unchecked: unchecked,
		Ask: func(ctx context.Context) error {
			if err != nil {
				return err
			}
			return all.CheckEmbedded(ctx, w.Name, w.Template, w.Extensions)
		},
		Refuse: func(err error) {
			var own diag.Diagnostics
			if diagnose.Explain(err).Attribute == "template" {
				reportText(&own, templatePath, attempt, err)
			} else {
				diagnose.ReportAt(&own, accountPath, attempt, err)
			}
			for _, d := range own {
				if at, ok := d.(diag.DiagnosticWithPath); ok {
					diags.AddAttributeError(at.Path(), d.Summary(), d.Detail()+destroys)
					continue
				}
				diags.AddError(d.Summary(), d.Detail()+destroys)
			}
		},
	}.Run(ctx, r.Backend, diags)
}
