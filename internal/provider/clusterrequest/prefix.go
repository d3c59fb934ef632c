package clusterrequest

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
)

// keepEmpty keeps the empty prefix that a state has been told, where the request has not its Cluster to itself any more: its objects have
// names without one already.
func (v *view) keepEmpty(diags *diag.Diagnostics, state requestModel) {
	if v.prefix == nil || *v.prefix == "" || state.Prefix.IsNull() || state.Prefix.IsUnknown() || state.Prefix.ValueString() != "" {
		return
	}
	diags.AddWarning(diagnose.SummaryPrefixEmpty, fmt.Sprintf("Request %s had Cluster %s to itself, and its prefix is empty. Other "+
		"requests hold the Cluster by now, or may come to it: its requests are %d, its purposes %q. The prefix stays as it was told. See that "+
		"the others' objects, whose names begin with prefixes of their own, do not meet those of this one.", v.request.Ref(), v.cluster.Ref(),
		len(openmcp.Tenants(v.cluster)), v.cluster.Spec.Purposes))
	empty := ""
	v.prefix = &empty
}
