package adr_test

import (
	"slices"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/clusters"
	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
)

// of is a profile of an account.
func of(name string, a adr.Account) adr.Profile {
	p := profile(name, "1.1.1")
	a.Name = "account-" + name
	p.Account = &a
	return p
}

// A profile whose account takes no new Cluster is passed over, with the reason; of equal ones the fullest with room is taken, whatever the
// order in which they come. What is not known passes nothing over.
func TestSchedule_accounts(t *testing.T) {
	t.Parallel()
	type account = adr.Account
	for name, test := range map[string]struct {
		profiles []adr.Profile
		want     string
		loser    string
		reason   string
	}{
		"a full one": {[]adr.Profile{of("a", account{Taken: 2, Limit: 2}), of("b", account{Taken: 0, Limit: 2})}, "create b 1.1.1",
			"a", "account account-a is full: it has 2 clusters, and its limit is 2"},
		"one that is over its limit": {[]adr.Profile{of("a", account{Taken: 3, Limit: 2}), of("b", account{Limit: 2})}, "create b 1.1.1",
			"a", "account account-a is full: it has 3 clusters"},
		"one that is refused": {[]adr.Profile{of("a", account{Refusal: "account account-a is dirty"}), of("b", account{})}, "create b 1.1.1",
			"a", "account account-a is dirty"},
		"the fullest with room": {[]adr.Profile{of("a", account{Taken: 1, Limit: 3}), of("b", account{Taken: 2, Limit: 3})}, "create b 1.1.1",
			"a", "fits, but the fullest account with room comes first: its account account-a has 1 cluster, and that of b 2"},
		"without a limit": {[]adr.Profile{of("a", account{Taken: 1}), of("b", account{Taken: 2})}, "create b 1.1.1",
			"a", "the fullest account with room comes first"},
		"the name": {[]adr.Profile{of("b", account{Taken: 1, Limit: 3}), of("a", account{Taken: 1, Limit: 2})}, "create a 1.1.1",
			"b", "fits as well as a, which comes first by its name"},
		"a newer version before a fuller account": {[]adr.Profile{of("a", account{Taken: 2, Limit: 3}), {
			Name: "b", Versions: versions("1.1.2"), Account: &account{Limit: 3}}}, "create b 1.1.2", "a", "fits, but its newest version is 1.1.1"},
		"a known one before one that is not": {[]adr.Profile{of("a", account{Unseen: "why"}), of("b", account{Limit: 2})}, "create b 1.1.1",
			"a", "its account is not known, and that of b has room"},
		"one that is not known before none": {[]adr.Profile{of("b", account{Limit: 1, Taken: 1}), of("a", account{Unseen: "why", Refusal: "x"})},
			"create a 1.1.1", "b", "is full"},
		"an own one before a shared one": {[]adr.Profile{of("a", account{Shared: true, Taken: 2}), of("b", account{})}, "create b 1.1.1",
			"a", "its account account-a is shared, and that of b is not"},
		"the emptiest of shared ones": {[]adr.Profile{of("a", account{Shared: true, Taken: 2}), of("b", account{Shared: true, Taken: 1})},
			"create b 1.1.1", "a", "of shared accounts the emptiest comes first"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := adr.Landscape{Purposes: fourPurposes(), Profiles: test.profiles}
			for range 2 {
				d := schedule(t, asked("platform"), l)
				if outcome(d) != test.want {
					t.Errorf("%s: %s; want %s", outcome(d), d.Message, test.want)
				}
				contains(t, candidate(d, test.loser), test.reason)
				checkCandidates(t, d, l)
				if i := slices.IndexFunc(l.Profiles, func(p adr.Profile) bool { return p.Name == d.Profile }); d.Account != l.Profiles[i].Account {
					t.Errorf("the decision names the account %+v", d.Account)
				}
				slices.Reverse(l.Profiles)
			}
		})
	}
}

// Where the accounts of all profiles that fit take no Cluster, the request is denied with each reason. What does not fit is not named.
func TestSchedule_noAccount(t *testing.T) {
	t.Parallel()
	l := adr.Landscape{Purposes: fourPurposes(), Profiles: []adr.Profile{
		of("a", adr.Account{Taken: 1, Limit: 1}), of("b", adr.Account{Refusal: "a release of account account-b is under way"}), profile("c", "1.2.1"),
	}}
	d := schedule(t, asked("platform", wantsVersion("1.1.1")), l)
	if d.Action != clusters.Deny || d.Reason != adr.ReasonNoAccount || len(d.Fitting) > 0 {
		t.Errorf("%s %s, fitting %q", d.Action, d.Reason, d.Fitting)
	}
	if want := "No profile that meets what is asked for leads to an account that takes a new Cluster, and no shared Cluster fits: " +
		"a (account account-a is full: it has 1 cluster, and its limit is 1) and b (a release of account account-b is under way)."; d.Message != want {
		t.Errorf("%s\nwant %s", d.Message, want)
	}
	if d = schedule(t, asked("platform", wantsVersion("1.3")), l); d.Reason != adr.ReasonUnsupportedVersion {
		t.Errorf("without a profile that fits: %s", d.Reason)
	}
}

// A shared Cluster that exists costs no place: it is taken in a full account, too, and in one that is dirty; but not in that of another
// Global Account than the request names.
func TestSchedule_sharedInAFullAccount(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		account adr.Account
		want    string
	}{
		"full":    {adr.Account{Taken: 2, Limit: 2}, "reuse clusters/a"},
		"dirty":   {adr.Account{Refusal: "account account-p is dirty"}, "reuse clusters/a"},
		"foreign": {adr.Account{Refusal: "account account-p is held by Global Account ga-2", Foreign: true}, "deny NoAccount"},
	} {
		l := adr.Landscape{Purposes: fourPurposes(), Profiles: []adr.Profile{of("p", test.account)}, Clusters: []adr.Cluster{
			atVersion(shared("a", "p", "platform", "x-"), "1.1.1"),
		}}
		d := schedule(t, asked("platform"), l)
		if outcome(d) != test.want {
			t.Errorf("%s: %s: %s; want %s", name, outcome(d), d.Message, test.want)
		}
		why, err := adr.Outgrown(asked("platform"), l, l.Clusters[0].Ref)
		if err != nil || (why != "") != test.account.Foreign {
			t.Errorf("%s: it is outgrown: %q, %v", name, why, err)
		}
	}
}

// Accounts that are not known are a warning beside a new Cluster, and none beside one that exists.
func TestSchedule_accountsNotRegarded(t *testing.T) {
	t.Parallel()
	l := adr.Landscape{Purposes: fourPurposes(), Profiles: []adr.Profile{
		of("b", adr.Account{Unseen: "no Garden"}), of("a", adr.Account{Unseen: "no Garden"}), of("c", adr.Account{Unseen: "another project"}),
		profile("d", "1.1.1"), profile("e", "9.9.9", workerless),
	}}
	d := schedule(t, asked("platform", wantsVersion("1.1.1")), l)
	want := []string{
		"The account of c was not regarded, neither who holds it nor whether there is room: another project.",
		"The accounts of a and b were not regarded, neither who holds them nor whether there is room: no Garden.",
	}
	if !slices.Equal(d.Warnings, want) {
		t.Errorf("%q, want %q", d.Warnings, want)
	}
	l.Clusters = []adr.Cluster{atVersion(shared("a", "a", "platform", "x-"), "1.1.1")}
	if d = schedule(t, asked("platform"), l); len(d.Warnings) > 0 {
		t.Errorf("%s: %q", outcome(d), d.Warnings)
	}
}
