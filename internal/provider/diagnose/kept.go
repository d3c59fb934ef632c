package diagnose

import (
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/hap-project/terraform-provider-hap/internal/provider/ledger"
)

// ReportKept refuses to destroy an object of the platform cluster that another object of the state has. ref is its import ID.
func ReportKept(diags *diag.Diagnostics, kind, ref, uid string) {
	diags.AddError(SummaryObjectKept, fmt.Sprintf("%s %s (UID %s) is in the state twice, once to be kept and once to be destroyed: a "+
		"resource that was renamed without a moved block, or a replacement with create_before_destroy, has found the same object that it was "+
		"to replace, and has kept it. Nothing was destroyed. Take one of the two out of the state with `state rm`, which changes nothing on "+
		"the platform cluster; for one that is listed as deposed, take the resource out, and import it as %s. Then leave out "+
		"create_before_destroy: two objects cannot have one name.", kind, ref, uid, ref))
}

// ReportRenamed refuses to make an object at one address, and to destroy it at another: a resource that was renamed without a moved block
// does that. The programs do not give the provider the addresses. resource is the type, such as hap_shoot; what is the object, such as
// Cluster blue, at the beginning of a sentence.
func ReportRenamed(diags *diag.Diagnostics, resource, what string) {
	diags.AddAttributeError(path.Root("name"), SummaryMadeAndEnded, fmt.Sprintf("%s is made at one address of this plan, and at another "+
		"address it is destroyed, or replaced by another object. At this address nothing was planned or written for it. Where this apply has "+
		"destroyed it at the other address already, apply again: then it is made here. Otherwise, where the resource was renamed, or has "+
		"another module or key by now, add this block, and plan again:\n\n  moved {\n    from = %s.OLD\n    to   = %[2]s.NEW\n  }\n\nOLD is the "+
		"address that has it in the state, and NEW the one that has it in the configuration, each with module and key. Where the elements of a "+
		"list have changed places: give them keys that stay, with for_each, and write such a block for each of them. Where it is to be "+
		"destroyed, do that in an apply of its own. Where it is to be made anew, do that at the address that it has, with -replace.\n\nWhere "+
		"the state lists it as deposed, a replacement with create_before_destroy was cut short: the page of the resource, and the guide "+
		"Claims for a claim, say what to do.", what, resource))
}

// ReportWithoutNotes refuses to destroy an object of which the private state says nothing.
func ReportWithoutNotes(diags *diag.Diagnostics, resource string) {
	diags.AddError(SummaryWithoutNotes, fmt.Sprintf("This %s is to be destroyed, and its private state is empty. It says where the provider "+
		"led to when the object was made, by which sources clusters were counted, and which state has the object. Nothing was written. OpenTofu "+
		"and Terraform pass on no private state of an object that is tainted, and keep none where the provider was killed in an update. Where "+
		"it is tainted, take the mark away with `untaint`; to have it made anew, apply with -replace then. Otherwise plan again without "+
		"-refresh=false: a refresh writes the private state anew. Untaint an object also before its name or another part of its identity "+
		"changes: the plan finds the private state of a tainted object by them.", resource))
}

// ReportClash reports what two resources of one plan want with one object of the platform cluster; false = they want nothing that clashes.
// twice is the summary where both make it.
func ReportClash(diags *diag.Diagnostics, clash ledger.Clash, o ledger.Object, kind, twice string) bool {
	switch clash {
	case ledger.ClashKept:
		ReportKept(diags, kind, o.ID, o.UID)
	case ledger.ClashEnded:
		ReportRenamed(diags, o.Type, kind+" "+o.ID)
	case ledger.ClashTwice:
		ReportTwice(diags, twice, kind+" "+o.ID)
	case ledger.ClashBoth:
		ReportBoth(diags, twice, kind+" "+o.ID)
	case ledger.NoClash:
	}
	return clash != ledger.NoClash
}

// ReportTwice refuses two resources for one object.
func ReportTwice(diags *diag.Diagnostics, summary, what string) {
	diags.AddAttributeError(path.Root("name"), summary, what+" is declared twice in this configuration. Give each a name of its own. If a "+
		"resource was renamed, say so with a moved block.")
}

// ReportBoth refuses two resources of a state that have one object: the destroy of one would take it from the other.
func ReportBoth(diags *diag.Diagnostics, summary, what string) {
	diags.AddAttributeError(path.Root("name"), summary, what+" is in the state at two addresses, as after two imports: the destroy of one "+
		"would take it from the other. Nothing was planned for it. Take one of the two addresses out of the state with `state rm`, which "+
		"changes nothing of the object, and its block out of the configuration.")
}

// WarnAdopted says that a run which was cut short has made an object.
func WarnAdopted(diags *diag.Diagnostics, summary, kind, ref, uid string) {
	diags.AddAttributeWarning(path.Root("name"), summary, fmt.Sprintf("%s %s (UID %s) was there, and bears the mark of this very "+
		"configuration: a run that was cut short has left it. It was taken into the state as it is. If another state has it too, take it out "+
		"of one of them with `state rm`: a destroy there would destroy it here.", kind, ref, uid))
}

// WarnAdopts says at plan what [WarnAdopted] says at apply: the object is there, and not in this state.
func WarnAdopts(diags *diag.Diagnostics, summary, kind, ref, uid string, made time.Time) {
	diags.AddAttributeWarning(path.Root("name"), summary, fmt.Sprintf("%s %s (UID %s) is there since %s, bears the mark of this very "+
		"configuration, and is not in this state. The apply takes it into this state as it is: right after a run that was cut short. If another "+
		"state has it, a destroy from here destroys it there: do not apply this plan, and give one of the two another name. If this state has "+
		"it under another provider block (alias), which this one does not see, write a moved block.", kind, ref, uid,
		made.UTC().Format(time.RFC3339)))
}

// OneState says what to do about a claim that another state has taken up.
func OneState(globalAccount, account, claim string) string {
	return fmt.Sprintf(oneState, globalAccount, account, claim)
}
