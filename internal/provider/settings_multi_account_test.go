package provider

import (
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
)

// multiAccountOf is a value of multi_account.
func multiAccountOf(limits types.Map, allowed ...string) types.Object {
	var all []attr.Value
	for _, ga := range allowed {
		all = append(all, types.StringValue(ga))
	}
	return types.ObjectValueMust(map[string]attr.Type{
		"allowed_global_accounts": types.SetType{ElemType: types.StringType}, "limits": types.MapType{ElemType: types.Int64Type},
		"min_bindings_for_guard": types.Int64Type,
	}, map[string]attr.Value{
		"allowed_global_accounts": types.SetValueMust(types.StringType, all), "limits": limits, "min_bindings_for_guard": types.Int64Null(),
	})
}

// Limits of 0 and a default that is missing mean what they mean for the broker, and a warning says so: never where the feature is off,
// nor of what is not known yet.
func TestMultiAccount_limitsLikeTheBrokers(t *testing.T) {
	t.Parallel()
	of := func(limits map[string]int64) types.Map {
		values := map[string]attr.Value{}
		for key, n := range limits {
			values[key] = types.Int64Value(n)
		}
		return types.MapValueMust(types.Int64Type, values)
	}
	unknown := types.MapValueMust(types.Int64Type, map[string]attr.Value{"default": types.Int64Unknown()})
	const missing, zero = diagnose.SummaryMissingLimit, diagnose.SummaryZeroLimit
	for name, test := range map[string]struct {
		limits types.Map
		told   []string // the summary of each warning, and words of it
		limit  int      // of aws
	}{
		"plain":                     {of(map[string]int64{"default": 9}), nil, 9},
		"of its own":                {of(map[string]int64{"default": 9, "aws": 4}), nil, 4},
		"0":                         {of(map[string]int64{"default": 9, "aws": 0}), []string{zero, "aws = 0 means the default", "have the default, 9"}, 9},
		"no default":                {of(map[string]int64{"gcp": 4}), []string{missing, "no limit"}, 0},
		"a default of 0":            {of(map[string]int64{"default": 0}), []string{missing, "or 0"}, 0},
		"a default of 0, and 0":     {of(map[string]int64{"default": 0, "aws": 0}), []string{missing, "no limit", zero, "have no limit, either"}, 0},
		"no limits":                 {types.MapNull(types.Int64Type), []string{missing, "no limit"}, 0},
		"a default that is to come": {unknown, nil, 0},
		"limits that are to come":   {types.MapUnknown(types.Int64Type), nil, 0},
	} {
		policy, _, diags := policyFrom(t.Context(), multiAccountOf(test.limits, "ga-1"))
		text := ""
		for _, d := range diags {
			text += d.Summary() + ": " + d.Detail() + "\n"
		}
		if diags.HasError() || len(diags) != strings.Count(strings.Join(test.told, "\n"), missing)+strings.Count(strings.Join(test.told, "\n"), zero) {
			t.Errorf("%s: %s", name, text)
		}
		for _, words := range test.told {
			if !strings.Contains(text, words) {
				t.Errorf("%s: no %q in %s", name, words, text)
			}
		}
		if got := policy.Limit("ga-1", account.Target{HyperscalerType: "aws"}); got != test.limit {
			t.Errorf("%s: the limit is %d, want %d", name, got, test.limit)
		}
		if _, _, diags := policyFrom(t.Context(), multiAccountOf(test.limits)); len(diags) > 0 {
			t.Errorf("%s, with the feature off: %v", name, diags)
		}
	}
}

// A configuration with such limits is planned, and each warning is there once.
func TestAccMultiAccount_limitsLikeTheBrokers(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"}, testbed.AccountSpec{Name: "gcp-1", HyperscalerType: "gcp"})
	for limits, told := range map[string][]string{
		`limits = { default = 9, aws = 0 }`: {diagnose.SummaryZeroLimit},
		`limits = { default = 0, aws = 0 }`: {diagnose.SummaryZeroLimit, diagnose.SummaryMissingLimit},
		`limits = { aws = 5 }`:              {diagnose.SummaryMissingLimit},
		``:                                  {diagnose.SummaryMissingLimit},
		`limits = { default = 9, aws = 5 }`: nil,
	} {
		c := l.Folder(t)
		acceptance.WriteFile(t, c, "main.tf", acceptance.Requiring+l.Provider("multi_account = {\n allowed_global_accounts = [\"*\"]\n "+limits+"\n}")+acceptance.RulesAWS+
			acceptance.ClaimOf("blue", "ga-1"))
		out := acceptance.Run(t, c, "plan").Output
		for _, summary := range []string{diagnose.SummaryZeroLimit, diagnose.SummaryMissingLimit} {
			want := 0
			if slices.Contains(told, summary) {
				want = 1
			}
			if n := strings.Count(out, summary); n != want {
				t.Errorf("%s: %q %d times, want %d:\n%s", limits, summary, n, want, out)
			}
		}
	}
}

// A hyperscaler of a rule set's own plans that is a variant of a known one has a limit; a name that may be a typing error is
// refused, and the message does not promise it a limit.
func TestMultiAccount_limitOfAVariant(t *testing.T) {
	t.Parallel()
	read := func(key string) (limit int, message string) {
		limits := types.MapValueMust(types.Int64Type, map[string]attr.Value{"default": types.Int64Value(9), key: types.Int64Value(2)})
		policy, _, diags := policyFrom(t.Context(), multiAccountOf(limits, "*"))
		for _, d := range diags {
			message += d.Detail()
		}
		return policy.Limits[key], message
	}
	if limit, message := read("openstack-eu"); limit != 2 || message != "" {
		t.Errorf("openstack-eu has the limit %d: %s", limit, message)
	}
	if _, message := read("azurecn"); !strings.Contains(message, `Did you mean "azure"?`) ||
		!strings.Contains(message, "unless its name is this near to a known one: that one has the limit default.") {
		t.Errorf("azurecn: %q", message)
	}
}
