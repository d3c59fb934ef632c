package rules_test

import (
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

// The plans of a set are merged over the built-in table: what it does not name stays, what it names is its own, and null takes out.
func TestPlansAreMerged(t *testing.T) {
	t.Parallel()
	own := rules.Plans{"stackit": {"stackit"}, "preview": {"gcp"}, "trial": nil, "sap-converged-cloud": nil}
	set, problems := rules.Compile(rules.Source{Entries: []string{"aws", "stackit", "preview"}, Plans: own, RequiredPlans: []string{"aws",
		"stackit"}})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	for plan, want := range map[string]string{"aws": "aws", "stackit": "stackit", "preview": "gcp"} {
		if got := answer(set, request(plan)); got != want {
			t.Errorf("plan %s leads to %s, want %s", plan, got, want)
		}
	}
	if len(own) != 4 || own["aws"] != nil || rules.DefaultPlans()["preview"][0] != "aws" {
		t.Errorf("the source or the built-in table was changed: %v", own)
	}
	for _, tt := range []struct {
		name string
		src  rules.Source
		want []string
		text string
	}{
		{"a plan that is taken out", rules.Source{Entries: []string{"trial"}, Plans: own}, []string{"unknown_plan [1] 1 Unknown plan"},
			`"trial" is not in the plans table: plans takes it out (trial = null). Remove that, or the entry.`},
		{"and its other name", rules.Source{Entries: []string{"openstack"}, Plans: own}, []string{"unknown_plan [1] 1 Unknown plan"},
			`"openstack" is not in the plans table.`},
		{"a plan that nothing names", rules.Source{Entries: []string{"ionos"}, Plans: own}, []string{"unknown_plan [1] 1 Unknown plan"},
			`Known plans: alicloud, aws, azure, azure_lite, build-runtime-alicloud, build-runtime-aws, build-runtime-azure, build-runtime-gcp, ` +
				`free, gcp, gdch, preview, stackit. To add it, write plans = { "ionos" = ["<hyperscaler>"] }; the built-in plans stay.`},
		{"a required plan", rules.Source{Entries: []string{"aws"}, RequiredPlans: []string{"stackt"}, Plans: own},
			[]string{"unknown_plan [] 0 Unknown plan"}, `Did you mean "stackit"? Known plans: `},
		{"legacy", rules.Source{Legacy: &rules.Legacy{SharedRule: "ionos"}, Plans: own},
			[]string{"unknown_plan [] 1 Unknown plan in shared_rule"}, `write plans = { "ionos" = ["<hyperscaler>"] }; the built-in plans stay.`},
		{"nothing to take out", rules.Source{Entries: []string{"aws"}, Plans: rules.Plans{"azurelite": nil}},
			[]string{"parse [] 0 No plan to take out"}, `Did you mean "azure_lite"?`},
		{"another name is not taken out", rules.Source{Entries: []string{"aws"}, Plans: rules.Plans{"openstack": nil}},
			[]string{"parse [] 0 No plan to take out"}, "Write sap-converged-cloud = null."},
		{"no hyperscaler is not null", rules.Source{Entries: []string{"aws"}, Plans: rules.Plans{"trial": {}}},
			[]string{"parse [] 0 No hyperscaler"}, "or null to take the plan out"},
		{"an empty table adds nothing", rules.Source{Entries: []string{"aws"}, Plans: rules.Plans{}}, nil, ""},
		{"a plan that no label can be", rules.Source{Entries: []string{"a/b"}}, []string{"unknown_plan [1] 1 Unknown plan"}, "Known plans: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			problems := checkProblems(t, tt.src, tt.want...)
			if len(problems) > 0 && !strings.Contains(problems[0].Message, tt.text) {
				t.Errorf("%s, want %q", problems[0].Message, tt.text)
			}
		})
	}
	_, err := set.Match(request("ionos"))
	if err == nil || !strings.Contains(err.Error(), `write plans = { "ionos" = ["<hyperscaler>"] }; the built-in plans stay.`) {
		t.Errorf("a request of an unknown plan: %v", err)
	}
}

// A merged table is what the rest of a set goes by: ID, rule file, own plans, conversion, legacy properties.
func TestMergedPlansEverywhere(t *testing.T) {
	t.Parallel()
	whole := rules.DefaultPlans()
	whole["stackit"] = []string{"stackit"}
	delete(whole, "gdch")
	merged, _ := rules.Compile(rules.Source{Syntax: attribute, Entries: []string{"aws(PR=a)", "stackit"},
		Plans: rules.Plans{"stackit": {"stackit"}, "gdch": nil}})
	written, _ := rules.Compile(rules.Source{Syntax: attribute, Entries: []string{"aws(PR=a)", "stackit"}, Plans: only(whole)})
	other, _ := rules.Compile(rules.Source{Syntax: attribute, Entries: []string{"aws(PR=a)", "stackit"},
		Plans: rules.Plans{"stackit": {"stackit"}}})
	if merged.ID() != written.ID() || merged.ID() == other.ID() {
		t.Error("the ID does not go by the merged table")
	}
	if own := merged.OwnPlans(); len(own) != 1 || own[0].Name != "stackit" || own[0].Broker != nil {
		t.Errorf("own plans: %v", own)
	}
	if got := strings.Join(ruleFileEntries(t, merged.RuleFile()), "; "); got != "aws(PR=a) -> PR; stackit" {
		t.Errorf("rule file: %s", got)
	}
	if entries, problems := merged.Convert(arrow); problems != nil || strings.Join(entries, "; ") != "aws(PR=a) -> PR; stackit" {
		t.Errorf("converted: %q, %v", entries, problems)
	}
	legacy, problems := rules.Compile(rules.Source{Legacy: &rules.Legacy{SharedRule: "stackit"}, Plans: rules.Plans{"stackit": {"stackit"},
		"gdch": nil}})
	if legacy == nil || answer(legacy, request("stackit")) != "stackit,shared" || answer(legacy, request("azure")) != "azure" ||
		answer(legacy, request("gdch")) != "error" {
		t.Errorf("legacy properties: %v", problems)
	}
}
