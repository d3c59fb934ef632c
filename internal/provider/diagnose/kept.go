package diagnose

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
)

// ReportKept refuses to destroy an object of the platform cluster that another object of the state has. ref is its import ID.
func ReportKept(diags *diag.Diagnostics, kind, ref, uid string) {
	diags.AddError(SummaryObjectKept, fmt.Sprintf("%s %s (UID %s) is in the state twice, once to be kept and once to be destroyed: a "+
		"resource that was renamed without a moved block, or a replacement with create_before_destroy, has found the very object that it was "+
		"to replace, and has kept it. Nothing was destroyed. Take one of the two out of the state with `state rm`, which changes nothing on "+
		"the platform cluster; for one that is listed as deposed, take the resource out, and import it as %s. Then leave out "+
		"create_before_destroy: two objects cannot have one name.", kind, ref, uid, ref))
}

// ReportRenamed refuses to make an object of the platform cluster that leaves the state under another address.
func ReportRenamed(diags *diag.Diagnostics, kind, ref string) {
	diags.AddAttributeError(path.Root("name"), SummaryObjectKept, fmt.Sprintf("%s %s is in the state under another address, where this plan "+
		"destroys it, and this configuration makes it anew. Nothing was planned for it. Where the resource was renamed, say so with a moved "+
		"block; otherwise give the new one another name, or destroy the old one first.", kind, ref))
}
