package protocol

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

var updateTables = flag.Bool("update-tables", false, "write the tables of the steps into the guide")

// guide shows the tables between comments that name them.
const guide = "../../../templates/guides/claims.md.tmpl"

// row is what an operation knows, in words and as it knows it, and what it does then.
type row struct {
	knows string
	state Steps
	view  Facts // what its process knows
	want  string
}

// seen is an account as a release of the claim first of ga-1 has read it, with what it has found out since.
func seen(changes ...func(*Releasing)) *Releasing {
	a := anAccount("a", heldBy("ga-1"), bearing("first", newly), withSecret("a"))
	a.UID, a.Version = "uid", "1"
	r := &Releasing{begun: true, record: identity("first").Key(), account: &a, last: a, ReleaseRequest: ReleaseRequest{
		Identity: identity("first"), Account: "a", UID: "uid", Owner: "pipeline", ClaimedAt: longAgo, Mode: account.MarkDirty, Recorded: true,
		Grace: time.Minute,
	}}
	for _, change := range changes {
		change(r)
	}
	return r
}

func where(changes ...func(*account.Account)) func(*Releasing) {
	return func(r *Releasing) {
		for _, change := range changes {
			change(r.account)
		}
	}
}

// listed: the bindings of the account are known.
func listedWith(twins ...account.Account) func(*Releasing) {
	return func(r *Releasing) {
		var others []*account.Account
		for i := range twins {
			others = append(others, &twins[i])
		}
		r.whole, r.bindings = r.account.WithTwins(others), []string{"a"}
	}
}

func halfMoved() account.Account {
	old := anAccount("SecretBinding a", heldBy("ga-1"), bearing("first"))
	old.Sibling = true
	return old
}

func mayWrite(r *Releasing) { r.allowed = true }

func usedBy(users ...account.User) func(*Releasing) {
	return func(r *Releasing) { r.users, r.counted = users, true }
}

// fenced: the fence of this release is up, since its grace time began.
func fenced(r *Releasing) {
	where(dirty(account.Releasing), bearing("first", newly, fencedSince(longAgo)))(r)
	r.fence = fence{up: true, own: true, seen: true}
}

func outwaited(r *Releasing) { r.fence.waited, r.fence.since = true, longAgo }

func in(mode account.Mode) func(*Releasing) { return func(r *Releasing) { r.Mode = mode } }

func because(err error) func(*Releasing) { return func(r *Releasing) { r.cause = err } }

// errBroken is why a release cannot go on.
var errBroken = errors.New("the connection was cut")

func unread(r *Releasing) { r.account = nil }

func releaseTable() []row {
	return []row{
		{"nothing", seen(unread, unbegun), uncounted(knowing()), "list and count anew"},
		{"nothing, and another release of the run has counted in the last minute", seen(unread, unbegun), knowing(),
			"list, unless the list is fresh"},
		{"nothing, and the claim is to leave it with the Global Account (`keep`)", seen(unread, in(account.Keep), unbegun), Facts{},
			"list, unless the list is fresh"},
		{"a list that does not show the account as the claim left it", seen(unread), Facts{}, "read the account"},
		{"there is no such account", seen(unread, listedWithLast, func(r *Releasing) { r.gone = true }), Facts{}, "end"},
		{"all tenants share it", seen(where(shared)), Facts{}, "end"},
		{"it is free, or another Global Account's, and bears the claim's record", seen(where(heldBy("ga-2"))), Facts{}, "take the record away"},
		{"it is another Global Account's", seen(where(func(a *account.Account) { a.Tenant, a.Records = "ga-2", nil })), Facts{}, "end"},
		{"its record is another owner's", seen(where(bearing("first", ownedBy("colleague")))), Facts{}, "refuse"},
		{"it is kept for internal use", seen(where(internal), listedWith()), Facts{}, "take the record away"},
		{"another claim is on it", seen(where(bearing("second")), listedWith()), Facts{}, "take the record away"},
		{"the claim is to leave it with the Global Account (`keep`)", seen(in(account.Keep), listedWith()), Facts{}, "take the record away"},
		{"the same, and its record is on a binding of another kind, too: a move has been interrupted", seen(in(account.Keep), listedWith(halfMoved())), Facts{},
			"take the record off the old binding"},
		{"the claim's record is gone", seen(where(func(a *account.Account) { a.Records = nil }), listedWith()), Facts{}, "end"},
		{"the same, and it is on a binding of another kind: a move has been interrupted", seen(where(func(a *account.Account) { a.Records = nil }), listedWith(halfMoved())),
			Facts{}, "refuse"},
		{"the claim alone is on it", seen(), Facts{}, "list, unless the list is fresh"},
		{"and it was used (`return_to_pool`)", seen(in(account.ReturnToPool), func(r *Releasing) { r.Used = true }), Facts{}, "refuse"},
		{"and its other bindings: another Global Account holds one", seen(listedWith(anAccount("b", heldBy("ga-2")))), Facts{}, "refuse"},
		{"and its other bindings: a claim is on one", seen(listedWith(anAccount("b", heldBy("ga-1"), bearing("second")))), Facts{}, "take the record away"},
		{"and its other bindings: nothing is against it", seen(listedWith()), Facts{}, "ask whether it may write"},
		{"and the right is there", seen(listedWith(), mayWrite), Facts{}, "count its clusters"},
		{"a cluster is on it", seen(listedWith(), mayWrite, usedBy(account.User{Kind: "Shoot", Name: "c"})), Facts{}, "refuse"},
		{"each cluster on it is being deleted", seen(listedWith(), mayWrite, usedBy(account.User{Kind: "Shoot", Name: "c", Deleting: true})),
			Facts{}, "wait for the clusters to go"},
		{"no cluster is on it", seen(listedWith(), mayWrite, usedBy()), Facts{}, "put the fence up"},
		{"the fence is up, and the Global Account has another binding of it", seen(fenced, listedWith(anAccount("b", heldBy("ga-1")))),
			Facts{}, "bring another binding to the same state"},
		{"the fence is up", seen(fenced, listedWith()), Facts{}, "wait for the grace time"},
		{"the fence is up, and its grace time is over", seen(fenced, outwaited, listedWith()), Facts{}, "count its clusters"},
		{"the count after the fence finds a cluster", seen(fenced, outwaited, listedWith(), usedBy(account.User{Kind: "Shoot", Name: "c"})), Facts{},
			"take the fence down"},
		{"the count after the fence finds none", seen(fenced, outwaited, listedWith(), usedBy()), Facts{},
			"mark the account dirty, and take the record away"},
		{"the same, and the claim returns the account (`return_to_pool`)", seen(fenced, outwaited, listedWith(), usedBy(), in(account.ReturnToPool)), Facts{},
			"free the account, and take the record away"},
		{"the same, and the Global Account has another binding of it", seen(fenced, outwaited, listedWith(anAccount("b", heldBy("ga-1"), dirty(account.Releasing))), usedBy()),
			Facts{}, "mark the account, and keep the record"},
		{"the answer to the mark was lost, and the account is as it was", answered(seen(fenced, outwaited, listedWith(), usedBy()), Answer{Unknown: true}),
			Facts{}, "list, unless the list is fresh"},
		{"the account has changed before the mark: the fence is gone", answered(seen(fenced, outwaited, listedWith(), usedBy()), Answer{Changed: true}, dirty(account.Clean)),
			Facts{}, "list, unless the list is fresh"},
		{"it cannot go on, and its fence is up", seen(fenced, because(errBroken)), Facts{}, "take the fence down"},
		{"it cannot go on, and its fence is down again", seen(because(errBroken), listedWith(), func(r *Releasing) { r.lowered = true }), Facts{}, "refuse"},
		{"it cannot go on, and its last write is there after all", seen(because(errBroken), ended), Facts{}, "end"},
	}
}

func unbegun(r *Releasing) { r.begun = false }

func uncounted(f Facts) Facts {
	f.Counted = time.Time{}
	return f
}

func listedWithLast(r *Releasing) {
	whole := r.last
	r.whole = &whole
}

// asking is a claim first of ga-1, with what it has found out.
func asking(changes ...func(*Claiming)) *Claiming {
	c := &Claiming{ClaimRequest: request("ga-1", "first"), id: identity("first"), own: identity("first").Key(), allowed: true, recent: true, begun: true,
		start: atNoon, listSince: atNoon, notBefore: atNoon}
	for _, change := range changes {
		change(c)
	}
	return c
}

var atNoon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// knowing is what a process knows that has listed and counted at noon.
func knowing(accounts ...account.Account) Facts {
	list := newIndex(len(accounts))
	for i := range accounts {
		a := clone(accounts[i])
		a.UID, a.Version = "uid-"+a.Name, "1"
		list.add(&a)
	}
	return Facts{Now: atNoon, Snapshot: &Snapshot{list: list, countedBy: list, Listed: atNoon, arrived: atNoon, Counted: atNoon}}
}

// later is the same some time later.
func later(d time.Duration, f Facts) Facts {
	f.Now = f.Now.Add(d)
	return f
}

// readAs: the claim has read an account.
func readAs(a account.Account) func(*Claiming) {
	return func(c *Claiming) { a.UID, a.Version = "uid-"+a.Name, "1"; c.account = &a }
}

var (
	mine    = anAccount("a", heldBy("ga-1"), bearing("first"))
	holding = anAccount("a", heldBy("ga-1"))
	theirs  = anAccount("a", heldBy("ga-2"), bearing("first"))
	unheld  = anAccount("b")
)

// lostTo: the account that was chosen is another one's by now.
func lostTo(c *Claiming) { c.chosen = &unheld }

func claimTable() []row {
	return []row{
		{"nothing", asking(func(c *Claiming) { c.allowed = false }), knowing(), "ask whether it may write"},
		{"the right is there", asking(func(c *Claiming) { c.recent = false }), knowing(), "list and count, unless done in the last minute"},
		{"an account of its Global Account bears its record", asking(), knowing(mine, unheld), "read the account"},
		{"that account, as it is now", asking(readAs(mine)), knowing(mine, unheld), "note the claim"},
		{"that account, and something of the record differs", asking(readAs(mine), func(c *Claiming) { c.ClusterName = "c" }), knowing(mine),
			"bring the record up to date"},
		{"that account, and its record is another owner's", asking(readAs(mine), func(c *Claiming) { c.Owner = "colleague" }), knowing(mine), "refuse"},
		{"that account, and it is another Global Account's by now", asking(readAs(theirs)), knowing(mine, unheld), "list, unless the list is fresh"},
		{"the Global Account holds an account with room", asking(), knowing(holding, unheld), "take the account"},
		{"an account is free", asking(), knowing(unheld), "take the account"},
		{"an account is free, and the list is older than two seconds", asking(), later(3*time.Second, knowing(unheld)), "list, unless the list is fresh"},
		{"an account is free that was not when the clusters were counted", asking(), countedBefore(knowing(unheld)), "list and count anew"},
		{"an account is free, and another source has not been asked", asking(), asksBeside(knowing(unheld)), "ask the source that does not count"},
		{"no account is free, by a count of before the claim", asking(func(c *Claiming) { c.notBefore = atNoon.Add(time.Second) }),
			later(3*time.Second, knowing(theirs)), "list and count anew"},
		{"no account is free", asking(), knowing(theirs), "refuse"},
		{"no account is free (`wait_for_account`)", asking(func(c *Claiming) { c.Wait = true }), knowing(theirs), "wait for an account"},
		{"the account that it chose was taken by another", asking(lostTo), knowing(theirs), "list, unless the list is fresh"},
		{"its record came to an account that the Global Account has lost since", asking(func(c *Claiming) { c.void = &theirs }), knowing(theirs),
			"take the record away from a lost account"},
		{"the claim is on an account", isOnA(false), knowing(mine), "note the claim"},
		{"the claim is on an account, and a record of an earlier run is on another account", isOnA(true), knowing(mine, anAccount("d", bearing("first"))),
			"take the record away from a lost account"},
		{"the claim is on an account, and the run knows it", isOnA(true), knowing(mine), "end"},
	}
}

// isOnA is a claim that is on account a.
func isOnA(noted bool) *Claiming {
	return asking(func(c *Claiming) { c.claim, c.placed = &Claim{Account: mine}, noted })
}

// countedBefore: the clusters were counted by another list.
func countedBefore(f Facts) Facts {
	s := *f.Snapshot
	s.countedBy = newIndex(0)
	f.Snapshot = &s
	return f
}

func asksBeside(f Facts) Facts {
	f.Uncounted = true
	return f
}

// answered is a release that has sent its next write, and got an answer.
func answered(r *Releasing, came Answer, changes ...func(*account.Account)) *Releasing {
	did, _ := r.Next(Facts{}).(Write)
	came.Account = clone(did.Judged)
	for _, change := range changes {
		change(&came.Account)
	}
	r.Learn(did, came)
	return r
}

// ended: its last write is on the account.
func ended(r *Releasing) {
	fenced(r)
	clean := account.Dirtied
	r.ending = &lastWrite{judged: *r.account, change: account.Change{Dirty: &clean, Records: map[string]*account.Record{r.Key(): nil}}, outcome: OutcomeDirtied}
	where(dirty(account.Dirtied), func(a *account.Account) { a.Records = map[string]account.Record{} })(r)
}

// said is a step in the words of the table.
func said(s Step) string {
	switch s := s.(type) {
	case Await:
		return map[bool]string{true: "wait for the clusters to go", false: "wait for an account"}[strings.Contains(s.What, "cluster")]
	case Write:
		if s.To != ToEnd {
			break
		}
		switch c := s.Change; {
		case c.Tenant != nil:
			return "free the account, and take the record away"
		case c.Dirty != nil && *c.Dirty == account.Dirtied:
			return "mark the account dirty, and take the record away"
		}
		return "take the record away"
	case Done:
		if s.Err != nil {
			return "refuse"
		}
	}
	return s.String()
}

// leaving is the move of the claim first of ga-1 from the SecretBinding a, with what it has found out.
func leaving(changes ...func(*Moving)) *Moving {
	m := NewMoving(MoveRequest{UpdateRequest: UpdateRequest{Identity: identity("first"), Account: "SecretBinding a", UID: "uid-SecretBinding a",
		WasOwner: "pipeline", Details: account.Details{Owner: "pipeline"}, ClaimedAt: longAgo},
		Credentials: account.CredentialsRef{Kind: "Secret", Namespace: namespace, Name: "one"}})
	m.allowed, m.listed = true, true
	for _, change := range changes {
		change(m)
	}
	return m
}

// readOld: the move has read the old binding.
func readOld(changes ...func(*account.Account)) func(*Moving) {
	return func(m *Moving) {
		a := oldBinding(changes...)
		a.UID, a.Version = "uid-"+a.Name, "1"
		m.from = &a
	}
}

func oldBinding(changes ...func(*account.Account)) account.Account {
	a := anAccount("SecretBinding a", heldBy("ga-1"), bearing("first"), withSecret("one"))
	a.Sibling = true
	for _, change := range changes {
		change(&a)
	}
	return a
}

func newBinding(changes ...func(*account.Account)) account.Account {
	return anAccount("a", append([]func(*account.Account){withSecret("one")}, changes...)...)
}

func bareOld(a *account.Account) { a.Records = nil }

func moveTable() []row {
	return []row{
		{"nothing", leaving(func(m *Moving) { m.allowed = false }), knowing(), "ask whether it may write"},
		{"the right is there", leaving(), knowing(), "read the account"},
		{"the old binding, as it is now", leaving(readOld(), func(m *Moving) { m.listed = false }), knowing(), "list, unless the list is fresh"},
		{"no account of the pool refers to the same credentials", leaving(readOld()), knowing(oldBinding(), unheld), "refuse"},
		{"several do, and none is asked for", leaving(readOld()), knowing(oldBinding(), newBinding(), anAccount("d", withSecret("one"))), "refuse"},
		{"one does, and is in another pool", leaving(readOld()), knowing(oldBinding(), newBinding(func(a *account.Account) { a.EUAccess = true })), "refuse"},
		{"one does, and another Global Account holds it", leaving(readOld()), knowing(oldBinding(), newBinding(heldBy("ga-2"))), "refuse"},
		{"one does, and all tenants share it", leaving(readOld()), knowing(oldBinding(), newBinding(shared)), "refuse"},
		{"the old binding is dirty, or being released", leaving(readOld()), knowing(oldBinding(dirty(account.Releasing)), newBinding()), "refuse"},
		{"its record is another owner's", leaving(readOld()), knowing(oldBinding(bearing("first", ownedBy("colleague"))), newBinding()), "refuse"},
		{"nothing is against it", leaving(readOld()), knowing(oldBinding(), newBinding()), "record the claim on the new binding"},
		{"the new binding has the record, too", leaving(readOld()), knowing(oldBinding(), newBinding(heldBy("ga-1"), bearing("first"))),
			"take the record off the old binding"},
		{"the same, and a release has put its fence on the old one meanwhile", leaving(readOld()),
			knowing(oldBinding(dirty(account.Releasing)), newBinding(heldBy("ga-1"), bearing("first"))), "take the record off the old binding"},
		{"the list shows that the old binding is another Global Account's by now", leaving(readOld()),
			knowing(oldBinding(heldBy("ga-2"), bareOld), newBinding()), "refuse"},
		{"the new binding has the record, and the old one has not", leaving(readOld(bareOld)),
			knowing(oldBinding(bareOld), newBinding(heldBy("ga-1"), bearing("first"))), "end"},
		{"the old binding is gone, and the new one is the Global Account's", leaving(func(m *Moving) { m.gone = true }),
			knowing(newBinding(heldBy("ga-1"))), "record the claim on the new binding"},
		{"the old binding is gone, and no Global Account holds the new one", leaving(func(m *Moving) { m.gone = true }), knowing(newBinding()), "refuse"},
		{"the new binding has the record, and is another Global Account's by now", leaving(readOld()),
			knowing(oldBinding(), newBinding(heldBy("ga-2"), bearing("first"))), "take the record away from a lost account"},
	}
}

func TestTables(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(guide)
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	for name, rows := range map[string]func() []row{"claim": claimTable, "release": releaseTable, "move": moveTable} {
		table := tableOf(t, name, rows())
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
		got := said(r.state.Next(r.view))
		equal(t, name+" that knows: "+r.knows, got, r.want)
		fmt.Fprintf(&b, "| %s | %s |\n", r.knows, got)
	}
	return b.String()
}
