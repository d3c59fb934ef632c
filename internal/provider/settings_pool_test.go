package provider

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/garden"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/provider/backend"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/settings"
)

// poolObject is a value of the provider's pool; what a caller leaves out is null.
func poolObject(t *testing.T, set map[string]attr.Value, keys map[string]attr.Value) types.Object {
	t.Helper()
	attrTypes := func(attributes map[string]schema.Attribute) map[string]attr.Type {
		all := map[string]attr.Type{}
		for name, a := range attributes {
			all[name] = a.GetType()
		}
		return all
	}
	nested, ok := poolSettingsAttributes()["label_keys"].(schema.SingleNestedAttribute)
	if !ok {
		t.Fatal("label_keys is no nested attribute")
	}
	keyTypes := attrTypes(nested.Attributes)
	values := map[string]attr.Value{"kind": types.StringNull(), "label_scheme": types.StringNull(), "label_keys": types.ObjectNull(keyTypes),
		"prefer": types.StringNull(), "min_free_time": types.StringNull()}
	if keys != nil {
		all := map[string]attr.Value{}
		for name := range keyTypes {
			all[name] = types.StringNull()
		}
		maps.Copy(all, keys)
		values["label_keys"] = types.ObjectValueMust(keyTypes, all)
	}
	maps.Copy(values, set)
	return types.ObjectValueMust(attrTypes(poolSettingsAttributes()), values)
}

func TestPoolSettings_kindSchemeAndKeys(t *testing.T) {
	t.Parallel()
	kebab := garden.KebabLabelKeys()
	mixed := kebab
	mixed.TenantName, mixed.Dirty = "example.com/held-by", "unclean"
	swapped := garden.DefaultLabelKeys()
	swapped.Shared, swapped.Internal = "internal", "shared"
	text := types.StringValue
	for name, c := range map[string]struct {
		object types.Object
		kind   garden.Kind
		keys   garden.LabelKeys
	}{
		"nothing":         {types.ObjectNull(nil), garden.CredentialsBinding, garden.DefaultLabelKeys()},
		"an empty object": {poolObject(t, nil, nil), garden.CredentialsBinding, garden.DefaultLabelKeys()},
		"a kind":          {poolObject(t, map[string]attr.Value{"kind": text("Secret")}, nil), garden.Secret, garden.DefaultLabelKeys()},
		"camel, by name": {poolObject(t, map[string]attr.Value{"label_scheme": text("camel")}, nil), garden.CredentialsBinding,
			garden.DefaultLabelKeys()},
		"kebab": {poolObject(t, map[string]attr.Value{"kind": text("SecretBinding"), "label_scheme": text("kebab")}, nil),
			garden.SecretBinding, kebab},
		"kebab, two keys": {poolObject(t, map[string]attr.Value{"label_scheme": text("kebab")},
			map[string]attr.Value{"tenant_name": text("example.com/held-by"), "dirty": text("unclean")}), garden.CredentialsBinding, mixed},
		"two keys, swapped": {poolObject(t, nil, map[string]attr.Value{"shared": text("internal"), "internal": text("shared")}),
			garden.CredentialsBinding, swapped},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got settings.Settings
			diags := readPool(t.Context(), c.object, &got)
			if diags.HasError() || len(got.Unknown) > 0 || got.Kind != c.kind || got.Keys != c.keys || got.KeysUnknown {
				t.Errorf("got %+v, %v; want %s, %+v", got, diags, c.kind, c.keys)
			}
		})
	}
}

// Each mistake is reported once, at the attribute that made it.
func TestPoolSettings_mistakesAreToldWhereTheyAre(t *testing.T) {
	t.Parallel()
	text := types.StringValue
	for name, c := range map[string]struct {
		scheme attr.Value
		keys   map[string]attr.Value
		at     []string // label_keys.<this>
		says   string
	}{
		"a key of the scheme": {types.StringNull(), map[string]attr.Value{"dirty": text("shared")}, []string{"dirty"},
			`"shared" is the key of shared already`},
		"a key of another scheme is free": {types.StringNull(), map[string]attr.Value{"dirty": text("tenant-name")}, nil, ""},
		"and not in that one":             {text("kebab"), map[string]attr.Value{"dirty": text("tenant-name")}, []string{"dirty"}, "tenant_name"},
		"two own keys": {types.StringNull(), map[string]attr.Value{"hyperscaler_type": text("x"), "internal": text("x")},
			[]string{"internal"}, "hyperscaler_type"},
		"three own keys": {types.StringNull(), map[string]attr.Value{"shared": text("x"), "dirty": text("x"),
			"internal": text("x")}, []string{"dirty", "internal"}, "shared"},
		"empty": {types.StringNull(), map[string]attr.Value{"shared": text("")}, []string{"shared"}, "name part"},
		"a space": {types.StringNull(), map[string]attr.Value{"tenant_name": text("tenant name")},
			[]string{"tenant_name"}, `"tenant name" cannot be the key of a label`},
		"part of a selector": {types.StringNull(), map[string]attr.Value{"tenant_name": text("a,shared=true")},
			[]string{"tenant_name"}, "name part"},
		"too long": {types.StringNull(), map[string]attr.Value{"eu_access": text(strings.Repeat("a", 64))},
			[]string{"eu_access"}, "63"},
		"two slashes": {types.StringNull(), map[string]attr.Value{"eu_access": text("a/b/c")}, []string{"eu_access"}, "a/b/c"},
		"bad prefix": {types.StringNull(), map[string]attr.Value{"eu_access": text("Example/b")}, []string{"eu_access"},
			"prefix part"},
		"unknown keys are let pass": {types.StringNull(), map[string]attr.Value{"shared": types.StringUnknown(), "dirty": text("shared")},
			nil, ""},
		"an unknown scheme, its keys": {types.StringUnknown(),
			map[string]attr.Value{"dirty": text("tenant-name"), "shared": text("tenantName")}, nil, ""},
		"an unknown scheme, own keys": {types.StringUnknown(), map[string]attr.Value{"dirty": text("x"), "shared": text("x")},
			[]string{"dirty"}, "shared"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			diags := readPool(t.Context(), poolObject(t, map[string]attr.Value{"label_scheme": c.scheme}, c.keys), new(settings.Settings))
			var at []string
			for _, d := range diags {
				located, ok := d.(diag.DiagnosticWithPath)
				if !ok || d.Summary() != diagnose.SummaryBadLabelKey || !strings.Contains(d.Detail(), c.says) {
					t.Fatalf("%s: %s, want %q", d.Summary(), d.Detail(), c.says)
				}
				at = append(at, strings.TrimPrefix(located.Path().String(), "pool.label_keys."))
			}
			if !slices.Equal(at, c.at) {
				t.Errorf("mistakes at %v (%v), want %v", at, diags, c.at)
			}
		})
	}
}

// Which free account is taken is part of the policy by which accounts are selected; nothing said is nothing changed.
func TestPoolSettings_freeAccounts(t *testing.T) {
	t.Parallel()
	var s settings.Settings
	s.Policy.MinBindingsForGuard = 3
	diags := readPool(t.Context(), poolObject(t, map[string]attr.Value{
		"prefer": types.StringValue("longest_free"), "min_free_time": types.StringValue("90m"),
	}, nil), &s)
	if diags.HasError() || s.Policy.Prefer != account.PreferLongestFree || s.Policy.MinFreeTime != 90*time.Minute || s.Policy.MinBindingsForGuard != 3 {
		t.Errorf("got %+v, %v", s.Policy, diags)
	}
	diags = readPool(t.Context(), poolObject(t, nil, nil), &s)
	if diags.HasError() || s.Policy.Prefer != "" || s.Policy.MinFreeTime != 0 {
		t.Errorf("nothing said: got %+v, %v", s.Policy, diags)
	}
}

// While a setting is unknown nothing is looked at: it could be the wrong objects, or labels that mean something else.
func TestPoolSettings_unknownValuesAreNamed(t *testing.T) {
	t.Parallel()
	unknownKeys := map[string]attr.Value{"dirty": types.StringUnknown()}
	for name, c := range map[string]struct {
		object      types.Object
		want        []string
		keysUnknown bool
	}{
		"all of it":  {types.ObjectUnknown(nil), []string{"pool"}, true},
		"the kind":   {poolObject(t, map[string]attr.Value{"kind": types.StringUnknown()}, nil), []string{"pool.kind"}, false},
		"the scheme": {poolObject(t, map[string]attr.Value{"label_scheme": types.StringUnknown()}, nil), []string{"pool.label_scheme"}, true},
		"the cooldown": {poolObject(t, map[string]attr.Value{"prefer": types.StringUnknown(), "min_free_time": types.StringUnknown()}, nil),
			[]string{"pool.min_free_time", "pool.prefer"}, false},
		"one key": {poolObject(t, nil, unknownKeys), []string{"pool.label_keys"}, true},
		"two of them": {poolObject(t, map[string]attr.Value{"kind": types.StringUnknown()}, unknownKeys),
			[]string{"pool.kind", "pool.label_keys"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got settings.Settings
			diags := readPool(t.Context(), c.object, &got)
			if diags.HasError() || !slices.Equal(got.Unknown, c.want) || got.KeysUnknown != c.keysUnknown {
				t.Errorf("unknown are %v, the keys %v (%v), want %v, %v", got.Unknown, got.KeysUnknown, diags, c.want, c.keysUnknown)
			}
			if _, err := backend.New(got).Garden.Pool(); err == nil || !strings.Contains(err.Error(), c.want[0]) {
				t.Errorf("a pool is opened (%v)", err)
			}
		})
	}
}

// A near miss of a provider type is an error, also in case; what this landscape alone may have is taken as it is.
func TestCleanUpTypes(t *testing.T) {
	t.Parallel()
	for name, meant := range map[string]string{
		"aws": "", "gdch": "", "openstack": "", "stackit": "", "azure-cn": "", "local": "",
		"AWS": "aws", "awss": "aws", "gpc": "gcp", "ali-cloud": "alicloud", "azrue": "azure", "aws_cf-eu11": "aws", "openstak": "openstack",
	} {
		var s settings.Settings
		diags := readCleanUp(types.SetValueMust(types.StringType, []attr.Value{types.StringValue("gcp"), types.StringValue(name)}), &s)
		text := ""
		for _, d := range diags {
			text += d.Summary() + ": " + d.Detail()
		}
		if meant == "" && len(diags) > 0 || meant != "" && (len(diags) != 1 || !strings.Contains(text, diagnose.SummaryUnknownType) ||
			!strings.Contains(text, "Did you mean \""+meant+"\"?")) {
			t.Errorf("%q: %s", name, text)
		}
	}
	for name, set := range map[string]types.Set{
		"absent": types.SetNull(types.StringType), "unknown": types.SetUnknown(types.StringType),
		"a null, which the schema refuses": types.SetValueMust(types.StringType, []attr.Value{types.StringNull()}),
	} {
		if diags := readCleanUp(set, &settings.Settings{}); len(diags) > 0 {
			t.Errorf("%s: %v", name, diags)
		}
	}
}
