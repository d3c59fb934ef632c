package takeover

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/overview"
	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

// decided are the decisions in short: kind, account, and the blocks that are written all the same.
func decided(all []Decision) (short []string) {
	for _, d := range all {
		short = append(short, fmt.Sprintf("%s %s %q", d.Kind, d.Account, d.Resources))
	}
	return short
}

// What a person has to decide is in the list, the worst first, with choices, and with the blocks that are written all the same. What is
// in order is not in the list.
func TestDecisions(t *testing.T) {
	t.Parallel()
	o := survey(overview.Filter{},
		account.Account{Name: "free", HyperscalerType: "aws"},
		account.Account{Name: "shared", HyperscalerType: "aws", Shared: true},
		account.Account{Name: "eu", HyperscalerType: "aws", EUAccess: true},
		account.Account{Name: "idle", HyperscalerType: "aws", Tenant: "ga-1"},
		account.Account{Name: "hidden", HyperscalerType: "aws", Unseen: []string{"dirty=false"}},
		account.Account{Name: "kept", HyperscalerType: "aws", Internal: true, Tenant: "ga-2"},
		account.Account{Name: "gone", HyperscalerType: "aws", Terminating: true},
	)
	o.Problems = append(o.Problems, overview.Problem{Account: "bare", Kind: overview.ProblemStray, Text: "It lacks a label."})
	o.OtherKinds = []*account.Account{{Name: "SecretBinding old", HyperscalerType: "aws", Tenant: "ga-3"}}
	text, all := Config(o, Terms{})
	want := []string{
		`internal_held kept ["hap_account.kept" "hap_credentials_binding_claim.kept_held"]`, `unreachable hidden ["hap_account.hidden"]`, `stray bare []`,
		`idle idle ["hap_account.idle" "hap_credentials_binding_claim.idle_held"]`, `other_kind SecretBinding old []`, `left_out gone []`,
	}
	if got := decided(all); !slices.Equal(got, want) {
		t.Errorf("to decide:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, d := range all {
		if len(d.Choices) == 0 || d.Found == "" {
			t.Errorf("%+v", d)
		}
	}
	for _, comment := range []string{
		"# To decide about kept: internal_held.\nimport {", "# To decide about idle: idle.\nimport {", "# bare is left out. It lacks a label.\n",
		"# SecretBinding old is left out: it is an account of another kind.\n",
	} {
		if strings.Count(text, comment) != 1 {
			t.Errorf("no %q in\n%s", comment, text)
		}
	}
	if strings.Contains(text, "To decide about free") || strings.Contains(text, `"old"`) || strings.Contains(text, `"bare"`) {
		t.Errorf("too much in\n%s", text)
	}
}

// Two tenants in one cloud account: neither gets a claim before it is settled whose it is.
func TestDecisions_twoTenantsInOneCloudAccount(t *testing.T) {
	t.Parallel()
	ref := account.CredentialsRef{APIVersion: "v1", Kind: "Secret", Namespace: namespace, Name: "one"}
	var objects []account.Object
	var twins []*account.Account
	for _, name := range []string{"a", "b"} {
		a := account.Account{Name: name, UID: name, HyperscalerType: "aws", Tenant: "ga-" + name,
			Credentials: &account.Credentials{ProviderType: "aws", Ref: ref}}
		objects, twins = append(objects, account.Object{Account: a, Typed: true}), append(twins, &a)
	}
	inventory := pool.Inventory{Namespace: namespace, Accounts: []*account.Account{
		twins[0].WithTwins([]*account.Account{twins[1]}), twins[1].WithTwins([]*account.Account{twins[0]}),
	}}
	text, all := Config(overview.Survey(inventory, overview.Facts{Objects: objects}, overview.Filter{}, today), Terms{})
	want := []string{
		`same_credentials a ["hap_account.a"]`, `same_credentials b ["hap_account.b"]`, `left_out a ["hap_account.a"]`, `left_out b ["hap_account.b"]`,
	}
	if got := decided(all); !slices.Equal(got, want) || strings.Contains(text, claimType+`" "`) {
		t.Errorf("to decide %q, with\n%s", got, text)
	}
}

// The accounts that are asked for name the rules, by the expression of the configuration. One that no rule leads to does not: each plan
// would warn.
func TestConfig_ruledAccounts(t *testing.T) {
	t.Parallel()
	source := rules.Source{Syntax: rules.SyntaxArrow, Entries: []string{"aws", "aws(PR=cf-eu11) -> EU"}}
	set, problems := rules.Compile(source)
	if set == nil {
		t.Fatal(problems)
	}
	o := survey(overview.Filter{}, account.Account{Name: "plain", HyperscalerType: "aws"},
		account.Account{Name: "eu", HyperscalerType: "aws", EUAccess: true}, account.Account{Name: "eu-gcp", HyperscalerType: "gcp", EUAccess: true},
		account.Account{Name: "gcp", HyperscalerType: "gcp"}, account.Account{Name: "held", HyperscalerType: "aws", EUAccess: true, Tenant: "ga-1"})
	for name, test := range map[string]struct {
		by             Terms
		ruled, noRules []string
	}{
		"none": {Terms{Rules: set, Source: source}, []string{"hap_credentials_binding_claim.held_held"}, nil},
		"EU access": {Terms{Rules: set, Source: source, RuleSet: "hap_rule_set.broker", Ruled: RuledEU},
			[]string{"hap_account.eu", "hap_account.held", "hap_credentials_binding_claim.held_held"}, []string{"eu-gcp"}},
		"all": {Terms{Rules: set, Source: source, Ruled: RuledAll},
			[]string{"hap_account.eu", "hap_account.held", "hap_account.plain", "hap_credentials_binding_claim.held_held"}, []string{"eu-gcp", "gcp"}},
	} {
		text, all := Config(o, test.by)
		var ruled []string
		for part := range strings.SplitSeq(text, "import {\n") {
			expression := localRuleSet
			if test.by.RuleSet != "" {
				expression = test.by.RuleSet
			}
			if _, address, _ := strings.Cut(part, "to = "); strings.Contains(part, "= "+expression+"\n") {
				address, _, _ = strings.Cut(address, "\n")
				ruled = append(ruled, address)
			}
		}
		var none []string
		for _, d := range all {
			if d.Kind == KindNoRule {
				none = append(none, d.Account)
			}
		}
		if !slices.Equal(ruled, test.ruled) || !slices.Equal(none, test.noRules) {
			t.Errorf("%s: %q have the rules, and no rule leads to %q:\n%s", name, ruled, none, text)
		}
		if local := strings.Contains(text, "locals {"); local != (test.by.RuleSet == "") {
			t.Errorf("%s: the rules are in the text: %t", name, local)
		}
	}
}

// A claim that a take-over has made has the same address in the next text.
func TestConfig_sameAddressAfterATakeOver(t *testing.T) {
	t.Parallel()
	a := account.Account{Name: "aws.1", HyperscalerType: "aws", Tenant: "ga-1"}
	before := config(survey(overview.Filter{}, a))
	details := account.Details{Request: plan("aws", ""), ReleaseMode: account.Keep}
	a.Records = bearing(record("ga-1", "aws", "aws.1", details))
	after, _ := Config(survey(overview.Filter{}, a), Terms{}) // without those of other configurations
	if want := strings.Replace(before, "# To decide about aws.1: idle.\n", "", 1); after != want || !strings.Contains(after, ".aws_1_held\n") {
		t.Errorf("got\n%s, want\n%s", after, want)
	}
	details.ReleaseMode = account.MarkDirty // which a take-over does not write
	a.Records = bearing(record("ga-1", "aws", "aws.1", details))
	doubtful, _ := Config(survey(overview.Filter{}, a), Terms{})
	from, to := strings.Index(doubtful, "# Claim ga-1/aws.1/aws.1 is recorded, with another on_destroy"), strings.LastIndex(doubtful, "\nimport {")
	if from < 0 || doubtful[:from]+doubtful[to+1:] != after {
		t.Errorf("a claim with another on_destroy: got\n%s", doubtful)
	}
}

// The local value with the rules comes with the text where an account names it, also without a claim, and only then.
func TestConfig_ruledAccountsWithoutAClaim(t *testing.T) {
	t.Parallel()
	source := rules.Source{Entries: []string{"aws"}}
	set, _ := rules.Compile(source)
	o := survey(overview.Filter{}, account.Account{Name: "free", HyperscalerType: "aws"})
	for ruled, want := range map[Ruled]bool{RuledAll: true, RuledEU: false, RuledNone: false, "": false} {
		if text := config(o, Terms{Rules: set, Source: source, Ruled: ruled}); strings.Contains(text, "locals {") != want {
			t.Errorf("%q:\n%s", ruled, text)
		}
	}
}

// A claim on an account for EU access gets along with one in the pool beside it, without rules of the landscape.
func TestMadeRulesTellEUAccessApart(t *testing.T) {
	t.Parallel()
	o := survey(overview.Filter{}, account.Account{Name: "a", HyperscalerType: "aws", Tenant: "ga-1"},
		account.Account{Name: "b", HyperscalerType: "aws", EUAccess: true, Tenant: "ga-1"})
	text, all := Config(o, Terms{})
	if strings.Contains(text, "No rule leads") || !strings.Contains(text, `rules  = ["aws", "aws(PR=cf-eu11) -> EU"]`) ||
		!slices.Equal(decided(all)[:1], []string{`idle a ["hap_account.a" "hap_credentials_binding_claim.a_held"]`}) {
		t.Errorf("got %q and\n%s", decided(all), text)
	}
}
