package clusterprofile

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp/configs"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
	"github.com/hap-project/terraform-provider-hap/internal/shoots"
)

// unchecked is what comes of a template that Gardener could not be asked for, at plan and at apply.
func unchecked(writes bool) string {
	next := "The apply asks again before it writes, and writes all the same where it cannot ask: "
	if writes {
		next = "It is written all the same: "
	}
	return "So it is not known whether Gardener takes clusters of the profile; other profiles of this run may not have been checked either. " +
		next + "a template that Gardener refuses shows in the first Cluster then. The check needs the right to create Shoots in the project: " +
		"examples/rbac/role-clusters.yaml grants it."
}

// refused has Gardener check a Shoot as the cluster provider would make it by the template, and reports what it refuses; destroys is what
// is added to that in a plan, and empty at an apply. before is what exists; nil = nothing does. What Gardener refuses of before as well
// does not stop a change: live clusters keep a version or an image that no new one may have. It is asked in the namespace of the provider
// block, where that may be the project's.
func (r *configResource) refused(
	ctx context.Context, diags *diag.Diagnostics, attempt string, m configModel, before *configModel, destroys string,
) bool {
	if !tfvalue.Known(m.ShootTemplate, m.CredentialsBindingName, m.Extensions, m.Project) {
		return false
	}
	w, err := m.wanted(r.Backend.Settings.Kind)
	if err != nil { // reported at validation
		return false
	}
	all, err := r.Backend.Garden.Shoots()
	if err == nil && !(configs.Home{Project: w.Project}).MayHold(all.Namespace()) {
		if r.Backend.Ledger.First(diagnose.SummaryShootUnchecked, kind.Type) {
			diags.AddWarning(diagnose.SummaryShootUnchecked, fmt.Sprintf("%s: the provider block leads to namespace %s of the Garden, and the "+
				"clusters come to project %s. %s", attempt, all.Namespace(), w.Project, unchecked(destroys == "")))
		}
		return false
	}
	return !family.GardenerCheck{
		Type: kind.Type, Attempt: attempt, Unchecked: unchecked(destroys == ""),
		Ask: func(ctx context.Context) error {
			if err != nil {
				return err
			}
			refused := all.CheckEmbedded(ctx, w.Name, w.Template, w.Extensions)
			if before == nil || refused == nil {
				return refused
			}
			return r.onlyNew(ctx, diags, all, *before, refused)
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

// onlyNew leaves of a refusal what Gardener does not refuse of what exists as well, and warns of the rest.
func (r *configResource) onlyNew(
	ctx context.Context, diags *diag.Diagnostics, all *shoots.Shoots, before configModel, err error,
) error {
	now, refused := errors.AsType[*shoots.RefusedError](err)
	w, wrong := before.wanted(r.Backend.Settings.Kind)
	if !refused || wrong != nil {
		return err
	}
	was, refused := errors.AsType[*shoots.RefusedError](all.CheckEmbedded(ctx, w.Name, w.Template, w.Extensions))
	if !refused {
		return err
	}
	problems, old := now.Beyond(was)
	if len(old) > 0 && r.Backend.Ledger.First(diagnose.SummaryTemplate, before.Name.ValueString()) {
		known := shoots.RefusedError{Config: now.Config, Problems: old}
		diags.AddAttributeWarning(templatePath, diagnose.SummaryTemplate, known.Error()+"\n\nIt refuses this of the template as it is now, too: "+
			"the clusters that live keep it, and the profile takes no new one until the template is changed.")
	}
	if len(problems) == 0 {
		return nil
	}
	return &shoots.RefusedError{Config: now.Config, Problems: problems, Err: now.Err}
}
