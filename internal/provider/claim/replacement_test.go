package claim_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
)

// claimConfig is the configuration of a claim of one Global Account, with these attributes in place of the usual ones.
func claimConfig(s *acceptance.Session, name string, attributes map[string]any) tftypes.Value {
	s.Helper()
	all := map[string]any{
		"name": name, "global_account": "tenant-1", "plan": "aws",
		"rule_set": map[string]any{"rules": []tftypes.Value{
			tftypes.NewValue(tftypes.String, "aws"), tftypes.NewValue(tftypes.String, "preview"), tftypes.NewValue(tftypes.String, "gcp"),
		}},
	}
	maps.Copy(all, attributes)
	return acceptance.Filled(s, s.ClaimType(), all)
}

// made is a claim that exists.
func made(s *acceptance.Session, config tftypes.Value) acceptance.Standing {
	s.Helper()
	planned, err := s.Server.PlanResourceChange(s.Ctx, s.PlanRequest(config, acceptance.Standing{}))
	s.Fine(err, planned.Diagnostics)
	resp, err := s.Server.ApplyResourceChange(s.Ctx, s.ApplyRequest(config, planned, acceptance.Standing{}))
	s.Fine(err, resp.Diagnostics)
	return acceptance.Standing{State: resp.NewState, Private: resp.Private, Identity: resp.NewIdentity}
}

// plannedClaim is what the CLIs ask for one resource in a plan, and what is said to it. For a replacement they ask once more, without
// the state and with the private data of the first answer; whether the new claim is created first makes no difference.
func plannedClaim(s *acceptance.Session, config *tftypes.Value, was acceptance.Standing) (replaces []string, said []*tfprotov6.Diagnostic) {
	s.Helper()
	return plannedBy(s, config, was, false)
}

// plannedBy is plannedClaim, where forced by a plan that replaces the claim in any case (-replace, replace_triggered_by).
func plannedBy(
	s *acceptance.Session, config *tftypes.Value, was acceptance.Standing, forced bool,
) (replaces []string, said []*tfprotov6.Diagnostic) {
	s.Helper()
	if was.State != nil { // a plan reads first, and the server goes by that
		s.Read(&was)()
	}
	var req *tfprotov6.PlanResourceChangeRequest
	if config == nil {
		req = s.PlanRequest(tftypes.NewValue(s.ClaimType(), nil), acceptance.Standing{})
		req.PriorState, req.PriorPrivate, req.PriorIdentity = was.State, was.Private, was.Identity
	} else {
		req = s.PlanRequest(*config, was)
	}
	resp, err := s.Server.PlanResourceChange(s.Ctx, req)
	if err != nil {
		s.Fatal(err)
	}
	said = resp.Diagnostics
	for _, at := range resp.RequiresReplace {
		replaces = append(replaces, string(at.Steps()[0].(tftypes.AttributeName))) //nolint:forcetypeassert,errcheck // a panic fails the test
	}
	if was.State != nil && (len(replaces) > 0 || forced) {
		req = s.PlanRequest(*config, acceptance.Standing{})
		req.PriorPrivate = resp.PlannedPrivate
		if resp, err = s.Server.PlanResourceChange(s.Ctx, req); err != nil {
			s.Fatal(err)
		}
		said = append(said, resp.Diagnostics...)
	}
	return replaces, said
}

// What makes another claim replaces the one that exists; what is not known yet does not.
func TestClaimReplacement(t *testing.T) {
	t.Parallel()
	g := acceptance.NewFakeGarden(3)
	s := acceptance.NewSession(t, g)
	was := made(s, claimConfig(s, "blue", nil))
	pin := s.Attributes(s.Value(was.State))["binding_name"]
	unknown := tftypes.NewValue(tftypes.String, tftypes.UnknownValue)
	for name, test := range map[string]struct {
		attributes map[string]any
		want       []string
	}{
		"nothing":                     {nil, nil},
		"the owner":                   {map[string]any{"owner": "b"}, nil},
		"another name":                {map[string]any{"name": "red"}, []string{"name"}},
		"another Global Account":      {map[string]any{"global_account": "tenant-2"}, []string{"global_account"}},
		"another account":             {map[string]any{"binding_name": "aws-0002"}, []string{"binding_name"}},
		"all of it":                   {map[string]any{"name": "red", "global_account": "tenant-2"}, []string{"global_account", "name"}},
		"the account that it has":     {map[string]any{"binding_name": pin}, nil},
		"a name that is not known":    {map[string]any{"name": unknown}, nil},
		"a tenant that is not known":  {map[string]any{"global_account": unknown}, nil},
		"a pin that is not known":     {map[string]any{"binding_name": unknown}, nil},
		"one known, one not":          {map[string]any{"name": "red", "global_account": unknown}, []string{"name"}},
		"a request of the same pool":  {map[string]any{"plan": "preview"}, nil},
		"a request of another pool":   {map[string]any{"plan": "gcp"}, []string{"plan"}},
		"a name and another request":  {map[string]any{"name": "red", "plan": "gcp"}, []string{"name", "plan"}},
		"a request that is not known": {map[string]any{"plan": unknown}, nil},
	} {
		config := claimConfig(acceptance.NewSession(t, g), "blue", test.attributes)
		replaces, said := plannedClaim(acceptance.NewSession(t, g), &config, was)
		if !slices.Equal(replaces, test.want) {
			t.Errorf("%s: replaced for %q, want %q", name, replaces, test.want)
		}
		for _, d := range said {
			if d.Severity == tfprotov6.DiagnosticSeverityError {
				t.Errorf("%s: %s: %s", name, d.Summary, d.Detail)
			}
		}
	}
}

// Each resource of a plan counts as the claim that it becomes, in whatever order the resources are planned.
func TestClaimReplacement_declaredOnce(t *testing.T) {
	t.Parallel()
	g := acceptance.NewFakeGarden(3)
	s := acceptance.NewSession(t, g)
	claims := map[string]acceptance.Standing{"": {}}
	for _, name := range []string{"a", "b", "c"} {
		claims[name] = made(s, claimConfig(s, name, nil))
	}
	for name, test := range map[string]struct {
		resources [][2]string // the name in the state and in the configuration of each; empty = it is not there
		twice     int
		ended     int // how many are made in one place and end in another
	}{
		"a list without its first":    {[][2]string{{"a", "b"}, {"b", "c"}, {"c", ""}}, 0, 2},
		"a list with one before":      {[][2]string{{"a", "x"}, {"b", "a"}, {"", "b"}}, 0, 2},
		"a list that turns":           {[][2]string{{"a", "b"}, {"b", "c"}, {"c", "a"}}, 0, 3},
		"two that change places":      {[][2]string{{"a", "b"}, {"b", "a"}, {"c", "c"}}, 0, 2},
		"one that becomes another":    {[][2]string{{"a", "b"}, {"b", "b"}}, 1, 0},
		"two that become the same":    {[][2]string{{"a", "x"}, {"b", "x"}}, 1, 0},
		"one that becomes a new one":  {[][2]string{{"a", "x"}, {"", "x"}}, 1, 0},
		"a shift with a true second":  {[][2]string{{"a", "b"}, {"b", "c"}, {"c", "c"}}, 1, 1},
		"the old name for a new one":  {[][2]string{{"a", "b"}, {"b", ""}, {"", "a"}}, 0, 2},
		"one that exists, and a copy": {[][2]string{{"a", "a"}, {"", "a"}}, 1, 0},
		"a name that is given up":     {[][2]string{{"a", "x"}, {"b", ""}, {"c", "c"}}, 0, 0},
	} {
		for _, direction := range []string{"forwards", "backwards"} {
			s, twice, ended := acceptance.NewSession(t, g), 0, 0
			for _, r := range test.resources {
				var config *tftypes.Value
				if r[1] != "" {
					c := claimConfig(s, r[1], nil)
					config = &c
				}
				_, said := plannedClaim(s, config, claims[r[0]])
				for _, d := range said {
					switch {
					case d.Severity != tfprotov6.DiagnosticSeverityError:
					case d.Summary == diagnose.SummaryDuplicate:
						twice++
					case d.Summary == diagnose.SummaryMadeAndEnded:
						ended++
					default:
						t.Errorf("%s, %s: %s: %s", name, direction, d.Summary, d.Detail)
					}
				}
			}
			if twice != test.twice || ended != test.ended {
				t.Errorf("%s, %s: %d are declared twice, and %d made and ended; want %d and %d", name, direction, twice, ended, test.twice, test.ended)
			}
			slices.Reverse(test.resources)
		}
	}
}

// A claim that a plan is forced to replace, when the rules lead elsewhere by now, counts as the claim that it becomes: another resource with
// that claim would be taken up by it.
func TestClaimReplacement_forced(t *testing.T) {
	t.Parallel()
	g := acceptance.NewFakeGarden(3)
	s := acceptance.NewSession(t, g)
	rules := func(entry string) map[string]any {
		return map[string]any{
			"platform_region": "cf-eu10", "rule_set": map[string]any{"rules": []tftypes.Value{tftypes.NewValue(tftypes.String, entry)}}}
	}
	as, moved := rules("aws"), rules("aws(PR=cf-eu10)")
	claims := map[string]acceptance.Standing{"": {}, "a": made(s, claimConfig(s, "a", as))}
	type planned struct {
		was, name string
		forced    bool
	}
	for name, test := range map[string]struct {
		resources []planned
		rules     map[string]any
		twice     int
	}{
		"alone":                              {[]planned{{"a", "a", true}}, as, 0},
		"alone, on another pool":             {[]planned{{"a", "a", true}}, moved, 0},
		"beside another":                     {[]planned{{"a", "a", true}, {"", "b", false}}, moved, 0},
		"beside one of the same":             {[]planned{{"a", "a", true}, {"", "a", false}}, as, 1},
		"beside one of the same on its pool": {[]planned{{"a", "a", true}, {"", "a", false}}, moved, 1},
		"renamed, beside one of the same":    {[]planned{{"a", "b", true}, {"", "b", false}}, moved, 1},
		"not forced, it stays on its pool":   {[]planned{{"a", "a", false}, {"", "a", false}}, moved, 0},
	} {
		for _, direction := range []string{"forwards", "backwards"} {
			s, twice := acceptance.NewSession(t, g), 0
			for _, r := range test.resources {
				config := claimConfig(s, r.name, test.rules)
				_, said := plannedBy(s, &config, claims[r.was], r.forced)
				for _, d := range said {
					switch {
					case d.Severity != tfprotov6.DiagnosticSeverityError:
					case d.Summary == diagnose.SummaryDuplicate:
						twice++
					default:
						t.Errorf("%s, %s: %s: %s", name, direction, d.Summary, d.Detail)
					}
				}
			}
			if twice != test.twice {
				t.Errorf("%s, %s: %d are declared twice; want %d", name, direction, twice, test.twice)
			}
			slices.Reverse(test.resources)
		}
	}
}

// What a replacement destroys it destroys as the state says; what is said of an update is not said of it.
func TestClaimReplacement_warnings(t *testing.T) {
	t.Parallel()
	g := acceptance.NewFakeGarden(3)
	s := acceptance.NewSession(t, g)
	made(s, claimConfig(s, "first", nil)) // it has taken the account from the pool, the others have not
	kept := made(s, claimConfig(s, "kept", map[string]any{"on_destroy": "keep"}))
	returned := made(s, claimConfig(s, "returned", map[string]any{"on_destroy": "return_to_pool"}))
	unknown := tftypes.NewValue(tftypes.String, tftypes.UnknownValue)
	nowhere := map[string]any{"rules": []tftypes.Value{tftypes.NewValue(tftypes.String, "gcp")}}
	type attributes = map[string]any
	for name, test := range map[string]struct {
		was        acceptance.Standing
		name       string
		attributes attributes
		want       string
	}{
		"in place, from now on to return": {kept, "kept", attributes{"on_destroy": "return_to_pool"}, diagnose.SummaryReturnRefused},
		"replaced by one to return":       {kept, "new", attributes{"on_destroy": "return_to_pool"}, ""},
		"one to return is replaced":       {returned, "new", attributes{"on_destroy": "keep"}, diagnose.SummaryReturnRefused},
		"in place, with an unknown input": {kept, "kept", attributes{"on_destroy": "keep", "platform_region": unknown},
			diagnose.SummaryInputUnknown},
		"in place, another request with rules that are unknown": {kept, "kept", attributes{"on_destroy": "keep", "platform_region": "cf-eu10",
			"rule_set": attributes{"rules": tftypes.NewValue(tftypes.List{ElementType: tftypes.String}, tftypes.UnknownValue)}},
			diagnose.SummaryInputUnknown},
		"in place, the same request with rules that are unknown": {kept, "kept", attributes{"on_destroy": "keep",
			"rule_set": attributes{"rules": tftypes.NewValue(tftypes.List{ElementType: tftypes.String}, tftypes.UnknownValue)}}, ""},
		"replaced, with an unknown input":    {kept, "new", attributes{"on_destroy": "keep", "platform_region": unknown}, ""},
		"in place, and the rules have moved": {kept, "kept", attributes{"on_destroy": "keep", "rule_set": nowhere}, diagnose.SummaryClaimMoved},
	} {
		s := acceptance.NewSession(t, g)
		config := claimConfig(s, test.name, test.attributes)
		_, said := plannedClaim(s, &config, test.was)
		var got string
		for _, d := range said {
			got += d.Summary
		}
		if got != test.want {
			t.Errorf("%s: said %q, want %q", name, got, test.want)
		}
	}
}
