package clusterrequest

import (
	"context"
	"errors"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/hap-project/terraform-provider-hap/internal/clusters"
	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/builtin"
	"github.com/hap-project/terraform-provider-hap/internal/provider/connection"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
)

var purposesPath = path.Root("purposes")

// foreseePurposes refuses a request of the built-in scheduler with a purpose that is not defined, and says where the purposes and the
// request disagree about a trait. It needs no server.
func (r *requestResource) foreseePurposes(plan requestModel) {
	if !plan.ofADR() || !plan.Known() {
		return
	}
	wanted, err := plan.Aggregate()
	if unknown := new(adr.UnknownPurposeError); errors.As(err, &unknown) {
		r.reportDenied(plan, &builtin.DeniedError{
			Ref: plan.Ref(), Reason: clusters.ReasonUnknownPurpose, Message: unknown.Error(), Foreseen: true,
		}, true)
		return
	}
	if err == nil && len(wanted.Warnings) > 0 { // other errors are of [adrrequest.Model.Validate]
		r.Diags.AddAttributeWarning(purposesPath, diagnose.SummaryTraitsDisagree, strings.Join(wanted.Warnings, "\n\n"))
	}
}

// foresee refuses a new request of the built-in scheduler that would be denied. The denial is not certain where the same plan changes what
// requests are decided by: it is not reported where that may serve the request, such as a profile that has what the request needs, and
// else it is a warning. It is a warning also where no profile is published at all, because another provider may install openMCP in the
// same run; and where accounts are full or not held, because the same run may make room, or claim them.
func (r *requestResource) foresee(ctx context.Context, plan requestModel) {
	if r.Diags.HasError() || !plan.ofADR() || !plan.Known() || !tfvalue.Known(plan.Namespace, plan.Name) || !r.Backend.Platform.Builtin() {
		return
	}
	var denied *builtin.DeniedError
	err := r.Backend.Previews.Try(ctx, connection.AskedPlatform, func(ctx context.Context) (err error) {
		denied, err = r.API.Requests.Foresee(ctx, plan.wanted())
		return err
	})
	diagnose.ReportPlatformUnreachable(r.Diags, r.Backend, kind.Type, r.Attempt(family.Planning, plan), err)
	if err != nil || denied == nil {
		return // what a user may not see is no hindrance: the apply fails for it
	}
	const ofProfiles, ofClusters = "hap_gardener_provider_config", "hap_cluster"
	changes, sure := r.Backend.Ledger.AwaitChange(ctx, ofProfiles, ofClusters)
	soon, whole := r.Backend.Ledger.PlannedProfiles()
	switch {
	case !sure || !whole || r.Backend.Ledger.Changes(ofClusters) || plan.wanted().ServedBy(soon):
	default:
		r.reportDenied(plan, denied, !changes && denied.Reason != adr.ReasonNoProfile && denied.Reason != adr.ReasonNoAccount)
	}
}

// reportDenied reports a denial that is foreseen, at the purposes: an error where it is certain, else a warning.
func (r *requestResource) reportDenied(plan requestModel, denied *builtin.DeniedError, certain bool) {
	var own diag.Diagnostics
	diagnose.Report(&own, r.Attempt(family.Planning, plan), denied)
	for _, d := range own {
		if certain {
			r.Diags.AddAttributeError(purposesPath, d.Summary(), d.Detail())
			continue
		}
		r.Diags.AddAttributeWarning(purposesPath, d.Summary(), "As the platform cluster is now, the apply will fail, unless this "+
			"run makes what the request needs. "+d.Detail())
	}
}
