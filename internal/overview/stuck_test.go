package overview

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

// ourKeys are the default keys of the labels.
var ourKeys = []string{"hyperscalerType", "tenantName", "shared", "euAccess", "dirty", "internal"}

// surveyedWith is surveyed with facts.
func surveyedWith(facts Facts, of Filter, accounts ...account.Account) Overview {
	return Survey(pool.Inventory{Namespace: namespace, Accounts: pointers(accounts)}, facts, of, someDay)
}

func uid(id string) func(*account.Account) { return func(a *account.Account) { a.UID = id } }

func labelled(labels ...string) func(*account.Account) {
	return func(a *account.Account) {
		a.Labels = map[string]string{}
		for _, key := range labels {
			a.Labels[key] = "true"
		}
	}
}

func leased(lease account.Lease) func(*account.Record) {
	return func(r *account.Record) { r.Lease = lease }
}

func ownedBy(owner string) func(*account.Record) { return func(r *account.Record) { r.Owner = owner } }

// object is an account as the list of all objects has it.
func object(a account.Account, providerType string, dirtySince time.Time) account.Object {
	a.Credentials = &account.Credentials{ProviderType: providerType}
	return account.Object{Account: a, Typed: true, DirtySince: dirtySince}
}

func TestAccountsThatStayDirty(t *testing.T) {
	t.Parallel()
	aws, gdch := anAccount("aws-1", uid("1"), dirty(account.Dirtied)), anAccount("gdch-1", ofType("gdch"), uid("2"), dirty(account.Dirtied))
	free, again := anAccount("gdch-2", ofType("gdch"), uid("3")), anAccount("gdch-3", ofType("gdch"), uid("4"), heldBy("ga-1"), dirty(account.Dirtied))
	fenced, other := anAccount("aws-2", uid("5"), dirty(account.Releasing)), anAccount("aws-3", uid("6"), dirty(account.Dirtied))
	wasFenced := other
	wasFenced.Dirty = account.Releasing
	facts := Facts{
		Strands: func(a *account.Account) bool { return a.Credentials != nil && a.Credentials.ProviderType == "gdch" },
		Objects: []account.Object{
			object(aws, "aws", longAgo), object(gdch, "gdch", longAgo.Add(49*time.Hour)), object(free, "gdch", time.Time{}),
			object(again, "gdch", time.Time{}), object(fenced, "aws", longAgo), object(wasFenced, "aws", longAgo),
		},
	}
	o := surveyedWith(facts, Filter{}, aws, gdch, free, again, fenced, other)
	equal(t, "problems", described(o), []string{
		"aws-2 fence: Its fence (dirty=releasing) keeps new clusters away at least since 2026-03-01 12:00 UTC (2 days).",
		"gdch-1 stranded: No clean-up job wipes accounts of provider type gdch: it stays dirty. It is dirty at least since 2026-03-03 13:00 UTC " +
			"(1 hour).",
		"gdch-3 stranded: No clean-up job wipes accounts of provider type gdch: it stays dirty. Since when it is dirty is not known.",
		"aws-1 dirty: No Global Account holds it. It is dirty at least since 2026-03-01 12:00 UTC (2 days).",
		"aws-3 dirty: No Global Account holds it. Since when it is dirty is not known.", // the label has changed between the lists
	})
	equal(t, "dirty since", o.Accounts[0].DirtySince, longAgo)
}

// The clean-up job goes by the binding that is marked. What that one does not say of its provider type, the account does.
func TestAccountsThatStayDirtyByAnotherBinding(t *testing.T) {
	t.Parallel()
	credentials := func(kind, providerType string) *account.Credentials {
		return &account.Credentials{ProviderType: providerType, Ref: account.CredentialsRef{Kind: kind, Namespace: namespace, Name: "x"}}
	}
	strands := func(a *account.Account) bool {
		c := account.Credentials{ProviderType: a.HyperscalerType}
		if a.Credentials != nil {
			c = account.Credentials{ProviderType: cmp.Or(a.Credentials.ProviderType, a.HyperscalerType), Ref: a.Credentials.Ref}
		}
		return c.ProviderType == "gdch" || !c.Ref.IsSecret()
	}
	const (
		waits = "a dirty: No Global Account holds it. Since when SecretBinding a is dirty is not known."
		stays = "a stranded: No clean-up job wipes accounts%s: it stays dirty. Since when SecretBinding a is dirty is not known."
	)
	for name, test := range map[string]struct {
		pool     string
		own, old *account.Credentials
		want     string
	}{
		"a workload identity, and the binding of a Secret": {"aws", credentials("WorkloadIdentity", "aws"), credentials("Secret", "aws"), waits},
		"a workload identity, no type on the binding":      {"aws", credentials("WorkloadIdentity", "aws"), credentials("Secret", ""), waits},
		"a Secret, and the binding of an identity": {"aws", credentials("Secret", "aws"), credentials("WorkloadIdentity", "aws"),
			fmt.Sprintf(stays, " whose credentials are of kind WorkloadIdentity")},
		"a type without a job": {"gdch", credentials("WorkloadIdentity", "gdch"), credentials("Secret", "gdch"),
			fmt.Sprintf(stays, " of provider type gdch")},
		"a type without a job, no type on the binding": {"gdch", credentials("Secret", "gdch"), credentials("Secret", ""),
			fmt.Sprintf(stays, " of provider type gdch")},
		"a type without a job, no credentials known": {"gdch", credentials("Secret", "gdch"), nil, fmt.Sprintf(stays, " of provider type gdch")},
		"no types but the pool's":                    {"gdch", credentials("Secret", ""), credentials("Secret", ""), fmt.Sprintf(stays, "")},
	} {
		a, binding := anAccount("a", ofType(test.pool)), anAccount("SecretBinding a", ofType(""), dirty(account.Dirtied))
		a.Credentials, binding.Credentials, binding.Sibling = test.own, test.old, true
		o := surveyedWith(Facts{Secrets: true, Strands: strands}, Filter{}, *a.WithTwins([]*account.Account{&binding}))
		found := slices.DeleteFunc(described(o), func(text string) bool { return strings.Contains(text, "same_credentials") })
		equal(t, name, found, []string{test.want})
	}
}

// The clean-up job reads Secrets alone, so other credentials are the reason, whatever the provider type is.
func TestAccountsWithoutASecretStayDirty(t *testing.T) {
	t.Parallel()
	a := anAccount("a", uid("1"), dirty(account.Dirtied))
	of := object(a, "aws", longAgo)
	of.Credentials.Ref = account.CredentialsRef{Kind: "InternalSecret", Namespace: namespace, Name: "a"}
	facts := Facts{Objects: []account.Object{of}, Strands: func(a *account.Account) bool { return !a.Credentials.Ref.IsSecret() }}
	equal(t, "problems", described(surveyedWith(facts, Filter{}, a)), []string{"a stranded: No clean-up job wipes accounts whose credentials are of " +
		"kind InternalSecret: it stays dirty. It is dirty at least since 2026-03-01 12:00 UTC (2 days)."})
}

// Gardener refuses a cluster of another provider type than its account. Where one of the two is not known nothing is wrong.
func TestAccountsInThePoolOfAnotherProviderType(t *testing.T) {
	t.Parallel()
	for hyperscalerType, providers := range map[string]map[string]bool{
		"gcp_cf-sa30":       {"aws": true, "gcp": false, "": false},
		"openstack_eu-de-1": {"openstack": false, "azure": true},
		"gdch":              {"gdch": false, "gcp": true},
		"stackit":           {"openstack": false, "aws": false}, // of a rule set's own plans
	} {
		for provider, wrong := range providers {
			a := anAccount("a", uid("1"), ofType(hyperscalerType))
			want := []string(nil)
			if wrong {
				want = []string{"a provider_differs: It is of provider type " + provider + ", and the clusters of pool " + hyperscalerType + " are of " +
					a.Target().ProviderType() + "."}
			}
			got := described(surveyedWith(Facts{Objects: []account.Object{object(a, provider, time.Time{})}}, Filter{}, a))
			equal(t, hyperscalerType+" with "+provider, got, want)
		}
	}
}

// A claim that waits for its Shoot longer than it may is reported, with its owner: the Shoot has not come, or is gone. A Shoot that is there,
// wherever it is, ends the wait.
func TestClaimsWhoseClusterHasNotCome(t *testing.T) {
	t.Parallel()
	late := func(r *account.Record) { r.ClaimedAt = longAgo.Add(time.Hour) }
	held := anAccount("a", heldBy("ga-1"), bearing("ga-1", "new", forCluster("c1"), late), bearing("ga-1", "old", forCluster("c2"), ownedBy("team-a")),
		bearing("ga-1", "made", forCluster("c3")), bearing("ga-1", "elsewhere", forCluster("c4")), bearing("ga-1", "nameless"))
	accounts := []account.Account{held, anAccount("b", heldBy("ga-1"), bearing("ga-2", "void", forCluster("c5"))),
		anAccount("c", shared, heldBy("ga-1"), bearing("ga-1", "shared", forCluster("c6")))}
	counts := account.Counts{}
	counts.Add("a", "c3")
	counts.Add("b", "c4")
	survey := func(overdue time.Duration, counts account.Counts) (texts []string) {
		all := pool.Inventory{Namespace: namespace, Accounts: pointers(accounts), Policy: several(9), Counts: counts}
		for _, p := range Survey(all, Facts{Overdue: overdue}, Filter{}, someDay).Problems {
			if p.Kind == ProblemWaiting {
				texts = append(texts, p.Account+": "+p.Text)
			}
		}
		return texts
	}
	old := "old (owner team-a) for c2 since 2026-03-01 12:00 UTC (2 days)"
	for overdue, want := range map[time.Duration][]string{
		0:                {},
		51 * time.Hour:   {},
		50 * time.Hour:   {"a: 1 claim of ga-1 waits for a Shoot that has not come or is gone: " + old + "."},
		50*time.Hour - 1: {"a: 1 claim of ga-1 waits for a Shoot that has not come or is gone: " + old + "."},
		24 * time.Hour: {"a: 2 claims of ga-1 wait for a Shoot that has not come or is gone: " + old +
			"; new (no owner is recorded) for c1 since 2026-03-01 13:00 UTC (2 days)."},
	} {
		equal(t, overdue.String(), fmt.Sprint(survey(overdue, counts)), fmt.Sprint(want))
	}
	// Rows name no Shoots: where the database counts alone, no claim is reported.
	rows, err := (&pool.Counting{Source: account.SourceDatabase, Instances: counter{counts: account.Counts{}}}).Count(t.Context())
	equal(t, "error of the count", err, nil)
	equal(t, "by the database alone", survey(time.Hour, rows), []string(nil))
}

func TestQuarantineThatAnotherHasOverwritten(t *testing.T) {
	t.Parallel()
	because := func(a *account.Account) { a.Quarantine = "misuse" }
	o := surveyed(account.Counts{}, account.Policy{}, Filter{}, anAccount("a", dirty(account.Quarantined), because), anAccount("b", because),
		anAccount("c", dirty(account.Dirtied), because))
	equal(t, "problems", described(o)[:1], []string{"c quarantine_lost: It was quarantined (misuse), and is marked for the clean-up job now."})
	equal(t, "number of problems", len(o.Problems), 2) // c waits for the clean-up job, too
}

// A claim beyond its lease is reported with its owner; nothing else of the overview changes.
func TestClaimsBeyondTheirLease(t *testing.T) {
	t.Parallel()
	accounts := []account.Account{
		anAccount("a", heldBy("ga-1"), bearing("ga-1", "blue", leased("49h"), ownedBy("team-a")), bearing("ga-1", "red", leased("1h")),
			bearing("ga-1", "green", leased("50h")), bearing("ga-1", "grey")),
		anAccount("b", heldBy("ga-1"), bearing("ga-1", "later", leased("51h"))),
		anAccount("c", heldBy("ga-2"), bearing("ga-1", "void", leased("1h"))),
	}
	want := "a expired_claim: 2 claims of ga-1 are beyond the lease: red (no owner is recorded) since 2026-03-01 13:00 UTC (2 days); " +
		"blue (owner team-a) since 2026-03-03 13:00 UTC (1 hour)."
	equal(t, "first problem", described(surveyed(account.Counts{}, several(9), Filter{}, accounts...))[1], want)
	o := surveyed(account.Counts{}, several(9), Filter{ExpiredClaims: true}, accounts...)
	equal(t, "problems of the expired alone", described(o), []string{want})
	equal(t, "accounts of the expired alone", accountNames(o), []string{"a"})
	equal(t, "claims of the expired alone", len(o.Accounts[0].ValidRecords), 2)
	equal(t, "the pool is counted as a whole", o.Pools[0].Tally.Total(), 3)

	var many []func(*account.Account)
	for i := range 12 {
		many = append(many, bearing("ga-1", fmt.Sprintf("c%02d", i), leased("1h"), ownedBy("x")))
	}
	o = surveyed(account.Counts{}, several(9), Filter{}, anAccount("a", append(many, heldBy("ga-1"))...))
	text := o.Problems[0].Text
	equal(t, "end of many", text[len(text)-11:], "and 2 more.")
}

func TestStrays(t *testing.T) {
	t.Parallel()
	near := anAccount("near", labelled("eu-access", "team"))
	lost, other := anAccount("lost", labelled("hyperscaler-type")), anAccount("other")
	facts := Facts{Keys: ourKeys, Objects: []account.Object{{Account: near, Typed: true}, {Account: other}, {Account: lost}}}
	nearText := "near stray: Its label eu-access looks like euAccess, and says nothing under that key."
	equal(t, "problems", described(surveyedWith(facts, Filter{}, near)), []string{
		nearText,
		"lost stray: It lacks the label hyperscalerType: neither the broker nor a claim ever sees it. Its label hyperscaler-type looks like " +
			"hyperscalerType, and says nothing under that key.",
		"other stray: It lacks the label hyperscalerType: neither the broker nor a claim ever sees it.",
	})
	facts.Secrets = true // a namespace is full of Secrets that are no accounts
	equal(t, "number of problems among Secrets", len(surveyedWith(facts, Filter{}, near).Problems), 2)
	equal(t, "problems of a part", described(surveyedWith(facts, Filter{HyperscalerType: "aws"}, near)), []string{nearText})
}

// A label under another key that says whose the account is, is shown with what follows: no claim takes the account. Another binding of the
// same credentials may have it.
func TestLabelsThatLeaveInDoubt(t *testing.T) {
	t.Parallel()
	a, b, twin := anAccount("a", labelled("tenant-name")), anAccount("b"), anAccount("SecretBinding b")
	a.Misread = []account.Misread{{Key: "tenant-name", Value: "ga-2", Says: account.ClassHeld, Others: true}}
	twin.Misread, twin.Sibling = a.Misread, true
	o := surveyedWith(Facts{Keys: ourKeys}, Filter{}, a, *b.WithTwins([]*account.Account{&twin}))
	const taken = ": no claim takes it while no Global Account holds it."
	equal(t, "problems", slices.DeleteFunc(described(o), func(text string) bool { return !strings.Contains(text, string(ProblemStray)) }), []string{
		"a stray: Its label tenant-name looks like tenantName, and says nothing under that key. Whose the account is, is in doubt by tenant-name=ga-2" + taken,
		"b stray: Whose the account is, is in doubt by tenant-name=ga-2 of SecretBinding b" + taken,
	})
	equal(t, "classes", o.Pools[0].Tally, account.Tally{account.ClassUnclear: 2})
}

// An annotation that names no Secret of another binding joins no accounts: the binding's name in place of the Secret's is a usual mistake.
func TestAnnotationsThatNameNothing(t *testing.T) {
	t.Parallel()
	of := func(name, secret, said string) account.Account {
		a := anAccount(name)
		a.Credentials = &account.Credentials{Ref: account.CredentialsRef{Kind: "Secret", Namespace: namespace, Name: secret}}
		if said != "" {
			a.SameAs = account.CredentialsRef{Kind: "Secret", Namespace: namespace, Name: said}
		}
		return a
	}
	dangling, own, joined, other := of("dangling", "wi", "binding-1"), of("own", "own", "own"), of("joined", "wi-2", "aws-1"), of("z", "aws-1", "")
	o := surveyedWith(Facts{Keys: ourKeys}, Filter{}, dangling, own, *joined.WithTwins([]*account.Account{&other}))
	equal(t, "problems", slices.DeleteFunc(described(o), func(text string) bool { return !strings.Contains(text, string(ProblemStray)) }), []string{
		`dangling stray: By its annotation hap-project.io/account-of-secret it leads into the cloud account of Secret binding-1 in namespace "` +
			namespace + `", and no other binding refers to that.`,
	})
}

// The bindings of another kind that have a hyperscaler type are named, by name. In a pool of Secrets those of its accounts are none.
func TestOtherKinds(t *testing.T) {
	t.Parallel()
	secret := anAccount("secret")
	own, other := anAccount("SecretBinding own"), anAccount("SecretBinding other")
	own.Sibling, other.Sibling = true, true
	for name, test := range map[string]struct {
		facts Facts
		of    Filter
		want  []string
	}{
		"bindings": {Facts{}, Filter{}, []string{"SecretBinding other", "SecretBinding own"}},
		"Secrets":  {Facts{Secrets: true}, Filter{}, []string{"SecretBinding other"}},
		"a part":   {Facts{}, Filter{HyperscalerType: "aws"}, nil},
	} {
		o := Survey(pool.Inventory{Accounts: pointers([]account.Account{secret}),
			OtherKinds: []*account.Account{own.WithTwins([]*account.Account{&secret}), &other}}, test.facts, test.of, someDay)
		var got []string
		for _, a := range o.OtherKinds {
			got = append(got, a.Name)
		}
		equal(t, name, got, test.want)
	}
}

func TestNearMissesOfKeys(t *testing.T) {
	t.Parallel()
	kebab := []string{"hyperscaler-type", "tenant-name", "shared", "euAccess", "dirty", "internal"}
	for key, want := range map[string]string{
		"hyperscaler-type": "hyperscalerType", "hyperscaler_type": "hyperscalerType", "HyperscalerType": "hyperscalerType",
		"hyperscalertyp": "hyperscalerType", "hyprscalerTpe": "hyperscalerType", "tenant-name": "tenantName", "tenantname": "tenantName",
		"tennantName": "tenantName", "Shared": "shared", "share": "shared", "eu-access": "euAccess", "euaccess": "euAccess", "Dirty": "dirty",
		"dirt": "dirty", "internl": "internal",
		"external": "", "access": "", "team": "", "tenant": "", "name": "", "type": "", "party": "", "stage": "", "": "", "shared-by": "",
		"example.com/shared": "",
	} {
		equal(t, key, nearMiss(key, ourKeys), want)
	}
	equal(t, "the other scheme", nearMiss("hyperscalerType", kebab), "hyperscaler-type")
	equal(t, "the other scheme", nearMiss("tenantName", kebab), "tenant-name")
}

func TestPoolsThatNoRuleLeadsTo(t *testing.T) {
	t.Parallel()
	set, problems := rules.Compile(rules.Source{Entries: []string{"aws", "gcp(PR=cf-sa30)", "trial(shared)"}})
	equal(t, "problems of the rules", len(problems), 0)
	accounts := []account.Account{
		anAccount("aws-1"), anAccount("gcp-1", ofType("gcp"), heldBy("ga-1"), bearing("ga-1", "x")), anAccount("gcp-2", ofType("gcp")),
		anAccount("sa-1", ofType("gcp_cf-sa30")), anAccount("trial", shared), anAccount("trial-2", ofType("azure"), shared),
	}
	o := surveyedWith(Facts{Rules: set}, Filter{}, accounts...)
	equal(t, "problems", described(o), []string{" unused_pool: No rule of the rule set leads to pool gcp, which has 2 accounts, 1 of them free."})
	unused := map[string]bool{}
	for _, p := range o.Pools {
		unused[p.String()] = p.Unused
	}
	equal(t, "pools", unused, map[string]bool{"aws": false, "aws,shared": false, "azure,shared": false, "gcp": true,
		"gcp_cf-sa30": false})
	for of, want := range map[Filter][]string{ // a pool that the filter leaves out is not to blame
		{HyperscalerType: "gcp"}: described(o), {GlobalAccount: "ga-1"}: described(o), {HyperscalerType: "aws"}: nil, {GlobalAccount: "ga-2"}: nil,
		{ExpiredClaims: true}: nil,
	} {
		equal(t, fmt.Sprintf("problems of %+v", of), described(surveyedWith(Facts{Rules: set}, of, accounts...)), want)
	}
	equal(t, "problems without rules", described(surveyedWith(Facts{}, Filter{}, accounts...)), []string(nil))
}

// Two objects with the same credentials are one cloud account, whatever their labels say; an account of its own, shared or not, is fine.
func TestAccountsWithTheSameCredentials(t *testing.T) {
	t.Parallel()
	of := func(a account.Account, kind, name string) account.Object {
		o := object(a, "aws", time.Time{})
		o.Credentials.Ref = account.CredentialsRef{APIVersion: "v1", Kind: kind, Namespace: namespace, Name: name}
		return o
	}
	a, b, c := anAccount("a", uid("1"), shared), anAccount("b", uid("2"), heldBy("ga-1")), anAccount("c", uid("3"), shared)
	identity, lost := anAccount("d", uid("4")), anAccount("lost", uid("5"))
	facts := Facts{Objects: []account.Object{
		of(b, "Secret", "one"), of(a, "Secret", "one"), of(c, "Secret", "two"), of(identity, "WorkloadIdentity", "two"), {Account: of(lost, "Secret", "two").Account},
	}}
	facts.Objects[0].Credentials.Ref.APIVersion = "v2"
	problems := slices.DeleteFunc(described(surveyedWith(facts, Filter{}, a, b, c, identity)),
		func(text string) bool { return !strings.Contains(text, string(ProblemSameCredentials)) })
	equal(t, "problems", problems, []string{
		`a same_credentials: Its credentials (Secret one in namespace "garden-kyma") are also those of b.`,
		`b same_credentials: Its credentials (Secret one in namespace "garden-kyma") are also those of a.`,
		`c same_credentials: Its credentials (Secret two in namespace "garden-kyma") are also those of lost.`,
	})
}
