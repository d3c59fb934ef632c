package family

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
)

// codec converts the models of a type of resource.
type codec[M any] struct {
	resource string
	models   func() tfvalue.Codec[M]
}

func codecOf[M any](resource string, of func(context.Context) schema.Schema) codec[M] {
	return codec[M]{resource, sync.OnceValue(func() tfvalue.Codec[M] {
		return tfvalue.NewCodec[M](of(context.Background()).Type())
	})}
}

// decode reads a configuration, a plan or a state; the zero value where there is none.
func (c codec[M]) decode(ctx context.Context, raw tftypes.Value, diags *diag.Diagnostics) (m M) {
	if raw.IsNull() {
		return m
	}
	m, err := c.models().Decode(ctx, raw)
	c.report(diags, err)
	return m
}

// encode writes a plan or a state in place of another; after an error that one stays.
func (c codec[M]) encode(ctx context.Context, m M, into *tftypes.Value, diags *diag.Diagnostics) {
	raw, err := c.models().Encode(ctx, m)
	if c.report(diags, err); err == nil {
		*into = raw
	}
}

func (c codec[M]) report(diags *diag.Diagnostics, err error) {
	if err != nil {
		diags.AddError(diagnose.SummaryUnexpected, "Converting a hap_"+c.resource+": "+err.Error()+". "+diagnose.ReportIssue)
	}
}

// idOf is the attribute id of an object; empty = it has none.
func idOf(object tftypes.Value) (id string) {
	var attributes map[string]tftypes.Value
	if object.IsNull() || object.As(&attributes) != nil {
		return ""
	}
	if value, has := attributes["id"]; !has || value.As(&id) != nil {
		return ""
	}
	return id
}

// quoted is a text as private state takes it.
func quoted(text string) []byte {
	value, _ := json.Marshal(text) // texts cannot fail
	return value
}

// encode is the identity as Terraform keeps it.
func (id Identity) encode(ctx context.Context, of identityschema.Schema, into *tftypes.Value) {
	attributes := map[string]tftypes.Value{}
	for name := range of.Attributes {
		attributes[name], _ = id[name].ToTerraformValue(ctx) // texts cannot fail
	}
	*into = tftypes.NewValue(of.Type().TerraformType(ctx), attributes)
}

// reader reads private state, and privateState also writes it.
type (
	reader interface {
		GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
	}
	privateState interface {
		reader
		SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
	}
)

// placed reports whether private state has an object. What is gone has left an empty one, see [engine.read].
func placed(ctx context.Context, private reader, key string) bool {
	text, _ := private.GetKey(ctx, key) // [placeOf] reports what is wrong
	return len(text) > 0 && string(text) != nowhere
}

// nowhere is what private state keeps of an object that is gone.
const nowhere = "{}"

// placeOf is what private state has of an object; the zero value where it has nothing, or what cannot be read.
func placeOf[P any](ctx context.Context, private reader, key string, diags *diag.Diagnostics) P {
	text, more := private.GetKey(ctx, key)
	diags.Append(more...)
	var p, none P
	if text == nil || json.Unmarshal(text, &p) != nil {
		return none
	}
	return p
}
