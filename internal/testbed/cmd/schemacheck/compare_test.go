package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	tfjson "github.com/hashicorp/terraform-json"
)

// base is a schema in the form that `providers schema -json` has.
const base = `{"format_version":"1.0","provider_schemas":{"example":{
  "provider":{"version":0,"block":{"attributes":{"namespace":{"type":"string","optional":true}}}},
  "resource_schemas":{"hap_account":{"version":1,"block":{
    "attributes":{
      "name":{"type":"string","required":true},
      "uid":{"type":"string","computed":true},
      "secret":{"type":"string","optional":true,"sensitive":true,"write_only":true},
      "credentials_ref":{"nested_type":{"nesting_mode":"single","attributes":{"kind":{"type":"string","optional":true}}},"required":true}},
    "block_types":{"timeouts":{"nesting_mode":"single","block":{"attributes":{"create":{"type":"string","optional":true}}}}}}}},
  "resource_identity_schemas":{"hap_account":{"version":0,"attributes":{"name":{"type":"string","required_for_import":true}}}},
  "functions":{"match_rules":{"return_type":"string","parameters":[{"name":"rules","type":"dynamic"}]}}}}}`

func TestCompare(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		replace [2]string // in the base; empty = nothing
		want    []string
	}{
		"the same":           {},
		"another text alone": {replace: [2]string{`"uid":{"type":"string"`, `"uid":{"description":"of the object","type":"string"`}},
		"a new optional attribute": {
			replace: [2]string{`"uid":`, `"labels":{"type":["map","string"],"optional":true},"uid":`},
		},
		"a new required attribute": {
			replace: [2]string{`"uid":`, `"labels":{"type":["map","string"],"required":true},"uid":`},
			want:    []string{"resource hap_account.labels: is new and required"},
		},
		"an attribute is gone": {
			replace: [2]string{`"uid":{"type":"string","computed":true},`, ""},
			want:    []string{"resource hap_account.uid: is gone"},
		},
		"an attribute of another type": {
			replace: [2]string{`"uid":{"type":"string"`, `"uid":{"type":"number"`},
			want:    []string{"resource hap_account.uid: is of the type number, and was of the type string"},
		},
		"an optional attribute becomes required, inside an object": {
			replace: [2]string{`"kind":{"type":"string","optional":true}`, `"kind":{"type":"string","required":true}`},
			want:    []string{"resource hap_account.credentials_ref.kind: is required, and was not"},
		},
		"a required attribute becomes optional": {
			replace: [2]string{`"name":{"type":"string","required":true}`, `"name":{"type":"string","optional":true}`},
		},
		"an attribute cannot be set any more": {
			replace: [2]string{`"namespace":{"type":"string","optional":true}`, `"namespace":{"type":"string","computed":true}`},
			want:    []string{"provider.namespace: cannot be set any more"},
		},
		"a secret that is kept": {
			replace: [2]string{`"sensitive":true,"write_only":true`, `"sensitive":false`},
			want: []string{
				"resource hap_account.secret: write-only is false, and was true", "resource hap_account.secret: is not sensitive any more",
			},
		},
		"an object becomes a list": {
			replace: [2]string{`"nesting_mode":"single","attributes"`, `"nesting_mode":"list","attributes"`},
			want:    []string{"resource hap_account.credentials_ref: is a list of objects, and was a single"},
		},
		"a block is gone": {
			replace: [2]string{`"block_types":{"timeouts":`, `"block_types":{"times":`},
			want:    []string{"resource hap_account.timeouts: is gone"},
		},
		"a resource is gone": {
			replace: [2]string{`"resource_schemas":{"hap_account":`, `"resource_schemas":{"hap_accounts":`},
			want:    []string{"resource hap_account: is gone"},
		},
		"a version falls": {
			replace: [2]string{`{"hap_account":{"version":1`, `{"hap_account":{"version":0`},
			want:    []string{"resource hap_account: its version falls from 1 to 0: no state of the version before can be read"},
		},
		"an import needs more": {
			replace: [2]string{`"attributes":{"name":{"type":"string","required_for_import":true}}`,
				`"attributes":{"name":{"type":"string","required_for_import":true},"namespace":{"type":"string","required_for_import":true}}`},
			want: []string{"identity of resource hap_account.namespace: is new and required for an import"},
		},
		"a function takes another type": {
			replace: [2]string{`"type":"dynamic"`, `"type":"string"`},
			want:    []string{"function match_rules: its parameter 1 is of the type string, and was of the type dynamic"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			changed := strings.Replace(base, tt.replace[0], tt.replace[1], 1)
			if tt.replace[0] != "" && changed == base {
				t.Fatalf("%s is not in the base", tt.replace[0])
			}
			if got := compare(parse(t, base), parse(t, changed)); !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func parse(t *testing.T, text string) *tfjson.ProviderSchema {
	t.Helper()
	name := filepath.Join(t.TempDir(), "schema.json")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	schema, err := read(name)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}
