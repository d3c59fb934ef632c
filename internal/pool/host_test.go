package pool

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
)

// A new cluster comes only to an account that its Global Account holds by a claim, and that has room for it. Each cluster and each
// place that is going to be one counts once.
func TestMayHost(t *testing.T) {
	t.Parallel()
	held, claimed := heldBy("ga-1"), bearing("ga-1", "x")
	reserving := func(cluster string) func(*account.Account) {
		return bearing("ga-1", "r-"+cluster, func(r *account.Record) { r.ClusterName = cluster })
	}
	limited := several(3)
	for name, test := range map[string]struct {
		account  account.Account
		shoots   []string
		planned  []string
		others   []string // Shoots on another account
		tenant   string
		unnamed  bool
		place    int
		reason   account.HostReason
		noPolicy bool
		coming   *account.ComingClaim
	}{
		"the first":                           {account: anAccount("a", held, claimed), place: 1},
		"the third":                           {account: anAccount("a", held, claimed), shoots: []string{"s1", "s2"}, place: 3},
		"the fourth of three":                 {account: anAccount("a", held, claimed), shoots: []string{"s1", "s2", "s3"}, place: 4, reason: account.HostFull},
		"no limit":                            {account: anAccount("a", held, claimed), shoots: []string{"s1", "s2", "s3"}, place: 4, noPolicy: true},
		"its own reservation":                 {account: anAccount("a", held, reserving("new")), shoots: []string{"s1", "s2"}, place: 3},
		"the reservation of another":          {account: anAccount("a", held, reserving("other")), shoots: []string{"s1", "s2"}, place: 4, reason: account.HostFull},
		"a reservation that has its Shoot":    {account: anAccount("a", held, reserving("s1")), shoots: []string{"s1", "s2"}, place: 3},
		"others that are planned":             {account: anAccount("a", held, claimed), planned: []string{"p1", "p2"}, place: 3},
		"too many that are planned":           {account: anAccount("a", held, claimed), planned: []string{"p1", "p2", "p3"}, place: 4, reason: account.HostFull},
		"itself among the planned":            {account: anAccount("a", held, claimed), planned: []string{"new", "p1"}, place: 2},
		"one that is planned and reserved":    {account: anAccount("a", held, reserving("p1")), planned: []string{"p1"}, place: 2},
		"one that is planned and made by now": {account: anAccount("a", held, claimed), shoots: []string{"p1"}, planned: []string{"p1"}, place: 2},
		"its name on another account, and full": {account: anAccount("a", held, claimed), shoots: []string{"s1", "s2", "s3"},
			others: []string{"new"}, place: 4, reason: account.HostFull},
		"its name on another account, and room":  {account: anAccount("a", held, claimed), others: []string{"new"}, place: 1},
		"a planned one that has its old Shoot":   {account: anAccount("a", held, claimed), planned: []string{"p1"}, others: []string{"p1"}, place: 2},
		"a reservation whose Shoot is elsewhere": {account: anAccount("a", held, reserving("r1")), others: []string{"r1"}, place: 1},
		"for the tenant that holds it":           {account: anAccount("a", held, claimed), tenant: "ga-1", place: 1},
		"for another tenant than holds it":       {account: anAccount("a", held, claimed), tenant: "ga-2", place: 1, reason: account.HostForeign},
		"for another tenant, without a claim":    {account: anAccount("a", held), tenant: "ga-2", place: 1, reason: account.HostForeign},
		"free, for a tenant":                     {account: anAccount("a"), tenant: "ga-1", place: 1, reason: account.HostUnheld},
		"shared, for a tenant":                   {account: anAccount("a", shared), tenant: "ga-2", place: 1},
		"for no named Global Account":            {account: anAccount("a", held, claimed), unnamed: true, place: 1, reason: account.HostUnnamed},
		"free, for no named Global Account":      {account: anAccount("a"), unnamed: true, place: 1, reason: account.HostUnheld},
		"shared, for no named Global Account":    {account: anAccount("a", shared), unnamed: true, place: 1},
		"for no named Global Account, and a claim comes": {account: anAccount("a"), coming: &account.ComingClaim{Tenant: "ga-1"}, unnamed: true, place: 1,
			reason: account.HostUnnamed},
		"held without a claim":                 {account: anAccount("a", held), place: 1, reason: account.HostUnclaimed},
		"a claim of an earlier tenant":         {account: anAccount("a", held, bearing("ga-2", "x")), place: 1, reason: account.HostUnclaimed},
		"free":                                 {account: anAccount("a"), place: 1, reason: account.HostUnheld},
		"dirty":                                {account: anAccount("a", held, claimed, dirty(account.Dirtied)), place: 1, reason: account.HostDirty},
		"quarantined":                          {account: anAccount("a", held, claimed, dirty(account.Quarantined)), place: 1, reason: account.HostQuarantined},
		"being released":                       {account: anAccount("a", held, claimed, dirty(account.Releasing)), place: 1, reason: account.HostReleasing},
		"being deleted":                        {account: anAccount("a", held, claimed, terminating), place: 1, reason: account.HostDeleting},
		"shared":                               {account: anAccount("a", shared), shoots: []string{"s1", "s2", "s3", "s4"}, place: 5},
		"shared and dirty, as the broker does": {account: anAccount("a", shared, dirty(account.Dirtied)), place: 1},

		"free, and a claim comes": {account: anAccount("a"), coming: &account.ComingClaim{Tenant: "ga-1"}, place: 1},
		"free, and a claim of a Global Account comes that is not known": {account: anAccount("a"), coming: &account.ComingClaim{}, tenant: "ga-1", place: 1},
		"free, and a claim of another comes": {account: anAccount("a"), coming: &account.ComingClaim{Tenant: "ga-2"}, tenant: "ga-1", place: 1,
			reason: account.HostForeign},
		"held without a claim, and one comes": {account: anAccount("a", held), coming: &account.ComingClaim{Tenant: "ga-1"}, place: 1},
		"held, and a claim of another comes": {account: anAccount("a", held, claimed), coming: &account.ComingClaim{Tenant: "ga-2"}, tenant: "ga-2", place: 1,
			reason: account.HostForeign},
		"held without a claim, and one of another comes": {account: anAccount("a", held), coming: &account.ComingClaim{Tenant: "ga-2"}, place: 1,
			reason: account.HostUnclaimed},
		"full, and a claim comes": {account: anAccount("a"), coming: &account.ComingClaim{Tenant: "ga-1"}, shoots: []string{"s1", "s2", "s3"}, place: 4,
			reason: account.HostFull},
		"dirty, and a claim comes":          {account: anAccount("a", dirty(account.Dirtied)), coming: &account.ComingClaim{Tenant: "ga-1"}, place: 1, reason: account.HostDirty},
		"being released, and a claim comes": {account: anAccount("a", dirty(account.Releasing)), coming: &account.ComingClaim{Tenant: "ga-1"}, place: 1, reason: account.HostReleasing},
		"being deleted, and a claim comes":  {account: anAccount("a", terminating), coming: &account.ComingClaim{Tenant: "ga-1"}, place: 1, reason: account.HostDeleting},
	} {
		for _, fresh := range []bool{false, true} {
			parallel(t, name, func(t *testing.T) {
				w := newWorld(t, test.account)
				for _, s := range test.shoots {
					w.counter.add("a", s)
				}
				for _, s := range test.others {
					w.counter.add("b", s)
				}
				w.policy = limited
				if test.noPolicy {
					w.policy = account.Policy{}
				}
				room, err := w.pool().MayHost(t.Context(), account.HostRequest{
					Account: "a", Cluster: "new", Tenant: test.tenant, Unnamed: test.unnamed, Planned: test.planned, Fresh: fresh, Coming: test.coming,
				})
				var refused *account.HostError
				errors.As(err, &refused)
				if err != nil && refused == nil {
					t.Fatal(err)
				}
				reason := account.HostReason("")
				if refused != nil {
					reason = refused.Reason
				}
				if room.Place != test.place || reason != test.reason {
					t.Errorf("place %d, %q (%v); want place %d, %q", room.Place, reason, err, test.place, test.reason)
				}
				w.wantWrites(t)
			})
		}
	}
}

// Claims of the same run that name no cluster take a place each until a Shoot comes: one that is there, or one that is planned.
func TestMayHostBesideClaimsOfTheRun(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		claims  int
		came    []string // Shoots that came to the account after the claims
		planned []string
		place   int
	}{
		"one for the cluster":                             {claims: 1, place: 2},
		"one for the cluster, and another":                {claims: 2, place: 3},
		"one that has its Shoot":                          {claims: 2, came: []string{"s"}, place: 3},
		"all have their Shoots":                           {claims: 2, came: []string{"s", "s2"}, place: 4},
		"one that has its Shoot, which was planned":       {claims: 3, came: []string{"p"}, planned: []string{"p"}, place: 4},
		"one whose Shoot is planned, and another":         {claims: 3, planned: []string{"p"}, place: 4},
		"more are planned than there are claims":          {claims: 1, planned: []string{"p", "p2"}, place: 4},
		"this same cluster came, and its answer was lost": {claims: 2, came: []string{"new"}, place: 3},
	} {
		for _, fresh := range []bool{false, true} {
			virtual(t, fmt.Sprintf("%s, fresh %t", name, fresh), func(t *testing.T) {
				w := newWorld(t, anAccount("a", heldBy("ga-1")))
				w.policy = several(100)
				w.counter.fill("a", 1)
				p := w.pool()
				w.spread(t, p, test.claims, nameless)
				w.counter.add("a", test.came...)
				if !fresh {
					time.Sleep(protocol.MaxAge + time.Second)
				}
				room, err := p.MayHost(t.Context(), account.HostRequest{Account: "a", Cluster: "new", Planned: test.planned, Fresh: fresh})
				equal(t, "place, error", []any{room.Place, err}, []any{test.place, nil})
			})
		}
	}
}

// Where the database alone counts, a claim of yesterday and the row of its cluster are one place.
func TestMayHostByTheDatabaseAlone(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		claimed time.Time
		place   int
		reason  account.HostReason
	}{"claims of long ago": {longAgo, 3, ""}, "claims of this hour": {time.Now(), 5, account.HostFull}} {
		since := func(r *account.Record) { r.ClaimedAt = test.claimed }
		w := newWorld(t, anAccount("a", heldBy("ga-1"), bearing("ga-1", "1", forCluster("blue"), since), bearing("ga-1", "2", forCluster("red"), since)))
		rows := newCounter()
		rows.suspended = map[string]int{"a": 2}
		p := New(namespace, w.memStore, &Counting{Shoots: w.counter, Instances: rows, Source: account.SourceDatabase}, several(3))
		room, err := p.MayHost(t.Context(), account.HostRequest{Account: "a", Cluster: "new", Fresh: true})
		equal(t, name+": place", room.Place, test.place)
		if test.reason == "" {
			equal(t, name+": error", err, nil)
			continue
		}
		equal(t, name+": reason", as[*account.HostError](t, err).Reason, test.reason)
	}
	parallel(t, "beside a claim that names no cluster", func(t *testing.T) {
		w := newWorld(t, anAccount("a", heldBy("ga-1"), bearing("ga-1", "1", forCluster("new"))))
		p := New(namespace, w.memStore, &Counting{Shoots: w.counter, Instances: newCounter(), Source: account.SourceDatabase}, several(3))
		w.claim(t, p, request("ga-1", "nameless"))
		room, err := p.MayHost(t.Context(), account.HostRequest{Account: "a", Cluster: "new", Fresh: true})
		equal(t, "place, error", []any{room.Place, err}, []any{2, nil})
	})
}

// Room is judged by the sources that count, and whether an account is empty by all there are. Neither takes the answer to the other's
// question.
func TestRoomAndEmptinessAreQuestionsOfTheirOwn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, rows := newWorld(t, anAccount("a", heldBy("ga-1"), bearing("ga-1", "x"))), newCounter()
		rows.rows["a"] = "ga-1"
		p := New(namespace, w.memStore, &Counting{Shoots: w.counter, Instances: rows, Source: account.SourceGardener}, several(3))
		answer := make(chan struct{})
		w.counter.at("count", 1, fault{before: func() { <-answer }})
		empty, places := make([]bool, 2), 0
		var asked sync.WaitGroup
		ask := func(what func()) {
			asked.Go(what)
			synctest.Wait() // the first of them waits for its answer, and the others for the first
		}
		for i := range empty {
			ask(func() {
				op := newOperation(t.Context())
				defer op.end()
				empty[i] = p.empty(op, "a")
			})
			if i == 0 {
				ask(func() {
					room, err := p.MayHost(t.Context(), account.HostRequest{Account: "a", Cluster: "new", Fresh: true})
					equal(t, "error", err, nil)
					places = room.Place
				})
			}
		}
		close(answer)
		asked.Wait()
		equal(t, "empty", empty, []bool{false, false})
		equal(t, "place, by Shoots", places, 1)
	})
}

// Before a write the account is read after the count, which may take long: a release that begins meanwhile is seen.
func TestMayHostReadsTheAccountLast(t *testing.T) {
	t.Parallel()
	w := newWorld(t, anAccount("a", heldBy("ga-1"), bearing("ga-1", "x")))
	w.counter.at("count", 1, fault{after: func() { w.edit("a", func(a *account.Account) { a.Dirty = account.Releasing }) }})
	_, err := w.pool().MayHost(t.Context(), account.HostRequest{Account: "a", Cluster: "new", Fresh: true})
	equal(t, "reason", as[*account.HostError](t, err).Reason, account.HostReleasing)
}

// A new cluster comes to an account of its tenant alone, that is claimed, and whose labels under the keys of another scheme say nothing
// else. Such a label alone is no reason once the cluster is made. The account of live clusters is compared by holder and dirt,
// by the list of the plan or freshly: a claim that is gone and a quarantine take no account from a cluster.
func TestTakes(t *testing.T) {
	t.Parallel()
	other := func(a *account.Account) { a.Tenant = "ga-2" }
	for name, test := range map[string]struct {
		change func(*account.Account)
		comes  account.HostReason // a new cluster; empty = it may come
		made   account.HostReason // one that was just made
		lives  account.HostReason // one that lives
	}{
		"as it was":                  {func(*account.Account) {}, "", "", ""},
		"its claim is gone":          {func(a *account.Account) { a.Records = nil }, account.HostUnclaimed, account.HostUnclaimed, ""},
		"quarantined":                {dirty(account.Quarantined), account.HostQuarantined, account.HostQuarantined, ""},
		"quarantined, and another's": {func(a *account.Account) { other(a); a.Dirty = account.Quarantined }, account.HostQuarantined, account.HostQuarantined, account.HostForeign},
		"dirty":                      {dirty(account.Dirtied), account.HostDirty, account.HostDirty, account.HostDirty},
		"being released":             {dirty(account.Releasing), account.HostReleasing, account.HostReleasing, account.HostReleasing},
		"another tenant's":           {other, account.HostForeign, account.HostForeign, account.HostForeign},
		"free":                       {func(a *account.Account) { a.Tenant = "" }, account.HostUnheld, account.HostUnheld, account.HostUnheld},
		"being deleted":              {terminating, account.HostDeleting, account.HostDeleting, account.HostDeleting},
		"shared":                     {shared, "", "", ""},
		"another's by the key of the other scheme": {unclear(account.ClassHeld), account.HostUnclear, "", ""},
		"dirty by the key of the other scheme":     {unclear(account.ClassDirty), account.HostUnclear, "", ""},
		"so, and its claim is gone": {func(a *account.Account) { unclear(account.ClassHeld)(a); a.Records = nil },
			account.HostUnclaimed, account.HostUnclaimed, ""},
	} {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t, anAccount("a", heldBy("ga-1"), bearing("ga-1", "x")))
			p, req := w.pool(), account.HostRequest{Account: "a", Tenant: "ga-1"}
			equal(t, "before", p.Holds(t.Context(), req), nil)
			w.edit("a", test.change)
			fresh := req
			fresh.Fresh = true
			for what, got := range map[string]struct {
				err  error
				want account.HostReason
			}{
				"new": {p.Takes(t.Context(), req), test.comes}, "just made": {p.StillTakes(t.Context(), req), test.made},
				"lives, freshly":         {p.Holds(t.Context(), fresh), test.lives},
				"lives, by another plan": {w.pool().Holds(t.Context(), req), test.lives},
			} {
				if got.want == "" {
					equal(t, what+": error", got.err, nil)
				} else {
					equal(t, what+": reason", as[*account.HostError](t, got.err).Reason, got.want)
				}
			}
			if test.lives == "" && name != "shared" {
				unnamed := account.HostRequest{Account: "a", Unnamed: true}
				equal(t, "for no named Global Account", as[*account.HostError](t, w.pool().Holds(t.Context(), unnamed)).Reason, account.HostUnnamed)
			}
			w.wantWrites(t)
		})
	}
}

// A binding of another kind is judged as the account of the pool into whose cloud account it leads: it has no labels itself.
func TestHolds_byABindingOfAnotherKind(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		state func(*account.Account)
		want  account.HostReason // empty = the clusters may stay
	}{
		"held":             {heldBy("ga-1"), ""},
		"shared":           {shared, ""},
		"another tenant's": {heldBy("ga-2"), account.HostForeign},
		"free":             {func(*account.Account) {}, account.HostUnheld},
	} {
		parallel(t, name, func(t *testing.T) {
			for _, fresh := range []bool{false, true} {
				w := newWorld(t, sibling("old", "secret-a"), anAccount("new", withSecret("secret-a"), test.state))
				p := w.pool()
				if _, _, err := p.AccountOf(t.Context(), "SecretBinding old", false); err != nil { // a plan has listed before
					t.Fatal(err)
				}
				err := p.Holds(t.Context(), account.HostRequest{Account: "SecretBinding old", Tenant: "ga-1", Fresh: fresh})
				if test.want == "" {
					equal(t, "error", err, nil)
					continue
				}
				refused := as[*account.HostError](t, err)
				equal(t, "reason", refused.Reason, test.want)
				equal(t, "account", refused.Account, "new")
			}
		})
	}
}

// Which account a binding of another kind leads into is said by its credentials. Where such bindings may not be listed, its name says it.
func TestAccountOf(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		binding string
		hidden  bool
		want    string // empty = none
	}{
		"by its credentials":                {"SecretBinding old", false, "new"},
		"its name is that of another one":   {"SecretBinding other", false, ""},
		"there is no such binding":          {"SecretBinding gone", false, ""},
		"hidden, of the name of an account": {"SecretBinding new", true, "new"},
		"hidden, of another name":           {"SecretBinding old", true, ""},
	} {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t, sibling("old", "secret-a"), sibling("other", "secret-c"), anAccount("new", withSecret("secret-a"), heldBy("ga-1")),
				anAccount("other", withSecret("secret-b")))
			if test.hidden {
				w.storm = func(call string) fault {
					if call != "siblings" {
						return fault{}
					}
					return fault{answer: &account.ForbiddenError{Verb: "list", Resource: "secretbindings", Namespace: namespace, Err: errCut}}
				}
			}
			got, guessed, err := w.pool().AccountOf(t.Context(), test.binding, false)
			equal(t, "account", got, test.want)
			equal(t, "is guessed", guessed, test.hidden && test.want != "")
			equal(t, "is not found", isA[*account.NotFoundError](err), test.want == "")
		})
	}
}

// That two bindings are not one cloud account is said only of bindings that were seen: a cluster may be replaced because of it.
func TestMayRebind_hidden(t *testing.T) {
	t.Parallel()
	for name, hidden := range map[string]bool{"the old binding is seen": false, "it must not be listed": true} {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t, sibling("old", "secret-a"), anAccount("new", withSecret("secret-a"), heldBy("ga-1"), bearing("ga-1", "first")))
			if hidden {
				w.storm = func(call string) fault {
					if call != "siblings" {
						return fault{}
					}
					return fault{answer: &account.ForbiddenError{Verb: "list", Resource: "secretbindings", Namespace: namespace, Err: errCut}}
				}
			}
			err := w.pool().MayRebind(t.Context(), "SecretBinding old", account.HostRequest{Account: "new", Cluster: "blue", Tenant: "ga-1"})
			equal(t, "is refused", err != nil, hidden)
			equal(t, "is a HostError", isA[*account.HostError](err), false)
			equal(t, "says that the right is missing", isA[*account.ForbiddenError](err), hidden)
		})
	}
}
