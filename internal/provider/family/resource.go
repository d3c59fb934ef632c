package family

import (
	"context"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/provider/backend"
	"github.com/hap-project/terraform-provider-hap/internal/provider/ledger"
)

// Resource describes the resources of one type. M is the model: what a user sees of an object. P is what private state has beside it, and L
// what a server has. [New] makes the resource of it: all that the families do alike is there.
type Resource[M, P, L any] struct {
	Type     string // without the prefix hap_
	Schema   func(context.Context) schema.Schema
	Identity identityschema.Schema // all of its attributes are texts
	Private  string                // the key of P in private state
	Timeouts func(M) timeouts.Value
	// IsGone reports whether an error of [Hooks.Observe] says that the object itself does not exist any more: a delete ends well then. The
	// error of what the object refers to is none of these.
	IsGone func(error) bool
	// How long the operations may take where the configuration does not say. A read has [backend.ReadTimeout].
	Create, Update, Delete time.Duration
	Moves                  bool // an update may change the identity
	ByNotes                bool // a destroy goes by P, and is refused where private state has none
	Hooks                  func(*Call) Hooks[M, P, L]
}

// Call is one call of Terraform, as the hooks that serve it need it.
type Call struct {
	Backend *backend.Backend
	Diags   *diag.Diagnostics
	Alone   bool // in a delete: the object has no successor at its address
	Same    bool // in a plan: it is as the state
	Anew    bool // in a plan: it is to be made in the place of one at its address
	// Ends is noted by a plan that ends a request, for the apply; nil = it ends none. In a delete it is the note of the plan, never nil.
	Ends *Ends
}

// Kept is an object as Terraform keeps it.
type Kept[M, P any] struct {
	Model M
	Place P
}

// Identity is what distinguishes an object from all others, also outside of its state.
type Identity map[string]types.String

// Doing is what an operation does, at the beginning of a message.
type Doing string

// The operations.
const (
	Making     Doing = "Making"
	Waiting    Doing = "Waiting for" // what was just made
	Reading    Doing = "Reading"
	Changing   Doing = "Changing"
	Destroying Doing = "Destroying"
	Planning   Doing = "Planning"
)

// Hooks are what a family does in its own way. One value of them serves one call.
type Hooks[M, P, L any] interface {
	// Object is the object for the ledger of the plan, Identity for Terraform.
	Object(Kept[M, P]) ledger.Object
	Identity(Kept[M, P]) Identity

	// Report reports an error of an operation, and Clash what else a plan wants with the object; false = nothing.
	Report(Doing, M, error)
	Clash(ledger.Clash, M) bool
	// Gone says why an object leaves the state. It is an error where the state comes from an import: then there is none to import.
	Gone(Kept[M, P], error)

	// Import returns the attributes that an import by an ID, or without one by an identity, begins with. Read does the rest.
	Import(id string, by Identity) Identity

	// PlanCreate plans an object that is to be made. Of a replacement the place is that of the predecessor, or else it is zero.
	PlanCreate(ctx context.Context, plan, config M, predecessor P) M
	// PlanUpdate plans an object of the state, and returns the attributes by which it is replaced.
	PlanUpdate(ctx context.Context, plan, config M, state Kept[M, P]) (M, path.Paths)

	// Create makes the object, or finds what a run that was cut short has made, and Made is what is kept of it.
	Create(ctx context.Context, plan *M, config M) (L, error)
	Made(plan M, made L) Kept[M, P]
	// Observe finds the object of a state for an operation, and checks that the provider still leads to where it was made: "not found"
	// elsewhere does not mean "gone". An error that says it is gone leaves [Hooks.Gone] to say so.
	Observe(ctx context.Context, state Kept[M, P], doing Doing) (L, error)
	// Refresh is the state of an object that was observed.
	Refresh(ctx context.Context, state Kept[M, P], live L) (Kept[M, P], error)
	// Update makes the object what the plan says; nil = the state stays. It may return both: then the state has what was done.
	Update(ctx context.Context, plan M, state Kept[M, P], live L) (*Kept[M, P], error)
	Delete(ctx context.Context, state Kept[M, P], live L) error
}

// Hooks that not every family has.
type (
	// Settler waits for an object that was just made; nil = it is gone. It is in the state already. An error with an object taints it.
	Settler[M, P, L any] interface {
		Settle(ctx context.Context, plan M, made L) (*Kept[M, P], error)
	}
	// Validator checks a configuration without a server. Unknown values pass.
	Validator[M any] interface{ Validate(config M) }
	// Checker refuses an operation before anything is asked or written.
	Checker[M any] interface {
		Check(ctx context.Context, doing Doing, m M)
	}
	// DestroyPlanner says what a destroy will do.
	DestroyPlanner[M, P any] interface {
		PlanDestroy(ctx context.Context, state Kept[M, P])
	}
	// Later reports whether the provider leads to the servers only after an apply. What the state has stays until then.
	Later interface{ Later() bool }
	// Restorer completes what was kept: older providers kept less, and Terraform loses private state where a provider dies.
	Restorer[M, P any] interface{ Restore(*Kept[M, P]) }
	// Grace is how long a delete waits beside its work.
	Grace[M any] interface{ Grace(M) time.Duration }
)

// New is the resource that a description describes.
func New[M, P, L any](of Resource[M, P, L]) func() resource.Resource {
	codec := codecOf[M](of.Type, of.Schema)
	direct := sync.OnceValue(func() directSchema { return directSchemaOf(of.Schema(context.Background()), of.Identity) })
	return func() resource.Resource { return &engine[M, P, L]{of: of, codec: codec, direct: direct} }
}
