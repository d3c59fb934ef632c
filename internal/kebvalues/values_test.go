package kebvalues_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/kebvalues"
	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

// The rules of values are taken in the one syntax that has them all, and an error shows both readings where both do.
func TestConfigure_rules(t *testing.T) {
	t.Parallel()
	chart := []string{"aws", "aws(PR=cf-eu11) -> EU", "gcp(PR=cf-sa30) -> PR", "trial -> S", "sap-converged-cloud(HR=*) -> S"}
	proposal := []string{"azure(euAccess=*)", "trial(shared)", "gcp(PR=cf-sa30)", "openstack(CR=*, shared)"}
	legacy := &rules.Legacy{PlatformRegionRule: "gcp:cf-sa30", SharedRule: "trial"}
	for name, test := range map[string]struct {
		values kebvalues.Values
		syntax rules.Syntax
		want   rules.Source
		notes  int
		fails  string
	}{
		"arrow":             {kebvalues.Values{Rule: chart}, "", rules.Source{Syntax: rules.SyntaxArrow, Entries: chart}, 0, ""},
		"attribute":         {kebvalues.Values{Rule: proposal}, "", rules.Source{Syntax: rules.SyntaxAttribute, Entries: proposal}, 0, ""},
		"the same in both":  {kebvalues.Values{Rule: []string{"aws", "gcp"}}, "", rules.Source{Syntax: rules.SyntaxArrow, Entries: []string{"aws", "gcp"}}, 0, ""},
		"properties":        {kebvalues.Values{Legacy: legacy}, "", rules.Source{Legacy: legacy}, 0, ""},
		"rule comes first":  {kebvalues.Values{Rule: proposal, Legacy: legacy}, "", rules.Source{Syntax: rules.SyntaxAttribute, Entries: proposal}, 1, ""},
		"two readings":      {kebvalues.Values{Rule: []string{"gcp", "gcp(PR=cf-sa30)"}}, "", rules.Source{}, 0, `rule 2, "gcp(PR=cf-sa30)" leads to gcp_cf-sa30 in attribute`},
		"the syntax is set": {kebvalues.Values{Rule: []string{"gcp(PR=cf-sa30)"}}, rules.SyntaxArrow, rules.Source{Syntax: rules.SyntaxArrow, Entries: []string{"gcp(PR=cf-sa30)"}}, 0, ""},
		"two syntaxes":      {kebvalues.Values{Rule: []string{"trial -> S", "aws", "trial(shared)"}}, "", rules.Source{}, 0, "the entries are in two syntaxes"},
		"nothing":           {kebvalues.Values{}, "", rules.Source{}, 0, "there are no rules"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := test.values.Configure(test.syntax)
			switch {
			case test.fails != "" && (err == nil || !strings.Contains(err.Error(), test.fails)):
				t.Fatalf("the error is %v", err)
			case test.fails == "" && err != nil:
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got.RuleSet, test.want) || len(got.Notes) != test.notes {
				t.Errorf("it is %+v, with the notes %q", got.RuleSet, got.Notes)
			}
		})
	}
	var unclear *rules.SyntaxError
	if _, err := (kebvalues.Values{Rule: []string{"gcp(PR=cf-sa30)"}}).Configure(""); !errors.As(err, &unclear) || unclear.Mixed || len(unclear.Readings) != 1 {
		t.Errorf("the error is %#v", err)
	}
}

// A limit means what it means for the code of the broker, and whatever is changed is said.
func TestConfigure_limits(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		limits, want map[string]int
		notes        string
	}{
		"as they are":      {map[string]int{"default": 3, "aws": 180}, map[string]int{"default": 3, "aws": 180}, ""},
		"no default":       {map[string]int{"aws": 180}, map[string]int{"default": 999999, "aws": 180}, "limits has no default"},
		"nothing":          {nil, map[string]int{"default": 999999}, "limits has no default"},
		"0 is the default": {map[string]int{"default": 3, "gcp": 0}, map[string]int{"default": 3}, "limits.gcp is left out: 0 means the default, 3."},
		"ignored":          {map[string]int{"default": 3, "gdch": 9}, map[string]int{"default": 3}, "limits.gdch is left out: the code of the broker ignores it"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			values := kebvalues.Values{Rule: []string{"aws"}, MultiAccount: &kebvalues.MultiAccount{
				AllowedGlobalAccounts: []string{"*"}, Limits: test.limits, MinBindingsForGuard: 4,
			}}
			got, err := values.Configure("")
			if err != nil {
				t.Fatal(err)
			}
			want := &kebvalues.MultiAccount{AllowedGlobalAccounts: []string{"*"}, Limits: test.want, MinBindingsForGuard: 4}
			if notes := strings.Join(got.Notes, "\n"); !reflect.DeepEqual(got.MultiAccount, want) || !strings.HasPrefix(notes, test.notes) || (notes == "") != (test.notes == "") {
				t.Errorf("it is %+v, with the notes %q", got.MultiAccount, got.Notes)
			}
		})
	}
}

// The plans that are on must have a rule, but for those of which no hyperscaler is known.
func TestConfigure_plans(t *testing.T) {
	t.Parallel()
	got, err := kebvalues.Values{Rule: []string{"aws"}, EnablePlans: []string{"azure", "own_cluster", "trial"}}.Configure("")
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"azure", "trial"}; !reflect.DeepEqual(got.RuleSet.RequiredPlans, want) || len(got.Plans) != 3 || len(got.Notes) != 1 ||
		!strings.Contains(got.Notes[0], "own_cluster") {
		t.Errorf("required are %q of %q, with the notes %q", got.RuleSet.RequiredPlans, got.Plans, got.Notes)
	}
}
