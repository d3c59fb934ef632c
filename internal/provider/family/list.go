package family

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	listschema "github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/provider/backend"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
)

// List describes the list of the objects of one type, for `terraform query`. M is their model, C the configuration of the list, and L
// what a server has of an object.
type List[M, C, L any] struct {
	Type     string // without the prefix hap_
	Objects  string // what messages call them, such as "the accounts"
	Resource func(context.Context) schema.Schema
	Identity identityschema.Schema
	Config   listschema.Schema

	// All finds the objects, and One is what is listed of one of them.
	All func(ctx context.Context, call *Call, config C) ([]L, error)
	One func(ctx context.Context, call *Call, found L) Item[M]
}

// Item is an object that is listed.
type Item[M any] struct {
	Name     string // what a user sees of it
	Identity Identity
	// Whole is what an import of the object would put into the state; nil = it does not exist any more. of is the type of the resource: a null
	// has to know its type.
	Whole func(of attr.Type) (*M, error)
	// Attempt says what was tried, where the whole object cannot be read.
	Attempt string
}

// NewList is the list that a description describes.
func NewList[M, C, L any](of List[M, C, L]) func() list.ListResource {
	codec := codecOf[M](of.Type, of.Resource)
	return func() list.ListResource { return &lister[M, C, L]{of: of, codec: codec} }
}

// lister is a list: what all of them do alike.
type lister[M, C, L any] struct {
	of      List[M, C, L]
	codec   codec[M]
	backend *backend.Backend
}

func (l *lister[M, C, L]) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + l.of.Type
}

func (l *lister[M, C, L]) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	l.backend = Backend(req.ProviderData, &resp.Diagnostics)
}

func (l *lister[M, C, L]) ListResourceConfigSchema(
	_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse,
) {
	resp.Schema = l.of.Config
}

// List lists the objects one by one. The whole resource, where it is wanted, is what an import of the object would put into the state.
func (l *lister[M, C, L]) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	var config C
	if diags := req.Config.Get(ctx, &config); diags.HasError() {
		stream.Results = list.ListResultsStreamDiagnostics(diags)
		return
	}
	stream.Results = func(push func(list.ListResult) bool) {
		ctx, cancel := context.WithTimeout(ctx, backend.ReadTimeout)
		defer cancel()
		var diags diag.Diagnostics
		found, err := l.of.All(ctx, &Call{Backend: l.backend, Diags: &diags}, config)
		if err != nil {
			diagnose.Report(&diags, l.backend.Garden.Attempt("Listing %s", l.of.Objects), err)
			push(list.ListResult{Diagnostics: diags})
			return
		}
		left := req.Limit // 0 = there is none
		for i := range found {
			result, there := l.result(ctx, req, found[i])
			if !there {
				continue
			}
			if left--; !push(result) || left == 0 {
				return
			}
		}
	}
}

// result is one object as Terraform wants it; false = it is gone since it was listed.
func (l *lister[M, C, L]) result(ctx context.Context, req list.ListRequest, found L) (result list.ListResult, there bool) {
	result = req.NewListResult(ctx)
	item := l.of.One(ctx, &Call{Backend: l.backend, Diags: &result.Diagnostics}, found)
	result.DisplayName = item.Name
	item.Identity.encode(ctx, l.of.Identity, &result.Identity.Raw)
	if !req.IncludeResource {
		return result, true
	}
	whole, err := item.Whole(req.ResourceSchema.Type())
	switch {
	case err != nil:
		diagnose.Report(&result.Diagnostics, item.Attempt, err)
	case whole == nil:
		return result, false
	default:
		l.codec.encode(ctx, *whole, &result.Resource.Raw, &result.Diagnostics)
	}
	return result, true
}

// WithoutInputs returns the nulls of the attributes rule_set and timeouts, which only a configuration can say, for a resource
// that is listed: a null has to know its type.
func WithoutInputs(of attr.Type) (ruleSet types.Object, timeout timeouts.Value, err error) {
	if ruleSet, err = Null(of, "rule_set"); err != nil {
		return ruleSet, timeout, err
	}
	none, err := Null(of, "timeouts")
	return ruleSet, timeouts.Value{Object: none}, err
}

// Null returns the null of a nested attribute of a resource.
func Null(of attr.Type, name string) (types.Object, error) {
	object, ok := of.(attr.TypeWithAttributeTypes)
	if !ok {
		return types.Object{}, fmt.Errorf("a resource is described by %T", of)
	}
	nested, ok := object.AttributeTypes()[name].(attr.TypeWithAttributeTypes)
	if !ok {
		return types.Object{}, fmt.Errorf("a resource has no object %q", name)
	}
	return types.ObjectNull(nested.AttributeTypes()), nil
}
