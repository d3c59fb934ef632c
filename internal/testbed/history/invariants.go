package history

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

// Invariant is what must hold at every revision of a history; scenarios/CATALOGUE.md words each for readers.
type Invariant string

// The invariants. I1, I5, I6, I7 and I8 are asked of our writes alone, the others of the writes of all parties.
const (
	// I1 says that a claim is written only where its Global Account is the tenant, or becomes it and no other was.
	I1 Invariant = "I1"
	// I2 says that an account goes from one tenant to another only over unclaimed, and after a cleaning step.
	I2 Invariant = "I2"
	// I3 says that an acknowledged claim is kept, on one account only, until its own release.
	I3 Invariant = "I3"
	// I4 says that nothing is marked dirty or freed while a Shoot names it.
	I4 Invariant = "I4"
	// I5 says that a shared account is not written and an internal one neither marked nor freed; and that on an account of
	// another tenant, and on one that no tenant holds, a claim removes its own record and changes no label.
	// The pool's owner changes the labels of no account that a tenant holds, and deletes none.
	I5 Invariant = "I5"
	// I6 says that a record is removed only by its own claim, which is released or had lost the answer to its write, or by a claim
	// that takes the free account.
	I6 Invariant = "I6"
	// I7 says that a write has the precondition, and changes our labels and our records and nothing else. What is the pool's
	// owner's is another set, see [History.AllowSupply].
	I7 Invariant = "I7"

	// I8 says that no account is taken, marked or freed while another binding of its credentials is another Global Account's, shared,
	// or used; and none is taken while another one is dirty. It is asked of what was so before the list that the write went by was begun.
	I8 Invariant = "I8"

	// Gap is reported where the log has a write whose revision the history lacks: nothing can be said of the others then.
	Gap Invariant = "gap"
)

// Invariants lists I1 to I8.
func Invariants() []Invariant { return []Invariant{I1, I2, I3, I4, I5, I6, I7, I8} }

// Violation is one place where a history breaks an invariant.
type Violation struct {
	// Invariant is the one that is broken, or [Gap].
	Invariant Invariant
	// Account and Version say where it shows.
	Account, Version string
	// What happened.
	What string
	// Client is the User-Agent of the client that has caused it, "by hand" where no request of the log has.
	Client string
	// Ours: the client is our provider.
	Ours bool

	accounts []string // all that it is about; nil = the one
}

// String is the violation in one line.
func (v Violation) String() string {
	return fmt.Sprintf("%s: account %s at version %s: %s (%s)", v.Invariant, v.Account, v.Version, v.What, v.Client)
}

// Check judges the history. The log says which client has made which revision, us which User-Agents are our provider's. It
// returns the violations of all parties, see [Violation.Ours]; the history must have ended.
func (h *History) Check(log []fault.Exchange, us func(client string) bool) []Violation {
	return h.judge(log, us).violations
}

// shownOfOthers is how many violations of others a test logs: they are no fault of ours, and there may be thousands.
const shownOfOthers = 5

// MustHold fails the test with what our provider has broken, logs what others have, and sums up.
func (h *History) MustHold(t testing.TB, log []fault.Exchange, us func(client string) bool) Summary {
	t.Helper()
	h.End(t)
	c := h.judge(log, us)
	others := 0
	for _, v := range c.violations {
		if v.Ours {
			t.Error(v)
		} else if others++; others <= shownOfOthers {
			t.Log("not ours: ", v)
		}
	}
	if others > shownOfOthers {
		t.Logf("not ours: %d more", others-shownOfOthers)
	}
	for _, orphan := range c.summary.Orphans {
		t.Error("no claim owns ", orphan)
	}
	for _, left := range c.summary.Leftovers {
		t.Error("the record of a destroyed claim is left: ", left)
	}
	for _, abandoned := range c.summary.Abandoned {
		t.Error("held by no claim, not dirty, without a cluster: ", abandoned)
	}
	h.explain(t, log, c)
	t.Log(c.summary)
	return c.summary
}

// checker goes through a history once, in the order of the server.
type checker struct {
	history    *History
	makers     *makers
	us         func(client string) bool
	claimed    map[claimAt][]string
	accounts   map[string]*object
	kept       map[string]*keeping
	shoots     map[string]*object
	onAccount  map[string]map[string]uint64 // Shoots of an account, and since which version
	bearers    map[string]map[string]bool   // accounts that have a counting record, by its key
	bindings   map[string]*bindingState     // all objects that refer to credentials, by name
	log        []fault.Exchange
	violations []Violation
	seconds    []second
	summary    Summary
}

// keeping is what the checker remembers of an account beside its state.
type keeping struct {
	records      map[string]claimRecord
	writers      map[string]string // our clients that have written the records last, by key
	acknowledged map[string]string // Global Accounts of the claims that were acknowledged here, by key
	left         departure
	fenced       uint64 // since when it has a fence; 0 = not
	tenancy
}

// claimRecord is what the checker reads of a record.
type claimRecord struct {
	Name          string `json:"name"`
	GlobalAccount string `json:"globalAccount"`
	Pool          string `json:"pool"`
}

func (h *History) judge(log []fault.Exchange, us func(string) bool) *checker {
	h.answers.Lock()
	defer h.answers.Unlock()
	c := &checker{
		history: h, makers: newMakers(h.namespace, log), us: us, claimed: h.answers.claimed(),
		accounts: map[string]*object{}, kept: map[string]*keeping{}, shoots: map[string]*object{},
		onAccount: map[string]map[string]uint64{}, bearers: map[string]map[string]bool{}, bindings: map[string]*bindingState{}, log: log,
		summary: Summary{Writes: map[string]int{}, Refused: map[string]int{}, Handed: map[string]int{}},
	}
	for _, s := range h.inOrder() {
		c.summary.Revisions++
		switch {
		case s.ofShoot:
			c.shoot(s.step)
		case s.sibling:
			c.noteBinding(s.step)
		default:
			c.account(s.step)
		}
	}
	for at, keys := range c.claimed {
		c.blame(violation(I3, at.account, at.version, "no such revision, though the claims %q were said to exist there", keys), byUs)
	}
	c.orphans()
	c.leftovers()
	c.abandoned()
	c.requests(log)
	c.ageSeconds(log)
	slices.SortStableFunc(c.violations, func(a, b Violation) int { return cmp.Compare(number(a.Version), number(b.Version)) })
	return c
}

// ordered is a step of either kind.
type ordered struct {
	*step
	ofShoot, sibling bool
}

// inOrder merges accounts, SecretBindings and Shoots. They share one etcd, so their versions can be compared; what was there at the
// start comes first.
func (h *History) inOrder() []ordered {
	all := make([]ordered, 0, h.Revisions())
	for i := range h.shoots.steps {
		all = append(all, ordered{&h.shoots.steps[i], true, false})
	}
	for i := range h.accounts.steps {
		all = append(all, ordered{&h.accounts.steps[i], false, false})
	}
	for i := range h.siblings.steps {
		all = append(all, ordered{&h.siblings.steps[i], false, true})
	}
	slices.SortStableFunc(all, func(a, b ordered) int {
		if a.event == Present || b.event == Present {
			return cmp.Compare(min(a.event, Added), min(b.event, Added))
		}
		return cmp.Compare(a.version, b.version)
	})
	return all
}

// shoot follows which account a Shoot names.
func (c *checker) shoot(s *step) {
	if before := c.shoots[s.name]; before != nil && (s.event == Deleted || before.account != s.account) {
		delete(c.onAccount[before.account], s.name)
		c.leaveBinding(before.account, s.name)
	}
	apply(c.shoots, s)
	if s.event == Deleted {
		return
	}
	on := c.onAccount[s.account]
	if on == nil {
		on = map[string]uint64{}
		c.onAccount[s.account] = on
	}
	if _, known := on[s.name]; known {
		return
	}
	on[s.name] = s.version
	c.comeToBinding(s)
	c.come(s.account, s.name)
}

// account judges one revision of an account.
func (c *checker) account(s *step) {
	before := c.accounts[s.name]
	if before == nil {
		before = &object{}
		c.kept[s.name] = &keeping{
			records: map[string]claimRecord{}, writers: map[string]string{}, acknowledged: map[string]string{},
		}
	}
	w := &write{step: s, before: before, keeping: c.kept[s.name], client: byHand}
	if s.event != Present {
		w.request = c.makers.of(s, before.version)
	}
	if w.request != nil {
		w.client = w.request.Client
		w.ours = c.us(w.client)
	}
	w.read()
	c.judgeRecords(w)
	switch {
	case w.ours && c.supplied(w):
		c.judgeSupply(w)
	case w.ours:
		c.judgeOurs(w)
		c.judgeCredentials(w)
		c.noteSecond(w)
	}
	c.judgeShoots(w)
	c.judgeTenancy(w)
	apply(c.accounts, s)
	c.noteBinding(s)
	c.settle(w)
}

// write is a revision of an account and the client that has made it.
type write struct {
	*step
	*keeping
	before  *object
	request *fault.Exchange
	client  string
	ours    bool

	oldTenant, tenant string
	oldDirty, dirty   string
	// The records that it changed, as they were and as they are.
	removed, written map[string]claimRecord
	// named are the clusters that the written records name, with the keys of the records.
	named map[string]string
}

// read takes apart what the write changed.
func (w *write) read() {
	w.oldTenant, w.tenant = w.label(testbed.LabelTenant)
	w.oldDirty, w.dirty = w.label(testbed.LabelDirty)
	w.removed, w.written, w.named = map[string]claimRecord{}, map[string]claimRecord{}, map[string]string{}
	if w.event == Deleted {
		w.tenant, w.dirty = "", ""
		return
	}
	for _, e := range w.annotations {
		switch {
		case !strings.HasPrefix(e.key, testbed.RecordPrefix):
		case e.new == nil:
			w.removed[e.key] = w.records[e.key]
		default:
			var record claimRecord
			if json.Unmarshal([]byte(*e.new), &record) == nil {
				w.written[e.key] = record
				var cluster struct{ ClusterName string }
				if json.Unmarshal([]byte(*e.new), &cluster) == nil && cluster.ClusterName != "" {
					w.named[cluster.ClusterName] = e.key
				}
			} else if old, had := w.records[e.key]; had {
				w.removed[e.key] = old
			}
		}
	}
}

// takes reports whether the write is that of a claim that takes a free account.
func (w *write) takes() bool { return w.oldTenant == "" && w.tenant != "" && len(w.written) > 0 }

// label is a label before and after the write.
func (w *write) label(key string) (before, after string) {
	before = w.before.labels[key]
	for _, e := range w.labels {
		if e.key == key {
			return before, e.after()
		}
	}
	return before, before
}

const byUs = "our provider"

func violation(invariant Invariant, account string, version uint64, what string, args ...any) Violation {
	return Violation{
		Invariant: invariant, Account: account, Version: fmt.Sprint(version), What: fmt.Sprintf(what, args...),
	}
}

func (c *checker) blame(v Violation, client string) {
	v.Client, v.Ours = client, client == byUs || client != byHand && c.us(client)
	c.violations = append(c.violations, v)
}

// violates notes what is wrong with a write, and blames the party that has made it.
func (c *checker) violates(w *write, invariant Invariant, what string, args ...any) {
	c.blame(violation(invariant, w.name, w.version, what, args...), w.client)
}
