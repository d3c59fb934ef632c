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

	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/configs"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/ledger"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
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
func Alone(ctx context.Context, private reader, diags *diag.Diagnostics) bool {
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
	Found     bool   `json:"found,omitempty"`    // its protection was met by the import, or when it was taken up: it may be another party's
	Lost      bool   `json:"lost,omitempty"`     // see [LacksProtection]
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	UID       string `json:"uid"`
	// Cluster and Shoot are the names in the ledger of the Cluster that a request has, and of the Shoot behind it, as they were seen last;
	// empty = none was seen.
	Cluster string `json:"cluster,omitempty"`
	Shoot   string `json:"shoot,omitempty"`
	// Used is the Shoot behind the Cluster, with the account that it is on, as its cluster provider has reported it last; zero = it has not.
	Used configs.BoundShoot `json:"used,omitzero"`
	// Holders are how many requests the Cluster of a request had then.
	Holders int `json:"holders,omitempty"`
	// Stays says that a Cluster was not to go with its last request, when it was seen last.
	Stays bool `json:"stays,omitempty"`
}

// Guard is the place of an object that was just made or seen, and of the Shoot behind it.
func (o *OnPlatform[M, P, L]) Guard(m M, protection types.Bool, shoot types.Object) Guarded {
	of := m.Ref()
	at := Guarded{Place: o.Here(), Protected: protection.ValueBool(), Namespace: of.Namespace, Name: of.Name, UID: m.ObjectUID(), Used: o.used}
	if name, ok := shoot.Attributes()["name"].(types.String); ok && tfvalue.Known(name) {
		namespace, _ := shoot.Attributes()["namespace"].(types.String)
		at.Shoot = ShootName(namespace.ValueString(), name.ValueString())
	}
	return at
}

// Saw notes a Cluster that was seen, for the place that is kept next.
func (o *OnPlatform[M, P, L]) Saw(c *api.Cluster) {
	if own, _, reported := configs.ShootOf(c); reported {
		o.used = own
	}
}

// Ref names the object.
func (g Guarded) Ref() api.Ref { return api.Ref{Namespace: g.Namespace, Name: g.Name} }

// Predecessor returns the place of an object that a refresh of this run has read, by its name. Terraform plans the successor of a tainted
// object without a word of it.
func (o *OnPlatform[M, P, L]) Predecessor(of api.Ref) (at Guarded, tainted bool) {
	at, tainted = o.Backend.Ledger.Place(ledger.Object{Type: o.Of.Type, ID: of.String()}).(Guarded)
	return at, tainted
}

// ReportUnseenEnd says that a plan cannot see what goes with an object that it ends. It refuses where the state knows a Cluster or a Shoot
// behind the object that another resource of this plan protects: the apply does not know these any more. A plan of such a resource that
// comes later reads what this notes. ends is what the plan does, such as "this plan ends Cluster a/b".
func (o *OnPlatform[M, P, L]) ReportUnseenEnd(at Guarded, ends string, err error) {
	if at.Cluster != "" && o.Backend.Ledger.Leave(at.Cluster, at.UID) < at.Holders { // others stay on it, as far as this plan is known by now
		return
	}
	var behind []string
	unseen := ends + Unseen + " (" + words.WithoutStop(err) + ")"
	for _, name := range []string{MayGo(at.Cluster), at.Shoot} {
		if name != "" {
			behind = append(behind, name)
			o.Backend.Ledger.TakeAlong(name, unseen)
		}
	}
	if guards := o.Backend.Ledger.Protected(behind); len(guards) > 0 {
		ReportUnseen(o.Diags, unseen, guards...)
		return
	}
	if o.Later() || !o.Backend.Ledger.First(diagnose.SummaryPlatformUnlooked, "end", at.UID) {
		return
	}
	compared := "The state knows no Shoot behind it, so no hap_shoot of this plan keeps one"
	if at.Shoot != "" {
		compared = fmt.Sprintf("As far as the state knows it takes %s along, which no hap_shoot of this plan protects", at.Shoot)
	}
	f := diagnose.Explain(err)
	o.Diags.AddWarning(diagnose.SummaryPlatformUnlooked, fmt.Sprintf("%s: %s. So the plan does not say what goes with it. %s.\n\n%s",
		o.Backend.Platform.Attempt("Planning the end of %s %s", o.Of.Kind, at.Ref()), f.Brief, compared, f.Remedy))
}

// MayGo is what a Cluster is called in the ledger where it is not known whether it goes with its last request; empty = there is none.
func MayGo(cluster string) string {
	if cluster == "" {
		return ""
	}
	return cluster + ", which may go"
}

// Unseen is in the words for what a plan ends without a look at the platform cluster.
const Unseen = ", and whether it goes with that is not known: the platform cluster could not be looked at"

// ReportUnseen refuses to end what may take protected objects along; ends says what the plan ends, with [Unseen].
func ReportUnseen(diags *diag.Diagnostics, ends string, objects ...string) {
	have := "has"
	if len(objects) > 1 {
		have = "have"
	}
	diags.AddAttributeError(path.Root("deletion_protection"), diagnose.SummaryShootProtected, fmt.Sprintf(
		"%s %s deletion_protection = true in the state; %s. Nothing was planned or written. Plan again where the platform cluster can be looked "+
			"at, and leave out -refresh=false: mend what kept this plan from it, or apply first what makes the way to it (-target), where the "+
			"provider block is known only then. Or set deletion_protection = false and apply that first, if the cluster may go with all that "+
			"runs in it.", words.Capitalized(words.List(objects)), have, ends))
}
