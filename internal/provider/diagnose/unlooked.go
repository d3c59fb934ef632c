package diagnose

import (
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/provider/backend"
	"github.com/hap-project/terraform-provider-hap/internal/provider/connection"
)

// What a plan could not read is reported once in a run for each kind of resource: its objects would all say the same.

// ReportUnusable reports settings that lead nowhere, before a resource of some type is planned with them. It returns whether there are any.
func ReportUnusable(diags *diag.Diagnostics, b *backend.Backend, resource, attempt string) bool {
	err := b.Garden.Usable()
	if err != nil {
		ReportPoolUnlooked(diags, b, resource, attempt, err)
	}
	return err != nil
}

// ReportPoolUnlooked reports that the plan of a resource of some type could not read the pool. Settings that lead nowhere are an error,
// and all else is a warning: the apply reads, and may get an answer.
func ReportPoolUnlooked(diags *diag.Diagnostics, b *backend.Backend, resource, attempt string, err error) {
	switch {
	case !connection.Unlooked(err) || !b.Ledger.First(SummaryPoolUnchecked, resource):
	case connection.Unusable(err):
		Report(diags, attempt, err)
	default:
		f := Explain(err)
		diags.AddWarning(SummaryPoolUnchecked, fmt.Sprintf("%s: %s. So the plan does not say whether the pool allows this %s; others of the "+
			"plan may not have been looked at either. The apply looks before it writes, and fails where the cause lasts.\n\n%s",
			attempt, f.Brief, resource, f.Remedy))
	}
}

// ReportUnlooked reports that a plan has no way to the platform cluster. That is a warning where the apply may make the way, such as a
// kubeconfig that is not there yet; a provider block that names no platform cluster is an error at once.
func ReportUnlooked(diags *diag.Diagnostics, b *backend.Backend, resource, attempt string, err error) {
	if errors.As(err, new(*connection.NoPlatformError)) || errors.As(err, new(*kube.NotConfiguredError)) {
		Report(diags, attempt, err)
		return
	}
	if b.Ledger.First(SummaryPlatformUnlooked, resource) {
		f := Explain(err)
		diags.AddWarning(SummaryPlatformUnlooked, fmt.Sprintf("%s: %s. So this plan does not say what is on the platform cluster. Where "+
			"the apply makes the way to it first, such as its kubeconfig, it goes on from there; otherwise it will fail.\n\n%s", attempt,
			f.Brief, f.Remedy))
	}
}

// ReportPlatformUnreachable reports that the platform cluster has given a plan no answer, and returns whether that is so. Other errors are
// not reported: what a user may not see there is no hindrance.
func ReportPlatformUnreachable(diags *diag.Diagnostics, b *backend.Backend, resource, attempt string, err error) bool {
	if !connection.Unreachable(err) || !connection.Unlooked(err) {
		return false
	}
	if b.Ledger.First(SummaryPlatformUnlooked, resource) {
		f := Explain(err)
		diags.AddWarning(SummaryPlatformUnlooked, fmt.Sprintf("%s: %s. So the plan does not say what is on the platform cluster; others of "+
			"the plan may not have been looked at either. The apply looks before it writes, and fails where the cause lasts.\n\n%s", attempt,
			f.Brief, f.Remedy))
	}
	return true
}
