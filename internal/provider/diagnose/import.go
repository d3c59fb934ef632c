package diagnose

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// Import is an import of an object that is not there.
type Import struct {
	What     string // what was imported, such as "cluster blue"
	LookedAt string // what was searched, such as "Shoot blue in namespace garden-p"
	ID       string // the ID that was asked for, or that an identity means
	Form     string // what an ID of the type is, with an example
	Check    string // what to check beside it
}

// ReportNoImport says that there is no object to import.
func ReportNoImport(diags *diag.Diagnostics, i Import) {
	diags.AddError(SummaryImportMissing, fmt.Sprintf("Importing %s by the ID %q: there is no %s. Nothing was imported or written.\n\nThe "+
		"import ID is %s. Check the ID, and %s. An object that does not exist yet is made by an apply without the import.",
		i.What, i.ID, i.LookedAt, i.Form, i.Check))
}

// ReportNoPlatformImport is ReportNoImport for an object of the platform cluster.
func ReportNoPlatformImport(diags *diag.Diagnostics, kind, id, form string) {
	ReportNoImport(diags, Import{
		What: kind + " " + id, LookedAt: kind + " " + id + " on the platform cluster", ID: id, Form: form,
		Check: "that platform in the provider block leads to the platform cluster where it is",
	})
}
