package functions

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	resourcetest "github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
)

// callFunction calls a function of the provider as Terraform does, with arguments written as JSON. It returns the result as JSON has
// it, or the error of the function.
func callFunction(t *testing.T, name string, arguments ...string) (any, *tfprotov6.FunctionError) {
	t.Helper()
	values := make([]tftypes.Value, len(arguments))
	for i, text := range arguments {
		var argument any
		if err := json.Unmarshal([]byte(text), &argument); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		values[i] = valueOf(argument)
	}
	return callFunctionWith(t, name, values...)
}

// callFunctionWith is callFunction with arguments of any type.
func callFunctionWith(t *testing.T, name string, arguments ...tftypes.Value) (any, *tfprotov6.FunctionError) {
	t.Helper()
	server, err := factories["hap"]()
	if err != nil {
		t.Fatal(err)
	}
	known, err := server.GetFunctions(t.Context(), &tfprotov6.GetFunctionsRequest{})
	if err != nil || known.Functions[name] == nil {
		t.Fatalf("no function %s: %v", name, err)
	}
	req := &tfprotov6.CallFunctionRequest{Name: name}
	for _, argument := range arguments {
		value, err := tfprotov6.NewDynamicValue(tftypes.DynamicPseudoType, argument)
		if err != nil {
			t.Fatal(err)
		}
		req.Arguments = append(req.Arguments, &value)
	}
	resp, err := server.CallFunction(t.Context(), req)
	if err != nil || resp.Error != nil {
		return nil, resp.Error
	}
	result, err := resp.Result.Unmarshal(known.Functions[name].Return.Type)
	if err != nil {
		t.Fatal(err)
	}
	return plain(t, result), nil
}

// valueOf makes what HCL makes of a text that is JSON: objects and tuples.
func valueOf(v any) tftypes.Value {
	switch v := v.(type) {
	case string:
		return tftypes.NewValue(tftypes.String, v)
	case bool:
		return tftypes.NewValue(tftypes.Bool, v)
	case float64:
		return tftypes.NewValue(tftypes.Number, big.NewFloat(v))
	case []any:
		values, types := make([]tftypes.Value, len(v)), make([]tftypes.Type, len(v))
		for i, e := range v {
			values[i] = valueOf(e)
			types[i] = values[i].Type()
		}
		return tftypes.NewValue(tftypes.Tuple{ElementTypes: types}, values)
	case map[string]any:
		values, types := map[string]tftypes.Value{}, map[string]tftypes.Type{}
		for key, e := range v {
			values[key] = valueOf(e)
			types[key] = values[key].Type()
		}
		return tftypes.NewValue(tftypes.Object{AttributeTypes: types}, values)
	}
	return tftypes.NewValue(tftypes.DynamicPseudoType, nil)
}

// plain makes what JSON has of a value.
func plain(t *testing.T, v tftypes.Value) any {
	t.Helper()
	if v.IsNull() {
		return nil
	}
	var err error
	var result any
	switch {
	case v.Type().Is(tftypes.String):
		var s string
		err = v.As(&s)
		result = s
	case v.Type().Is(tftypes.Bool):
		var b bool
		err = v.As(&b)
		result = b
	case v.Type().Is(tftypes.Number):
		var n big.Float
		err = v.As(&n)
		result, _ = n.Float64()
	case v.Type().Is(tftypes.List{}):
		var elements []tftypes.Value
		err = v.As(&elements)
		list := make([]any, len(elements))
		for i, e := range elements {
			list[i] = plain(t, e)
		}
		result = list
	default:
		var parts map[string]tftypes.Value
		err = v.As(&parts)
		object := map[string]any{}
		for key, e := range parts {
			object[key] = plain(t, e)
		}
		result = object
	}
	if err != nil {
		t.Fatalf("%v: %v", v, err)
	}
	return result
}

// The keys of the results: no more and no fewer.
var resultKeys = map[string]string{
	aggregatePurposes: "[dedicated dedicated_by tenancy_count traits warnings]",
	scheduleCluster:   "[candidates cluster decision prefix prefix_rule profile reason version warnings]",
}

// compare says where a result differs from what an example wants.
func (e proposalExample) compare(result any) error {
	got, ok := result.(map[string]any)
	if keys := fmt.Sprint(slices.Sorted(maps.Keys(got))); !ok || keys != resultKeys[e.call] {
		return fmt.Errorf("the result has the keys %s, want %s", keys, resultKeys[e.call])
	}
	var want map[string]any
	if err := json.Unmarshal([]byte(e.want), &want); err != nil {
		return fmt.Errorf("%s: %w", e.want, err)
	}
	for key, value := range want {
		if number, is := got[key].(json.Number); is {
			got[key], _ = number.Float64()
		}
		if !reflect.DeepEqual(got[key], value) {
			return fmt.Errorf("%s is %v, want %v", key, got[key], value)
		}
	}
	if said := fmt.Sprint(got["reason"], got["warnings"]); !strings.Contains(said, e.says) {
		return fmt.Errorf("%q is not said: %s", e.says, said)
	}
	return nil
}

// CheckValue and String make the example a check of a value in a state.
func (e proposalExample) CheckValue(other any) error { return e.compare(other) }

func (e proposalExample) String() string { return e.want }

// Each sentence of the two concepts, by a call of the function.
func TestFunction_proposalConcepts(t *testing.T) {
	t.Parallel()
	for i, e := range proposalExamples {
		t.Run(fmt.Sprintf("%s/%02d %s", e.section, i, e.sentence), func(t *testing.T) {
			t.Parallel()
			result, wrong := callFunction(t, e.call, e.request, e.context)
			switch {
			case wrong != nil && (e.wrong == "" || !strings.Contains(wrong.Text, e.wrong)):
				t.Errorf("%s, want %q", wrong.Text, e.wrong)
			case wrong == nil && e.wrong != "":
				t.Errorf("%v, want the error %q", result, e.wrong)
			case wrong == nil:
				if err := e.compare(result); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// Each sentence of the two concepts, in a configuration.
func TestAccFunction_proposalConcepts(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	var checks []statecheck.StateCheck
	for i, e := range proposalExamples {
		if e.wrong != "" {
			continue
		}
		name := fmt.Sprintf("o%02d", i)
		fmt.Fprintf(&text, "# %s: %s\noutput %q {\n  value = provider::hap::%s(%s, %s)\n}\n", e.section, e.sentence, name, e.call, e.request, e.context)
		checks = append(checks, statecheck.ExpectKnownOutputValue(name, e))
	}
	inprocess.Test(t, resourcetest.TestCase{
		ProtoV6ProviderFactories: factories,
		Steps:                    []resourcetest.TestStep{{Config: text.String(), ConfigStateChecks: checks}},
	})
}

// Wrong arguments are errors at the argument, which name the key, and the nearest one where a key is not known.
func TestFunction_clusterArguments(t *testing.T) {
	t.Parallel()
	with := func(key, value string) string { return `{"` + key + `": ` + value + `}` }
	cluster := func(more string) string { return with("clusters", `[{"namespace": "n", "name": "a"`+more+`}]`) }
	good := requestFor(`["platform"]`, "")
	for name, c := range map[string]struct {
		call, first, second string
		position            int64
		words               []string
	}{
		"unknown key of a request":               {scheduleCluster, requestFor(`["a"]`, `, "purpose": "a"`), `{}`, 0, []string{`request: there is no key "purpose"`, `Did you mean "purposes"?`}},
		"no object":                              {scheduleCluster, `"a"`, `{}`, 0, []string{"request: an object is needed, not a string"}},
		"null":                                   {scheduleCluster, good, `null`, 1, []string{"landscape: an object is needed, not null"}},
		"a purpose that is no list":              {scheduleCluster, requestFor(`"a"`, ""), `{}`, 0, []string{"request.purposes: a list is needed, not a string"}},
		"no purposes":                            {aggregatePurposes, `{}`, `{}`, 0, []string{"request.purposes: a request has one purpose at least"}},
		"no name":                                {scheduleCluster, `{"namespace": "a", "purposes": ["a"]}`, `{}`, 0, []string{"request: the key name is needed"}},
		"unknown key of a trait":                 {scheduleCluster, wanting(`{"names": "x"}`), `{}`, 0, []string{`request.traits[0]: there is no key "names"`, "The keys are trait, optional, negated, any_of, all_of, one_of"}},
		"a trait that is a text":                 {scheduleCluster, wanting(`"x"`), `{}`, 0, []string{"request.traits[0]: an object is needed, not a string"}},
		"optional that is a text":                {scheduleCluster, wanting(`{"trait": "x", "optional": "yes"}`), `{}`, 0, []string{"request.traits[0].optional: true or false is needed, not a string"}},
		"trait and any_of":                       {scheduleCluster, wanting(`{"trait": "x", "any_of": ["y"]}`), `{}`, 0, []string{"request.traits[0]: trait and any_of exclude each other"}},
		"neither trait nor any_of":               {scheduleCluster, wanting(`{"optional": true}`), `{}`, 0, []string{"request.traits[0]: the trait needs a name"}},
		"an empty any_of":                        {scheduleCluster, wanting(`{"any_of": []}`), `{}`, 0, []string{"request.traits[0].any_of: a group has one trait at least"}},
		"a trait beside an empty any_of":         {scheduleCluster, wanting(`{"trait": "x", "any_of": []}`), `{}`, 0, []string{"request.traits[0].any_of: a group has one trait at least"}},
		"negated inside any_of":                  {scheduleCluster, wanting(`{"any_of": ["x", {"trait": "y", "negated": true}]}`), `{}`, 0, []string{"request.traits[0].any_of[1]: negated belongs beside any_of"}},
		"an unknown key inside any_of":           {scheduleCluster, wanting(`{"any_of": [{"traits": "y"}]}`), `{}`, 0, []string{`request.traits[0].any_of[0]: there is no key "traits"`, `Did you mean "trait"?`}},
		"no trait inside any_of":                 {scheduleCluster, wanting(`{"any_of": [{}]}`), `{}`, 0, []string{"request.traits[0].any_of[0].trait: the trait needs a name"}},
		"a number inside any_of":                 {scheduleCluster, wanting(`{"any_of": [7]}`), `{}`, 0, []string{"request.traits[0].any_of[0]: a string is needed, not a number"}},
		"two meanings":                           {scheduleCluster, wanting(`{"trait": "x"}, {"trait": "x", "negated": true}`), gardenerLandscape, 0, []string{"request.traits[1]: the trait x is asked for and negated at once"}},
		"two meanings in a purpose":              {aggregatePurposes, `{"purposes": ["a"]}`, `{"a": {"traits": [{"trait": "x"}, {"trait": "x", "negated": true}]}}`, 1, []string{"purposes.a.traits[1]: the trait x is asked for and negated at once"}},
		"two meanings in a landscape":            {scheduleCluster, requestFor(`["a"]`, ""), `{"purposes": {"a": {"traits": [{"trait": "x"}, {"trait": "x", "negated": true}]}}}`, 1, []string{"landscape.purposes.a.traits[1]: the trait x"}},
		"all_of and one_of":                      {scheduleCluster, wanting(`{"all_of": ["x"], "one_of": ["y"]}`), gardenerLandscape, 0, []string{"request.traits[0]: all_of and one_of exclude each other"}},
		"an empty one_of":                        {scheduleCluster, wanting(`{"one_of": []}`), `{}`, 0, []string{"request.traits[0].one_of: a group has one trait at least"}},
		"optional inside all_of":                 {scheduleCluster, wanting(`{"all_of": [{"trait": "x", "optional": true}]}`), `{}`, 0, []string{"request.traits[0].all_of[0]: optional belongs beside all_of, for the whole group"}},
		"one_of in a purpose":                    {aggregatePurposes, `{"purposes": ["a"]}`, `{"a": {"traits": [{"one_of": ["x"]}]}}`, 1, []string{"purposes.a.traits[0]: one_of is allowed in requests alone"}},
		"any_of in a purpose":                    {aggregatePurposes, `{"purposes": ["a"]}`, `{"a": {"traits": [{"any_of": ["x"]}]}}`, 1, []string{"purposes.a.traits[0]: any_of is allowed in requests alone; a purpose names one trait at a time"}},
		"any_of in a purpose that is not listed": {aggregatePurposes, `{"purposes": ["a"]}`, `{"a": {}, "b": {"traits": [{"any_of": ["x"]}]}}`, 1, []string{"purposes.b.traits[0]: any_of is allowed in requests alone"}},
		"unknown key of a trait in a purpose":    {aggregatePurposes, `{"purposes": ["a"]}`, `{"a": {"traits": [{"names": "x"}]}}`, 1, []string{"The keys are trait, optional, negated"}},
		"a trait in a group and negated":         {scheduleCluster, wanting(`{"trait": "x"}, {"any_of": ["x", "y"], "negated": true}`), gardenerLandscape, 0, []string{"request.traits[1]: the trait x is asked for and negated at once"}},
		"a control character":                    {scheduleCluster, wanting(`{"trait": "x\u0000y"}`), gardenerLandscape, 0, []string{`request.traits[0]: the trait "x\x00y" has a control character`}},
		"an unknown purpose":                     {aggregatePurposes, `{"purposes": ["workloads"]}`, `{"workload": {}}`, 0, []string{"request.purposes: The purpose workloads is not defined. Defined is workload.", `Did you mean "workload"?`}},
		"an unknown key of a purpose":            {aggregatePurposes, `{"purposes": ["a"]}`, `{"a": {"dedicate": true}}`, 1, []string{`purposes.a: there is no key "dedicate"`, `Did you mean "dedicated"?`}},
		"purposes that are a list":               {aggregatePurposes, `{"purposes": ["a"]}`, `["a"]`, 1, []string{"purposes[0]: an object is needed, not a string"}},
		"purposes that are null":                 {aggregatePurposes, `{"purposes": ["a"]}`, `null`, 1, []string{"purposes: an object is needed, not null"}},
		"a count that is a text":                 {aggregatePurposes, `{"purposes": ["a"]}`, `{"a": {"tenancy_count": "2"}}`, 1, []string{"purposes.a.tenancy_count: a number is needed, not a string"}},
		"a count of half":                        {aggregatePurposes, `{"purposes": ["a"]}`, `{"a": {"tenancy_count": 1.5}}`, 1, []string{"purposes.a.tenancy_count: a whole number from 1 on is needed, not 1.5"}},
		"a count of zero":                        {aggregatePurposes, `{"purposes": ["a"]}`, `{"a": {"tenancy_count": 0}}`, 1, []string{"purposes.a.tenancy_count: a whole number from 1 on is needed, not 0"}},
		"a count of one dedicated cluster":       {scheduleCluster, requestFor(`["a"]`, ""), `{"purposes": {"a": {"dedicated": true, "tenancy_count": 2}}}`, 1, []string{"landscape.purposes.a.tenancy_count: a dedicated Cluster has one request"}},
		"a purpose that is null":                 {aggregatePurposes, `{"purposes": ["a"]}`, `{"a": null}`, 1, []string{"purposes.a: an object is needed, not null"}},
		"a reserved name":                        {aggregatePurposes, `{"purposes": ["a"]}`, `{"request": {}}`, 1, []string{"purposes.request: the name means the request itself"}},
		"a version that is a number":             {scheduleCluster, requestFor(`["a"]`, `, "kubernetes_version": 1.30`), `{}`, 0, []string{"request.kubernetes_version: a string is needed, not a number; write it in quotes: 1.30 as a number is 1.3"}},
		"a version that is none":                 {scheduleCluster, requestFor(`["a"]`, `, "kubernetes_version": "latest"`), `{}`, 0, []string{`request.kubernetes_version: "latest" is no version`}},
		"a prefix that begins no name":           {scheduleCluster, requestFor(`["a"]`, `, "prefix": "-foo"`), `{}`, 0, []string{`request.prefix: "-foo" cannot begin a DNS name`}},
		"an unknown key of a landscape":          {scheduleCluster, good, with("profile", "[]"), 1, []string{`landscape: there is no key "profile"`, `Did you mean "profiles"?`}},
		"an unknown key of a profile":            {scheduleCluster, good, with("profiles", `[{"name": "a", "trait": []}]`), 1, []string{`landscape.profiles[0]: there is no key "trait"`, `Did you mean "traits"?`}},
		"a profile without a name":               {scheduleCluster, good, with("profiles", `[{}]`), 1, []string{"landscape.profiles[0]: the profile needs a name"}},
		"a profile twice":                        {scheduleCluster, good, with("profiles", `[{"name": "a"}, {"name": "a"}]`), 1, []string{"landscape.profiles[1]: each profile needs a name of its own"}},
		"an unknown key of a version":            {scheduleCluster, good, with("profiles", `[{"name": "a", "versions": [{"version": "1.1.1", "depracated": true}]}]`), 1, []string{`landscape.profiles[0].versions[0]: there is no key "depracated"`, `Did you mean "deprecated"?`}},
		"a version without a version":            {scheduleCluster, good, with("profiles", `[{"name": "a", "versions": [{}]}]`), 1, []string{"landscape.profiles[0].versions[0]: the key version is needed"}},
		"an offered version as a number":         {scheduleCluster, good, with("profiles", `[{"name": "a", "versions": [{"version": 1.3}]}]`), 1, []string{"landscape.profiles[0].versions[0].version: a string is needed, not a number"}},
		"an unknown key of a Cluster":            {scheduleCluster, good, cluster(`, "grant": []`), 1, []string{`landscape.clusters[0]: there is no key "grant"`, `Did you mean "grants"?`}},
		"a Cluster without a name":               {scheduleCluster, good, with("clusters", `[{"namespace": "a"}]`), 1, []string{"landscape.clusters[0]: the key name is needed"}},
		"an unknown key of a grant":              {scheduleCluster, good, cluster(`, "grants": [{"name": "a"}]`), 1, []string{`landscape.clusters[0].grants[0]: there is no key "name"`, "The keys are request, prefix"}},
		"a grant without a request":              {scheduleCluster, good, cluster(`, "grants": [{"prefix": "foo-"}]`), 1, []string{`landscape.clusters[0].grants[0]: the key request is needed, as "<namespace>/<name>", not ""`}},
		"a grant without a namespace":            {scheduleCluster, good, cluster(`, "grants": [{"request": "foo"}]`), 1, []string{`the key request is needed, as "<namespace>/<name>", not "foo"`}},
		"a grant with a number":                  {scheduleCluster, good, cluster(`, "grants": [{"request": 7}]`), 1, []string{`landscape.clusters[0].grants[0].request: a string is needed, not a number`}},
		"two grants":                             {scheduleCluster, good, cluster(`, "grants": [{"request": "bar/foo"}, {"request": "bar/foo"}]`), 1, []string{"landscape.clusters: bar/foo holds two grants on n/a; take one away"}},
		"equivalences that are names":            {scheduleCluster, good, with("equivalences", `["a", "b"]`), 1, []string{"landscape.equivalences[0]: a list is needed, not a string"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result, wrong := callFunction(t, c.call, c.first, c.second)
			if wrong == nil {
				t.Fatalf("no error: %v", result)
			}
			if wrong.FunctionArgument == nil || *wrong.FunctionArgument != c.position {
				t.Errorf("the argument is %v, want %d", wrong.FunctionArgument, c.position)
			}
			for _, word := range c.words {
				if !strings.Contains(wrong.Text, word) {
					t.Errorf("%q does not say %q", wrong.Text, word)
				}
			}
			if strings.HasSuffix(wrong.Text, ".") {
				t.Errorf("%q ends in a full stop, and Terraform adds one", wrong.Text)
			}
		})
	}
}

// One request may be handed to both functions, keys that are null count as left out, and lists may be empty.
func TestFunction_clusterArgumentsLeftOut(t *testing.T) {
	t.Parallel()
	request := requestFor(`["platform"]`, `, "dedicated": null, "traits": null, "kubernetes_version": null, "prefix": null`)
	result, wrong := callFunction(t, aggregatePurposes, request, `{"platform": {"dedicated": null, "traits": null, "tenancy_count": null}}`)
	if wrong != nil {
		t.Fatal(wrong.Text)
	}
	e := proposalExample{call: aggregatePurposes, want: `{"dedicated": false, "dedicated_by": [], "traits": [], "warnings": [], "tenancy_count": null}`}
	if err := e.compare(result); err != nil {
		t.Error(err)
	}
	for _, landscape := range []string{
		`{"purposes": {"platform": {}}}`,
		`{"purposes": {"platform": {}}, "profiles": null, "clusters": null, "equivalences": null}`,
		`{"purposes": {"platform": {}}, "profiles": [], "clusters": [], "equivalences": []}`,
	} {
		result, wrong := callFunction(t, scheduleCluster, request, landscape)
		if wrong != nil {
			t.Fatal(wrong.Text)
		}
		e := proposalExample{call: scheduleCluster, want: `{"decision": "deny", "candidates": [], "warnings": [], "version": null}`,
			says: "NoProfile: No profile is deployed"}
		if err := e.compare(result); err != nil {
			t.Error(err)
		}
	}
}

// What is null beside or inside any_of counts as left out.
func TestFunction_anyOfLeftOut(t *testing.T) {
	t.Parallel()
	for traits, want := range map[string]string{
		`{"any_of": [{"trait": "x", "optional": null, "negated": null}, "y"], "trait": null, "optional": null}`: "x or y",
		`{"trait": "x", "any_of": null}`: "x",
	} {
		result, wrong := callFunction(t, aggregatePurposes, `{"purposes": ["a"], "traits": [`+traits+`]}`,
			`{"a": {"traits": [{"trait": "z", "any_of": null}]}}`)
		if wrong != nil {
			t.Errorf("%s: %s", traits, wrong.Text)
			continue
		}
		e := proposalExample{call: aggregatePurposes, want: fmt.Sprintf(`{"traits": [{"trait": %q, "optional": false, "negated": false, `+
			`"sources": ["request"]}, {"trait": "z", "optional": false, "negated": false, "sources": ["a"]}]}`, want)}
		if err := e.compare(result); err != nil {
			t.Error(err)
		}
	}
}

// The order of purposes decides about negated, so a set of them is an error; that of a Cluster may be one.
func TestFunction_setOfPurposes(t *testing.T) {
	t.Parallel()
	set := tftypes.NewValue(tftypes.Set{ElementType: tftypes.String}, []tftypes.Value{tftypes.NewValue(tftypes.String, "a")})
	object := func(parts map[string]tftypes.Value) tftypes.Value {
		types := map[string]tftypes.Type{}
		for key, part := range parts {
			types[key] = part.Type()
		}
		return tftypes.NewValue(tftypes.Object{AttributeTypes: types}, parts)
	}
	_, wrong := callFunctionWith(t, aggregatePurposes, object(map[string]tftypes.Value{"purposes": set}), valueOf(map[string]any{"a": map[string]any{}}))
	if wrong == nil || !strings.Contains(wrong.Text, "request.purposes: a list is needed, not a set, which has no order") {
		t.Errorf("%+v", wrong)
	}
	request := valueOf(map[string]any{"namespace": "n", "name": "r", "purposes": []any{"a"}})
	cluster := object(map[string]tftypes.Value{"namespace": valueOf("n"), "name": valueOf("c"), "profile": valueOf("p"), "purposes": set})
	clusters := tftypes.NewValue(tftypes.Tuple{ElementTypes: []tftypes.Type{cluster.Type()}}, []tftypes.Value{cluster})
	result, wrong := callFunctionWith(t, scheduleCluster, request, object(map[string]tftypes.Value{"clusters": clusters,
		"purposes": valueOf(map[string]any{"a": map[string]any{}}), "profiles": valueOf([]any{map[string]any{"name": "p"}})}))
	if wrong != nil {
		t.Fatal(wrong.Text)
	}
	if err := (proposalExample{call: scheduleCluster, want: `{"decision": "reuse"}`}).compare(result); err != nil {
		t.Error(err)
	}
}

// From a configuration: an error names the argument and the key.
func TestAccFunction_clusterArguments(t *testing.T) {
	t.Parallel()
	refused(t, `provider::hap::aggregate_purposes({ purposes = ["workloads"] }, { workload = {} })`,
		`"request" parameter`, "The purpose workloads is not defined", `Did you mean "workload"?`)
	refused(t, `provider::hap::schedule_cluster({ namespace = "a", name = "b", purposes = ["p"] }, { purpose = {} })`,
		`"landscape" parameter`, `there is no key "purpose"`, `Did you mean "purposes"?`)
	refused(t, `provider::hap::schedule_cluster({ namespace = "a", name = "b", purposes = ["p"], kubernetes_version = 1.30 }, {})`,
		`"request" parameter`, "1.30 as a number is 1.3")
}
