package family

import (
	"context"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// A value that is write-only goes from what is answered, and stays in what was asked: else the two would be equal, and the answer the
// question.
func TestDirectSchema_withoutWriteOnly(t *testing.T) {
	t.Parallel()
	of := directSchemaOf(schema.Schema{Attributes: map[string]schema.Attribute{
		"name": schema.StringAttribute{Required: true}, "secret": schema.StringAttribute{Optional: true, WriteOnly: true},
	}}, identityschema.Schema{})
	object := func(secret any) tftypes.Value {
		return tftypes.NewValue(of.object, map[string]tftypes.Value{
			"name": tftypes.NewValue(tftypes.String, "a"), "secret": tftypes.NewValue(tftypes.String, secret),
		})
	}
	asked := object("s3cret")
	answered := of.withoutWriteOnly(asked)
	if !answered.Equal(object(nil)) || !asked.Equal(object("s3cret")) || equal(answered, asked) {
		t.Errorf("answered %s, asked %s, equal: %t", answered, asked, equal(answered, asked))
	}
	if again := of.withoutWriteOnly(answered); !equal(again, answered) {
		t.Errorf("an object without it changes to %s", again)
	}
	if none := of.withoutWriteOnly(tftypes.NewValue(of.object, nil)); !none.IsNull() {
		t.Errorf("no object becomes %s", none)
	}
}

// Two objects are equal as their values say.
func TestEqual(t *testing.T) {
	t.Parallel()
	of := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"a": tftypes.String, "b": tftypes.List{ElementType: tftypes.String}}}
	object := func(a any, b ...tftypes.Value) tftypes.Value {
		return tftypes.NewValue(of, map[string]tftypes.Value{
			"a": tftypes.NewValue(tftypes.String, a), "b": tftypes.NewValue(tftypes.List{ElementType: tftypes.String}, b),
		})
	}
	x := tftypes.NewValue(tftypes.String, "x")
	all := []tftypes.Value{
		object("a"), object("b"), object(nil), object(tftypes.UnknownValue), object("a", x), object("a", x, x),
		tftypes.NewValue(of, nil), tftypes.NewValue(of, tftypes.UnknownValue),
	}
	for i, a := range all {
		for j, b := range all {
			if equal(a, b) != (i == j) || equal(a, b) != a.Equal(b) {
				t.Errorf("%s and %s: equal: %t", a, b, equal(a, b))
			}
		}
	}
}

// Private state is as that of the framework: a key without a value is none.
func TestPrivate(t *testing.T) {
	t.Parallel()
	p, ok := privateOf([]byte(`{"a":"e30="}`)) // {}
	if !ok || string(p["a"]) != "{}" {
		t.Fatal(p, ok)
	}
	p.SetKey(context.Background(), "b", []byte("1"))
	p.SetKey(context.Background(), "a", nil)
	if text, err := p.encoded(); err != nil || string(text) != `{"b":"MQ=="}` {
		t.Errorf("%s, %v", text, err)
	}
	p.SetKey(context.Background(), "b", nil)
	if text, err := p.encoded(); err != nil || text != nil {
		t.Errorf("none is %s, %v", text, err)
	}
	for _, text := range []string{`{}`, `null`, `[]`, `{"a":"x"}`, `{".import_before_read":"dHJ1ZQ=="}`, `{"a":"bm8="}`, `{"a":""}`} {
		if p, ok := privateOf([]byte(text)); ok {
			t.Errorf("%s is read as %v, and the framework has to", text, p)
		}
	}
}
