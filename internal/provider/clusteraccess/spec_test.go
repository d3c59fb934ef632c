package clusteraccess

import (
	"encoding/json"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// null is the null of an attribute of the schema.
func null(t *testing.T, attribute string) types.Object {
	t.Helper()
	of, ok := accessSchema(t.Context()).Attributes[attribute].GetType().(types.ObjectType)
	if !ok {
		t.Fatalf("%s is no object", attribute)
	}
	return types.ObjectNull(of.AttrTypes)
}

// Everything that the API has comes through an attribute and back; what it fills in is written out.
func TestSpec_roundTrip(t *testing.T) {
	t.Parallel()
	const permissions = `[{"name":"r","namespace":"n","disableAutomaticNamespaceCreation":true,"rules":[{"apiGroups":[""],"resources":["pods"],` +
		`"resourceNames":["a"],"verbs":["get"]},{"nonResourceURLs":["/healthz"],"verbs":["get"]}]}]`
	const roleRefs = `[{"kind":"Role","namespace":"n","name":"x"}]`
	for name, test := range map[string]struct{ attribute, live, sent string }{
		"token": {"token", `{"permissions":` + permissions + `,"roleRefs":` + roleRefs + `}`, ""},
		"empty": {"token", `{"permissions":[]}`, ""},
		"oidc": {"oidc", `{"name":"corp","issuer":"https://id","clientID":"x","groupsPrefix":"","usernamePrefix":"u:","groupsClaim":"g",` +
			`"usernameClaim":"u","extraScopes":["email"],"roles":` + permissions +
			`,"roleBindings":[{"subjects":[{"kind":"User","apiGroup":"g","namespace":"n","name":"a"}],"roleRefs":` + roleRefs + `}]}`, ""},
		"oidc without claims": {"oidc", `{"name":"corp","issuer":"https://id","clientID":"x","roleBindings":[]}`,
			`{"name":"corp","issuer":"https://id","clientID":"x","roleBindings":[],"groupsClaim":"groups","usernameClaim":"sub"}`},
		"a field of a later version": {"token", `{"roleRefs":` + roleRefs + `,"later":{"a":1}}`, `{"roleRefs":` + roleRefs + `}`},
	} {
		seen, err := asSeen(null(t, test.attribute), json.RawMessage(test.live))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want := test.sent
		if want == "" {
			want = test.live
		}
		if sent := textOf(seen); !sameText(sent, json.RawMessage(want)) {
			t.Errorf("%s: it becomes\n%s, and not\n%s", name, sent, want)
		}
	}
}

// An attribute stays as the configuration writes it, where the server says the same.
func TestAsSeen_keepsWhatSaysTheSame(t *testing.T) {
	t.Parallel()
	none := null(t, "oidc")
	oidc, err := asSeen(none, json.RawMessage(`{"name":"corp","issuer":"https://id","clientID":"x","roleBindings":[]}`))
	if err != nil {
		t.Fatal(err)
	}
	kept, err := asSeen(oidc, textOf(oidc)) // with the claims that the API fills in
	if err != nil || !kept.Equal(oidc) {
		t.Errorf("%v became %v, %v", oidc, kept, err)
	}
	if gone, err := asSeen(oidc, nil); err != nil || !gone.IsNull() {
		t.Errorf("taken away: %v, %v", gone, err)
	}
	if kept, err := asSeen(none, nil); err != nil || !kept.IsNull() {
		t.Errorf("nothing: %v, %v", kept, err)
	}
	if _, err := asSeen(none, json.RawMessage(`{"name":7}`)); err == nil {
		t.Error("a number is taken for a text")
	}
}

// What is not known yet is not refused.
func TestChecks_unknown(t *testing.T) {
	t.Parallel()
	list, text := types.ListUnknown(types.StringType), types.StringUnknown()
	for name, wrong := range map[string]string{
		"rule": second(checkRule(map[string]attr.Value{
			"verbs": list, "resources": list, "api_groups": list, "resource_names": list, "non_resource_urls": list,
		})),
		"role":  second(checkRoleRef(map[string]attr.Value{"kind": text, "namespace": text})),
		"token": second(checkToken(map[string]attr.Value{"permissions": list, "role_refs": types.ListNull(types.StringType)})),
		"permission": second(checkPermission(map[string]attr.Value{
			"namespace": types.StringValue("x"), "rules": types.ListUnknown(types.ObjectType{}),
		})),
	} {
		if wrong != "" {
			t.Errorf("%s: %s", name, wrong)
		}
	}
}

// A null is not judged: it is refused as one.
func TestChecks_null(t *testing.T) {
	t.Parallel()
	rule := types.ObjectType{AttrTypes: map[string]attr.Type{"non_resource_urls": types.ListType{ElemType: types.StringType}}}
	rules, diags := types.ListValue(rule, []attr.Value{types.ObjectNull(rule.AttrTypes)})
	if diags.HasError() {
		t.Fatal(diags)
	}
	if at, wrong := checkPermission(map[string]attr.Value{"namespace": types.StringValue("x"), "rules": rules}); wrong != "" {
		t.Errorf("at %s: %s", at, wrong)
	}
}

func second(_, wrong string) string { return wrong }
