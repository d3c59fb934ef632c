package pool

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

var updateTables = flag.Bool("update-tables", false, "write the tables of the steps into the guide")

// guide shows the tables between comments that name them.
const guide = "../../templates/guides/claims.md.tmpl"

// row is what an operation knows, in words and as it knows it, and what it does then.
type row struct {
	knows string
	state protocol
	view  view // what its process knows
	want  string
}

// seen is an account as a release of the claim first of ga-1 has read it, with what it has found out since.
func seen(changes ...func(*releasing)) *releasing {
	a := account("a", heldBy("ga-1"), bearing("ga-1", "first", newly), withSecret("a"))
	a.UID, a.Version = "uid", "1"
	r := &releasing{record: identity("ga-1", "first").Key(), account: &a, last: a, ReleaseRequest: ReleaseRequest{
		Identity: identity("ga-1", "first"), Account: "a", UID: "uid", Owner: "pipeline", ClaimedAt: longAgo, Mode: MarkDirty, Recorded: true,
		Grace: time.Minute,
	}}
	for _, change := range changes {
		change(r)
	}
	return r
}

func where(changes ...func(*Account)) func(*releasing) {
	return func(r *releasing) {
		for _, change := range changes {
			change(r.account)
		}
	}
}

// listed: the bindings of the account are known.
func listedWith(twins ...Account) func(*releasing) {
	return func(r *releasing) {
		var others []*Account
		for i := range twins {
			others = append(others, &twins[i])
		}
		r.whole, r.bindings = r.account.withTwins(others), []string{"a"}
	}
}

func mayWrite(r *releasing) { r.allowed = true }

func usedBy(users ...User) func(*releasing) {
	return func(r *releasing) { r.users, r.counted = users, true }
}

// fenced: the fence of this release is up, since its grace time began.
func fenced(r *releasing) {
	where(dirty(Releasing), bearing("ga-1", "first", newly, fencedSince(longAgo)))(r)
	r.fence = fence{up: true, own: true, seen: true}
}

func outwaited(r *releasing) { r.fence.waited, r.fence.since = true, longAgo }

func in(mode Mode) func(*releasing) { return func(r *releasing) { r.Mode = mode } }

func because(err error) func(*releasing) { return func(r *releasing) { r.cause = err } }

// errBroken is why a release cannot go on.
var errBroken = errors.New("the connection was cut")

func unread(r *releasing) { r.account = nil }

var releaseTable = []row{
	{"nothing", seen(unread), view{}, "read the account"},
	{"there is no such account", seen(unread, listedWithLast, func(r *releasing) { r.gone = true }), view{}, "end"},
	{"all tenants share it", seen(where(shared)), view{}, "end"},
	{"it is free, or another Global Account's, and bears the claim's record", seen(where(heldBy("ga-2"))), view{}, "take the record away"},
	{"it is another Global Account's", seen(where(func(a *Account) { a.Tenant, a.Records = "ga-2", nil })), view{}, "end"},
	{"its record is another owner's", seen(where(bearing("ga-1", "first", ownedBy("colleague")))), view{}, "refuse"},
	{"it is kept for internal use", seen(where(internal)), view{}, "take the record away"},
	{"another claim is on it", seen(where(bearing("ga-1", "second"))), view{}, "take the record away"},
	{"the claim is to leave it with the Global Account (`keep`)", seen(in(Keep)), view{}, "take the record away"},
	{"the claim's record is gone", seen(where(func(a *Account) { a.Records = nil })), view{}, "end"},
	{"the claim alone is on it", seen(), view{}, "list, unless the list is fresh"},
	{"and it was used (`return_to_pool`)", seen(in(ReturnToPool), func(r *releasing) { r.Used = true }), view{}, "refuse"},
	{"and its other bindings: another Global Account holds one", seen(listedWith(account("b", heldBy("ga-2")))), view{}, "refuse"},
	{"and its other bindings: a claim is on one", seen(listedWith(account("b", heldBy("ga-1"), bearing("ga-1", "second")))), view{}, "take the record away"},
	{"and its other bindings: nothing is against it", seen(listedWith()), view{}, "ask for the right to write"},
	{"and the right is there", seen(listedWith(), mayWrite), view{}, "look for clusters"},
	{"a cluster is on it", seen(listedWith(), mayWrite, usedBy(User{Kind: "Shoot", Name: "c"})), view{}, "refuse"},
	{"each cluster on it is being deleted", seen(listedWith(), mayWrite, usedBy(User{Kind: "Shoot", Name: "c", Deleting: true})),
		view{}, "wait for the clusters to go"},
	{"no cluster is on it", seen(listedWith(), mayWrite, usedBy()), view{}, "put the fence up"},
	{"the fence is up, and the Global Account has another binding of it", seen(fenced, listedWith(account("b", heldBy("ga-1")))),
		view{}, "bring another binding to the same state"},
	{"the fence is up", seen(fenced, listedWith()), view{}, "wait for the grace time"},
	{"the fence is up, and its grace time is over", seen(fenced, outwaited, listedWith()), view{}, "look for clusters"},
	{"a cluster is on it behind the fence", seen(fenced, outwaited, listedWith(), usedBy(User{Kind: "Shoot", Name: "c"})), view{}, "take the fence down"},
	{"no cluster is on it behind the fence", seen(fenced, outwaited, listedWith(), usedBy()), view{}, "mark the account dirty, and take the record away"},
	{"the same, and the claim returns the account (`return_to_pool`)", seen(fenced, outwaited, listedWith(), usedBy(), in(ReturnToPool)), view{},
		"free the account, and take the record away"},
	{"the same, and the Global Account has another binding of it", seen(fenced, outwaited, listedWith(account("b", heldBy("ga-1"), dirty(Releasing))), usedBy()),
		view{}, "mark the account, and keep the record"},
	{"the answer to the mark was lost, and the account is as it was", answered(seen(fenced, outwaited, listedWith(), usedBy()), answer{unknown: true}),
		view{}, "list, unless the list is fresh"},
	{"the account has changed before the mark: the fence is gone", answered(seen(fenced, outwaited, listedWith(), usedBy()), answer{changed: true}, dirty(Clean)),
		view{}, "list, unless the list is fresh"},
	{"it cannot go on, and its fence is up", seen(fenced, because(errBroken)), view{}, "take the fence down"},
	{"it cannot go on, and its fence is down again", seen(because(errBroken), listedWith(), func(r *releasing) { r.lowered = true }), view{}, "refuse"},
	{"it cannot go on, and its last write is there after all", seen(because(errBroken), ended), view{}, "end"},
}

func listedWithLast(r *releasing) {
	whole := r.last
	r.whole = &whole
}

// asking is a claim first of ga-1, with what it has found out.
func asking(changes ...func(*claiming)) *claiming {
	c := &claiming{ClaimRequest: request("ga-1", "first"), id: identity("ga-1", "first"), own: identity("ga-1", "first").Key(), allowed: true, recent: true, begun: true,
		start: atNoon, listSince: atNoon, notBefore: atNoon}
	for _, change := range changes {
		change(c)
	}
	return c
}

var atNoon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// knowing is what a process knows that has listed and counted at noon.
func knowing(accounts ...Account) view {
	list := newIndex(len(accounts))
	for i := range accounts {
		a := clone(accounts[i])
		a.UID, a.Version = "uid-"+a.Name, "1"
		list.add(&a)
	}
	return view{now: atNoon, snapshot: &snapshot{list: list, countedBy: list, listed: atNoon, arrived: atNoon, counted: atNoon}}
}

// later is the same some time later.
func later(d time.Duration, v view) view {
	v.now = v.now.Add(d)
	return v
}

// readAs: the claim has read an account.
func readAs(a Account) func(*claiming) {
	return func(c *claiming) { a.UID, a.Version = "uid-"+a.Name, "1"; c.account = &a }
}

var (
	mine    = account("a", heldBy("ga-1"), bearing("ga-1", "first"))
	holding = account("a", heldBy("ga-1"))
	theirs  = account("a", heldBy("ga-2"), bearing("ga-1", "first"))
	unheld  = account("b")
)

// lostTo: the account that was chosen is another one's by now.
func lostTo(c *claiming) { c.chosen = &unheld }

var claimTable = []row{
	{"nothing", asking(func(c *claiming) { c.allowed = false }), knowing(), "ask for the right to write"},
	{"the right is there", asking(func(c *claiming) { c.recent = false }), knowing(), "list and count, unless that was done a minute ago"},
	{"an account of its Global Account bears its record", asking(), knowing(mine, unheld), "read the account"},
	{"that account, as it is now", asking(readAs(mine)), knowing(mine, unheld), "note the claim"},
	{"that account, and something of the record differs", asking(readAs(mine), func(c *claiming) { c.ClusterName = "c" }), knowing(mine),
		"bring the record up to date"},
	{"that account, and its record is another owner's", asking(readAs(mine), func(c *claiming) { c.Owner = "colleague" }), knowing(mine), "refuse"},
	{"that account, and it is another Global Account's by now", asking(readAs(theirs)), knowing(mine, unheld), "list, unless the list is fresh"},
	{"the Global Account holds an account with room", asking(), knowing(holding, unheld), "take the account"},
	{"an account is free", asking(), knowing(unheld), "take the account"},
	{"an account is free, and the list is older than two seconds", asking(), later(3*time.Second, knowing(unheld)), "list, unless the list is fresh"},
	{"an account is free that was not when the clusters were counted", asking(), countedBefore(knowing(unheld)), "list and count anew"},
	{"an account is free, and another source has not been asked", asking(), asksBeside(knowing(unheld)), "ask the source that does not count"},
	{"no account is free, by a count of before the claim", asking(func(c *claiming) { c.notBefore = atNoon.Add(time.Second) }),
		later(3*time.Second, knowing(theirs)), "list and count anew"},
	{"no account is free", asking(), knowing(theirs), "refuse"},
	{"no account is free (`wait_for_account`)", asking(func(c *claiming) { c.Wait = true }), knowing(theirs), "wait for an account"},
	{"the account that it chose was taken by another", asking(lostTo), knowing(theirs), "list, unless the list is fresh"},
	{"its record came to an account that the Global Account has lost since", asking(func(c *claiming) { c.void = &theirs }), knowing(theirs),
		"take the record away from a lost account"},
	{"the claim stands", standsOnA(false), knowing(mine), "note the claim"},
	{"the claim stands, and a record of an earlier run is on another account", standsOnA(true), knowing(mine, account("d", bearing("ga-1", "first"))),
		"take the record away from a lost account"},
	{"the claim stands, and the run knows it", standsOnA(true), knowing(mine), "end"},
}

// standsOnA is a claim that stands on a.
func standsOnA(noted bool) *claiming {
	return asking(func(c *claiming) { c.claim, c.placed = &Claim{Account: mine}, noted })
}

// countedBefore: the clusters were counted by another list.
func countedBefore(v view) view {
	s := *v.snapshot
	s.countedBy = newIndex(0)
	v.snapshot = &s
	return v
}

func asksBeside(v view) view {
	v.uncounted = true
	return v
}

// answered is a release that has sent its next write, and got an answer.
func answered(r *releasing, came answer, changes ...func(*Account)) *releasing {
	did, _ := r.next(view{}).(stepWrite)
	came.account = clone(did.judged)
	for _, change := range changes {
		change(&came.account)
	}
	r.learn(did, came)
	return r
}

// ended: its last write is on the account.
func ended(r *releasing) {
	fenced(r)
	clean := Dirtied
	r.ending = &lastWrite{judged: *r.account, change: Change{Dirty: &clean, Records: map[string]*Record{r.key(): nil}}, outcome: OutcomeDirtied}
	where(dirty(Dirtied), func(a *Account) { a.Records = map[string]Record{} })(r)
}

// said is a step in the words of the table.
func said(s step) string {
	switch s := s.(type) {
	case stepAwait:
		return map[bool]string{true: "wait for the clusters to go", false: "wait for an account"}[strings.Contains(s.what, "cluster")]
	case stepWrite:
		if s.to != writeEnd {
			break
		}
		switch c := s.change; {
		case c.Tenant != nil:
			return "free the account, and take the record away"
		case c.Dirty != nil && *c.Dirty == Dirtied:
			return "mark the account dirty, and take the record away"
		}
		return "take the record away"
	case stepDone:
		if s.err != nil {
			return "refuse"
		}
	}
	return s.String()
}

func TestTables(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(guide)
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	for name, rows := range map[string][]row{"claim": claimTable, "release": releaseTable} {
		table := tableOf(t, name, rows)
		t.Logf("\n%s", table)
		begin, end := "<!-- steps of a "+name+" -->\n", "<!-- end -->"
		before, rest, found := strings.Cut(page, begin)
		shown, after, closed := strings.Cut(rest, end)
		if !found || !closed {
			t.Errorf("%s has no place for the table of a %s (%s)", guide, name, strings.TrimSpace(begin))
			continue
		}
		if shown != "\n"+table+"\n" && !*updateTables {
			t.Errorf("the table of a %s in %s is another one: run make generate", name, guide)
		}
		page = before + begin + "\n" + table + "\n" + end + after
	}
	if *updateTables {
		if err := os.WriteFile(guide, []byte(page), 0o600); err != nil { //nolint:gosec // a page
			t.Fatal(err)
		}
	}
}

// tableOf checks the rows, and writes them as a table.
func tableOf(t *testing.T, name string, rows []row) string {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "| What the %s knows | What it does next |\n|---|---|\n", name)
	for _, r := range rows {
		got := said(r.state.next(r.view))
		equal(t, name+" that knows: "+r.knows, got, r.want)
		fmt.Fprintf(&b, "| %s | %s |\n", r.knows, got)
	}
	return b.String()
}
