package adr_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
)

func TestAggregateDedicated(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	for name, test := range map[string]struct {
		own       *bool
		a, b      bool
		dedicated bool
		by        string
	}{
		"Concept: Purposes/no purpose is dedicated":                       {nil, false, false, false, ""},
		"Concept: Purposes/at least one of the purposes is dedicated":     {nil, true, false, true, "a"},
		"Concept: Purposes/all purposes are dedicated":                    {nil, true, true, true, "a b"},
		"Concept: Purposes/the request's own false counts":                {&no, true, true, false, ""},
		"Concept: Purposes/the request's own true counts":                 {&yes, false, false, true, "request"},
		"Concept: Purposes/the request's own true counts, with a purpose": {&yes, true, false, true, "request"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			purposes := map[string]adr.Purpose{"a": {Dedicated: test.a}, "b": {Dedicated: test.b}}
			for _, order := range []string{"a b", "b a", "b a b"} {
				r := asked(order)
				r.Dedicated = test.own
				got, err := adr.Aggregate(r, purposes, nil)
				if err != nil || got.Dedicated != test.dedicated || strings.Join(got.DedicatedBy, " ") != test.by {
					t.Errorf("%s: %+v, %v", order, got, err)
				}
			}
		})
	}
}

func TestAggregateTraits(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		request string // its traits
		a, b    string // the traits of two purposes, in the order of the list
		want    string
		sources string // of the first trait
		warning string
	}{
		"Concept: Purposes/the simplest purpose has no traits":                          {want: ""},
		"Concept: Purposes/all traits are aggregated":                                   {"x", "y?", "!z", "x y? !z", "request", ""},
		"Concept: Purposes/each trait appears only once":                                {"x", "x", "x", "x", "request a b", ""},
		"Concept: Purposes/optional is ANDed, all optional":                             {"", "x?", "x?", "x?", "a b", ""},
		"Concept: Purposes/optional is ANDed, one requires":                             {"", "x?", "x", "x", "a b", ""},
		"Concept: Purposes/optional is ANDed, the request requires [choice]":            {"x", "x?", "", "x", "request a", ""},
		"Concept: Purposes/optional is ANDed, a request cannot weaken [choice]":         {"x?", "x", "", "x", "request a", ""},
		"Concept: Purposes/optional is ANDed within one source":                         {"", "x x?", "", "x", "a", ""},
		"Concept: Purposes/negated, the purpose that comes first counts":                {"", "!x?", "x?", "!x?", "a b", "the first purpose in the list counts"},
		"Concept: Purposes/negated, the purpose that comes first counts, the other way": {"", "x?", "!x?", "x?", "a b", "a wants it present, b absent"},
		"Concept: Purposes/negated, the request counts":                                 {"!x", "x", "x", "!x", "request a b", "request wants it absent, a and b present: the request counts"},
		"Concept: Purposes/negated, the request counts against a negation":              {"x", "!x", "!x", "x", "request a b", "the request counts"},
		"Concept: Purposes/the AND crosses polarities [choice]": {"!x?", "x", "", "!x", "request a",
			"It is required to be absent, because a requires the opposite"},
		"Concept: Purposes/the AND crosses polarities of purposes [choice]": {"", "x?", "!x", "x", "a b",
			"It is required to be present, because b requires the opposite"},
		"Concept: Purposes/sources that agree make no warning":                     {"!x", "!x", "!x?", "!x", "request a b", ""},
		"Concept: Traits/Option 2, any of two traits":                              {"y|x", "", "", "x|y", "request", ""},
		"Concept: Traits/Option 2, optional is on the group":                       {"x|y?", "z", "", "x|y? z", "request", ""},
		"Concept: Traits/Option 2, a group of one is that trait":                   {"x|x", "x?", "", "x", "request a", ""},
		"Concept: Traits/Option 2, a negated group is each of its traits [choice]": {"!b|a", "", "", "!a !b", "request", ""},
		"Concept: Traits/Option 2, a negated group against a purpose [choice]": {"!x|y", "x", "y?", "!x !y", "request a",
			"request wants it absent, a present: the request counts"},
		"Concept: Traits/Option 2, a negated optional group [choice]":            {"!x|y?", "!x", "", "!x !y?", "request a", ""},
		"Concept: Traits/Option 2, a negated group beside its traits [choice]":   {"!x|y !x?", "", "", "!x !y", "request", ""},
		"Concept: Traits/Option 2, all of two traits are each of them [choice]":  {"x&y", "y?", "", "x y", "request", ""},
		"Concept: Traits/Option 2, all of two traits against a purpose":          {"x&y", "!x", "", "x y", "request a", "request wants it present, a absent"},
		"Concept: Traits/Option 2, an optional and is one preference [choice]":   {"y&x?", "x", "", "x x&y?", "a", ""},
		"Concept: Traits/Option 2, a negated and":                                {"!x&y", "x", "", "x !x&y", "a", ""},
		"Concept: Traits/Option 2, exactly one of two":                           {"y^x", "x", "", "x x^y", "a", ""},
		"Concept: Traits/Option 2, three operators on the same traits":           {"x^y !x&y x|y", "", "", "!x&y x|y x^y", "request", ""},
		"Concept: Traits/Option 2, exactly one of one trait, whatever the order": {"x^x", "", "", "x", "request", ""},
		"Concept: Traits/Option 2, one of the group is negated":                  {"!x x|y", "", "", "!x x|y", "request", ""},
		"Concept: Traits/Option 2, the same group twice":                         {"x|y y|x?", "", "", "x|y", "request", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			purposes := map[string]adr.Purpose{
				"a": {Traits: traits(strings.Fields(test.a)...)}, "b": {Traits: traits(strings.Fields(test.b)...)},
			}
			got, err := adr.Aggregate(asked("a b", wantsTraits(strings.Fields(test.request)...)), purposes, nil)
			if err != nil {
				t.Fatal(err)
			}
			if written(got.Traits) != test.want {
				t.Errorf("got %s, want %s", written(got.Traits), test.want)
			}
			if test.sources != "" && strings.Join(got.Traits[0].Sources, " ") != test.sources {
				t.Errorf("the sources are %v, want %s", got.Traits[0].Sources, test.sources)
			}
			if warnings := strings.Join(got.Warnings, "\n"); (warnings != "") != (test.warning != "") || !strings.Contains(warnings, test.warning) {
				t.Errorf("the warnings are %q, want %q", warnings, test.warning)
			}
		})
	}
}

// Sources are sorted, whatever the order of the list: it decides about negated alone.
func TestAggregateSources(t *testing.T) {
	t.Parallel()
	purposes := map[string]adr.Purpose{"b": {Traits: traits("x")}, "a": {Traits: traits("x")}, "Z": {Traits: traits("x")}}
	got, err := adr.Aggregate(asked("b a Z", wantsTraits("x")), purposes, nil)
	if err != nil || strings.Join(got.Traits[0].Sources, " ") != "request Z a b" {
		t.Errorf("%+v, %v", got, err)
	}
}

// Equivalent traits are one trait before anything is put together.
func TestAggregateEquivalences(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		request, purpose string
		same             [][]string
		want, wrong      string
	}{
		"Concept: Traits/Option 1, the other name is replaced":            {nodeless, "", [][]string{{workerless, nodeless}}, workerless, ""},
		"Concept: Traits/Option 1, both traits become one":                {workerless + "? " + nodeless + "?", "", [][]string{{nodeless, workerless}}, workerless + "?", ""},
		"Concept: Traits/Option 1, one of the two is required":            {nodeless + "?", workerless, [][]string{{nodeless, workerless}}, workerless, ""},
		"Concept: Traits/Option 1, the negation of the other name":        {"!" + nodeless, workerless + "?", [][]string{{nodeless, workerless}}, "!" + workerless, ""},
		"Concept: Traits/Option 1, asked for and negated under two names": {"!" + nodeless + " " + workerless, "", [][]string{{nodeless, workerless}}, "", "request.traits[1]: the traits foo.bar.baz/nodeless and cluster.openmcp.cloud/workerless have the same meaning, and one is asked for and the other one negated"},
		"Concept: Traits/both options, a negated group of one meaning":    {"!" + nodeless + "|" + workerless, workerless, [][]string{{nodeless, workerless}}, "!" + workerless, ""},
		"Concept: Traits/both options, neither name is canonical":         {"b !c", "", [][]string{{"a", "b", "c"}}, "", "request.traits[1]: the traits b and c have the same meaning"},
		"Concept: Traits/Option 1, groups that share a name [choice]":     {"c", "a?", [][]string{{"b", "a"}, {"c", "b"}}, "a", ""},
		"Concept: Traits/Option 1, groups joined by a third [choice]":     {"d", "", [][]string{{"b", "a"}, {"d", "c"}, {"c", "b"}}, "a", ""},
		"Concept: Traits/both options, the group becomes one trait":       {workerless + "|" + nodeless, "", [][]string{{nodeless, workerless}}, workerless, ""},
		"Concept: Traits/no equivalence":                                  {nodeless, "", nil, nodeless, ""},
		"Concept: Traits/an empty group":                                  {nodeless, "", [][]string{{}}, nodeless, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			purposes := map[string]adr.Purpose{"a": {Traits: traits(strings.Fields(test.purpose)...)}}
			got, err := adr.Aggregate(asked("a", wantsTraits(strings.Fields(test.request)...)), purposes, test.same)
			if test.wrong != "" {
				if err == nil || !strings.Contains(err.Error(), test.wrong) {
					t.Errorf("%v, want %q", err, test.wrong)
				}
				return
			}
			if err != nil || written(got.Traits) != test.want {
				t.Errorf("%s, %v; want %s", written(got.Traits), err, test.want)
			}
		})
	}
}

func TestAggregateErrors(t *testing.T) {
	t.Parallel()
	purposes := map[string]adr.Purpose{
		"a": {}, "torn": {Traits: traits("x", "!x")}, "nameless": {Traits: traits("")}, "either": {Traits: traits("x|y")},
		"nul": {Traits: traits("\x00")},
	}
	for name, test := range map[string]struct {
		request adr.Request
		want    string
	}{
		"Concept: Purposes/at least one purpose":        {asked(""), "request.purposes: a request has one purpose at least"},
		"a purpose without a name":                      {adr.Request{Purposes: []string{"a", ""}}, "request.purposes[1]: the purpose needs a name"},
		"the same trait with two meanings in a request": {asked("a", wantsTraits("x", "y", "!x?")), "request.traits[2]: the trait x is asked for and negated at once"},
		"the same group with two meanings in a request": {asked("a", wantsTraits("x|y", "!y|x")), "request.traits[0]: the trait x or y is asked for and negated at once"},
		"a trait and a negated group that has it":       {asked("a", wantsTraits("x", "!x|y")), "request.traits[1]: the trait x is asked for and negated at once"},
		"a negated group and a trait that is in it":     {asked("a", wantsTraits("!x|y", "y")), "request.traits[1]: the trait y is asked for and negated at once"},
		"a group whose traits are negated one by one":   {asked("a", wantsTraits("x|y", "!x", "!y")), "request.traits[0]: the trait x or y is asked for and negated at once"},
		"a control character in a trait":                {asked("a", wantsTraits("a\x00b")), `request.traits[0]: the trait "a\x00b" has a control character`},
		"a control character in a group":                {asked("a", wantsTraits("a|b\n")), `request.traits[0].any_of[1]: the trait "b\n" has a control character`},
		"a control character in a purpose":              {asked("nul"), `purposes.nul.traits[0]: the trait "\x00" has a control character`},
		"an and against one of its traits":              {asked("a", wantsTraits("x&y", "!y")), "request.traits[1]: the trait y is asked for and negated at once"},
		"an optional and against one of its traits":     {asked("a", wantsTraits("x&y?", "!y")), "request.traits[0]: the trait x and y is asked for and negated at once"},
		"a negated and, and both of its traits":         {asked("a", wantsTraits("!x&y", "x", "y")), "request.traits[0]: the traits x and y cannot be so: the same source asks for 2 of them"},
		"an xor, and both of its traits":                {asked("a", wantsTraits("x^y", "x", "y")), "request.traits[0]: the traits x xor y cannot be so: the same source asks for 2 of them"},
		"a negated xor, and one of its traits":          {asked("a", wantsTraits("!x^y", "x", "!y")), "the same source asks for 1 of them by themselves and negates 1"},
		"two operators in one trait":                    {asked("a", func(r *adr.Request) { r.Traits = []adr.Trait{{AnyOf: []string{"x"}, OneOf: []string{"y"}}} }), "request.traits[0]: any_of and one_of exclude each other"},
		"a trait beside all_of":                         {asked("a", func(r *adr.Request) { r.Traits = []adr.Trait{{Name: "x", AllOf: []string{"y"}}} }), "request.traits[0]: trait and all_of exclude each other"},
		"a name in one_of":                              {asked("a", func(r *adr.Request) { r.Traits = []adr.Trait{{OneOf: []string{"x", ""}}} }), "request.traits[0].one_of[1]: the trait needs a name"},
		"the same trait with two meanings in a purpose": {asked("torn"), "purposes.torn.traits[1]: the trait x is asked for and negated at once"},
		"a trait without a name":                        {asked("a", wantsTraits("")), "request.traits[0]: the trait needs a name"},
		"a trait without a name in a purpose":           {asked("nameless"), "purposes.nameless.traits[0]: the trait needs a name"},
		"a trait without a name in a group":             {asked("a", wantsTraits("x|")), "request.traits[0].any_of[1]: the trait needs a name"},
		"a group in a purpose":                          {asked("either"), "purposes.either.traits[0]: any_of is allowed in requests alone"},
		"trait and any_of":                              {asked("a", func(r *adr.Request) { r.Traits = []adr.Trait{{Name: "x", AnyOf: []string{"y"}}} }), "request.traits[0]: trait and any_of exclude each other"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := adr.Aggregate(test.request, purposes, nil)
			var input *adr.InputError
			if !errors.As(err, &input) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
	_, err := adr.Aggregate(asked("a"), map[string]adr.Purpose{"a": {}, "request": {}}, nil)
	if err == nil || !strings.Contains(err.Error(), "purposes.request: the name means the request itself") {
		t.Errorf("a purpose named request: %v", err)
	}
}

func TestAggregateUnknownPurpose(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		asked   string
		defined []string
		want    string
	}{
		{"mcp", nil, "The purpose mcp is not defined. No purpose is defined."},
		{"mcp", []string{"platform"}, "The purpose mcp is not defined. Defined is platform."},
		{"b a c", []string{"c", "d"}, "The purposes b and a are not defined. Defined are c and d."},
	} {
		purposes := map[string]adr.Purpose{}
		for _, name := range test.defined {
			purposes[name] = adr.Purpose{}
		}
		_, err := adr.Aggregate(asked(test.asked), purposes, nil)
		var unknown *adr.UnknownPurposeError
		if !errors.As(err, &unknown) || err.Error() != test.want {
			t.Errorf("%v, want %q", err, test.want)
		}
	}
}
