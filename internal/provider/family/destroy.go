package family

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/words"
)

// aloneKey is where the private state of a plan keeps that the object is destroyed, and has no successor at its address.
const aloneKey = "destroyed_alone"

// PlanAlone notes in the private state of a plan whether it destroys the object without a successor at its address. The apply of a destroy
// cannot distinguish that from the destroy of a replacement. The call belongs at the beginning of each ModifyPlan of such a type: a destroy
// that has failed leaves its note in the state, and a replacement has to take it away.
func PlanAlone(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	alone := req.Plan.Raw.IsNull()
	if resp.Private != nil && alone != Alone(ctx, resp.Private, &resp.Diagnostics) {
		resp.Diagnostics.Append(resp.Private.SetKey(ctx, aloneKey, map[bool][]byte{true: []byte("true"), false: []byte("false")}[alone])...)
	}
}

// Alone reports whether the private state of an apply says that the object is destroyed without a successor at its address.
func Alone(ctx context.Context, private interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
}, diags *diag.Diagnostics) bool {
	text, more := private.GetKey(ctx, aloneKey)
	diags.Append(more...)
	return string(text) == "true"
}

// DeletionProtection is the attribute deletion_protection of a resource by whose end a cluster can be lost; what it refuses is for the
// family to say.
func DeletionProtection(description string) schema.BoolAttribute {
	return schema.BoolAttribute{
		Optional: true, Computed: true, Default: booldefault.StaticBool(true),
		MarkdownDescription: description + " The value that was applied last counts: set it to `false` and apply first. Default `true`.",
	}
}

// RestoreProtection protects an object whose state is of a release without the attribute: as an object of today is that does not name it.
func RestoreProtection(protection *types.Bool) {
	if protection.IsNull() {
		*protection = types.BoolValue(true)
	}
}

// ReportProtected refuses to destroy what protected objects guard; holds says, beginning with a comma, what else is to be known of them.
func ReportProtected(diags *diag.Diagnostics, holds string, objects ...string) {
	have, it := "has", "it is"
	if len(objects) > 1 {
		have, it = "have", "they are"
	}
	diags.AddAttributeError(path.Root("deletion_protection"), diagnose.SummaryShootProtected, fmt.Sprintf(
		"%s %s deletion_protection = true in the state%s: %s neither destroyed nor replaced. Nothing was planned or written. "+
			"Set deletion_protection = false and apply that first, if the cluster is to go with all that runs in it. Of a tainted object take "+
			"the taint away before (untaint).", words.Capitalized(words.List(objects)), have, holds, it))
}

// ShootName is what a Shoot is called where its protection is noted in the ledger.
func ShootName(namespace, name string) string { return "Shoot " + namespace + "/" + name }

// Guarded is the place of an object of the platform cluster that deletion_protection guards. The plan of a replacement sees of its
// predecessor the place alone.
type Guarded struct {
	Place
	Protected bool   `json:"protected"`
	Imported  bool   `json:"imported,omitempty"` // by this very plan: its apply is the first to wait for the object
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	UID       string `json:"uid"`
}

// Guard is the place of an object that was just made or seen.
func (o *OnPlatform[M, P, L]) Guard(m M, protection types.Bool) Guarded {
	of := m.Ref()
	return Guarded{Place: o.Here(), Protected: protection.ValueBool(), Namespace: of.Namespace, Name: of.Name, UID: m.ObjectUID()}
}
