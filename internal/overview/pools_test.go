package overview

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

// compiled is a rule set without problems.
func compiled(t *testing.T, source rules.Source) *rules.Set {
	t.Helper()
	set, problems := rules.Compile(source)
	if set == nil || len(problems) > 0 {
		t.Fatalf("problems of the rules: %v", problems)
	}
	return set
}

// poolProblems lists the problems that concern no account in particular.
func poolProblems(o Overview) (all []string) {
	for _, text := range described(o) {
		if text[0] == ' ' {
			all = append(all, text)
		}
	}
	return all
}

// poolsOf lists the pools with their numbers of accounts.
func poolsOf(o Overview) (all []string) {
	for i := range o.Pools {
		all = append(all, fmt.Sprintf("%s: %d", o.Pools[i].Target, o.Pools[i].Tally.Total()))
	}
	return all
}

// Accounts that cool down are none that a claim can take, and are counted apart.
func TestAccountsThatCoolDown(t *testing.T) {
	t.Parallel()
	back := func(ago time.Duration) func(*account.Account) {
		return func(a *account.Account) { a.Made, a.LastHeld = longAgo, someDay.Add(-ago) }
	}
	accounts := []account.Account{anAccount("a", back(time.Hour)), anAccount("b", back(9*time.Hour)), anAccount("c", heldBy("ga-1"), back(time.Hour))}
	o := surveyed(account.Counts{}, account.Policy{MinFreeTime: 3 * time.Hour}, Filter{}, accounts...)
	equal(t, "pool", []int{o.Pools[0].Unclaimed(), o.Pools[0].Tally[account.ClassCooling]}, []int{1, 1})
	equal(t, "times", [][2]time.Time{{o.Accounts[0].FreeSince, o.Accounts[0].CoolsUntil}, {o.Accounts[1].FreeSince, o.Accounts[1].CoolsUntil},
		{o.Accounts[2].FreeSince, o.Accounts[2].CoolsUntil}},
		[][2]time.Time{{someDay.Add(-time.Hour), someDay.Add(2 * time.Hour)}, {someDay.Add(-9 * time.Hour)}, {}})
	equal(t, "no problem", len(o.Accounts[0].Problems), 0)
	o = surveyed(account.Counts{}, account.Policy{}, Filter{}, accounts...)
	equal(t, "without a cooldown", []int{o.Pools[0].Unclaimed(), o.Pools[0].Tally[account.ClassCooling]}, []int{2, 0})
}

// A pool that rules lead to and that has nothing free is a problem, and so is one without any account. Each has its pool, so that the
// metrics have a series of it.
func TestPoolsThatRulesNeed(t *testing.T) {
	t.Parallel()
	set := compiled(t, rules.Source{Entries: []string{"aws", "gcp", "gcp(PR=cf-sa30)", "azure(euAccess=*)", "alicloud(PR=*)", "trial(shared)",
		"sap-converged-cloud(CR=*)"}})
	accounts := []account.Account{
		anAccount("aws-1"), anAccount("aws-2", heldBy("ga-1"), bearing("ga-1", "x")),
		anAccount("azure-1", ofType("azure"), heldBy("ga-1"), bearing("ga-1", "y")), anAccount("azure-2", ofType("azure"), dirty(account.Dirtied)),
		anAccount("sa-1", ofType("gcp_cf-sa30"), unseen("dirty=false")), anAccount("trial-1", shared, dirty(account.Quarantined)),
		anAccount("cc-1", ofType("openstack_eu-de-1"), internal), anAccount("spare", ofType("gdch")),
	}
	missing := []string{
		` missing_pool: No account is in pool azure,euAccess, to which rule 4, "azure(euAccess=*)" leads.`,
		` missing_pool: No account is in pool azure,shared, to which rule 6, "trial(shared)" leads.`,
		` missing_pool: No account is in pool gcp, to which rule 2, "gcp" leads.`,
		` missing_pool: No account is in any pool alicloud_<platform_region>, to which rule 5, "alicloud(PR=*)" leads.`,
	}
	empty := []string{
		" empty_pool: Pool aws,shared has 1 account, and none can be used: quarantined 1.",
		" empty_pool: Pool azure has 2 accounts, and none is free: held 1, dirty 1.",
		" empty_pool: Pool gcp_cf-sa30 has 1 account, and none is free: unreachable 1: sa-1 (dirty=false).",
		" empty_pool: Pool openstack_eu-de-1 has 1 account, and none is free: internal 1.",
	}
	unused := " unused_pool: No rule of the rule set leads to pool gdch, which has 1 account, 1 of them free."
	o := surveyedWith(Facts{Rules: set}, Filter{}, accounts...)
	equal(t, "problems", poolProblems(o), slices.Concat(missing, empty, []string{unused}))
	equal(t, "pools", poolsOf(o), []string{"aws: 2", "aws,shared: 1", "azure: 2", "azure,euAccess: 0", "azure,shared: 0", "gcp: 0",
		"gcp_cf-sa30: 1", "gdch: 1", "openstack_eu-de-1: 1"})

	for of, want := range map[Filter][]string{ // a part of the pools lacks what is of it; a part of the accounts lacks none
		{HyperscalerType: "azure"}: {missing[0], missing[1], empty[1]}, {HyperscalerType: "gcp"}: missing[2:3], {HyperscalerType: "awz"}: nil,
		{GlobalAccount: "ga-1"}: {empty[1]}, {ExpiredClaims: true}: nil,
	} {
		equal(t, fmt.Sprintf("problems of %+v", of), poolProblems(surveyedWith(Facts{Rules: set}, of, accounts...)), want)
	}
	equal(t, "problems without rules", poolProblems(surveyedWith(Facts{}, Filter{}, accounts...)), []string(nil))
	equal(t, "problems of rules that are served", poolProblems(surveyedWith(Facts{
		Rules: compiled(t, rules.Source{Entries: []string{"aws", "sap-converged-cloud(CR=*)"}})}, Filter{},
		anAccount("aws-1"), anAccount("cc-1", ofType("openstack_x")), anAccount("cc-2", ofType("openstack_y")))), []string(nil))
	equal(t, "problems of an empty namespace", poolProblems(surveyedWith(Facts{
		Rules: compiled(t, rules.Source{Entries: []string{"aws"}})}, Filter{})), []string{
		` missing_pool: No account is in pool aws, to which rule 1, "aws" leads.`})
}

// Legacy properties name a pool by the elements that lead to it; a pool that several entries lead to is one problem.
func TestPoolsThatLegacyPropertiesNeed(t *testing.T) {
	t.Parallel()
	set, problems := rules.Compile(rules.Source{Legacy: &rules.Legacy{EUAccessRule: "aws:cf-eu11;aws:cf-ch20"}})
	if set == nil {
		t.Fatal(problems)
	}
	equal(t, "problems", poolProblems(surveyedWith(Facts{Rules: set}, Filter{}, anAccount("aws-1"))), []string{
		` missing_pool: No account is in pool aws,euAccess, to which "aws:cf-eu11" of eu_access_rule and "aws:cf-ch20" of eu_access_rule lead.`,
	})
}
