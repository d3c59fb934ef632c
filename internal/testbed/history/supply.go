package history

import (
	"slices"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
)

// quarantine is what the pool's owner writes into the label dirty, and quarantineKey the key of the reason.
const (
	quarantine    = "quarantine"
	quarantineKey = "hap-project.io/quarantine"
)

// AllowSupply lets the checker know which clients of ours may write as the pool's owner does (hap_account): they make and delete
// accounts and write labels of their own, by the rules of [checker.judgeSupply]. What they write as a claim does is judged as a
// claim's write. Without it no client may.
func (h *History) AllowSupply(clients func(client string) bool) { h.supplies = clients }

// supplied reports whether a write of ours is one of the pool's owner.
func (c *checker) supplied(w *write) bool {
	if c.history.supplies == nil || !c.history.supplies(w.client) {
		return false
	}
	if w.event != Modified || w.terminating != w.before.terminating {
		return true
	}
	foreign := len(w.removed)+len(w.written) > 0 || w.tenant != w.oldTenant
	own := slices.ContainsFunc(w.labels, func(e edit) bool { return e.key != testbed.LabelDirty }) ||
		slices.ContainsFunc(w.annotations, func(e edit) bool { return e.key == quarantineKey }) ||
		w.oldDirty == quarantine || w.dirty == quarantine
	return own && !foreign
}

// judgeSupply asks of a write of the pool's owner whether it was allowed: it has the precondition unless it makes the account,
// and changes neither tenant nor records, nor more of the label dirty than a quarantine (I7); under its tenant an account keeps
// its labels and its place, and under its tenant, a claim or a release it is not deleted (I5).
func (c *checker) judgeSupply(w *write) {
	if r := w.request; w.event != Added && (r.UID != w.before.uid || number(r.Version) != w.before.version) {
		c.violates(w, I7, "written with uid %q and version %q, and replaced uid %q and version %d",
			r.UID, r.Version, w.before.uid, w.before.version)
	}
	switch {
	case w.event == Deleted || w.terminating && !w.before.terminating:
		c.judgeRemoval(w)
		return
	case w.event == Added && (w.tenant != "" || len(w.written) > 0):
		c.violates(w, I7, "an account is made with the tenant %q and %d records", w.tenant, len(w.written))
	case w.event == Modified && w.rest != w.before.rest:
		c.violates(w, I7, "a finalizer, an owner or the spec is changed")
	}
	if aside := func(dirty string) bool { return dirty == "" || dirty == quarantine }; w.dirty != w.oldDirty &&
		(!aside(w.oldDirty) || !aside(w.dirty)) {
		c.violates(w, I7, "dirty %q -> %q", w.oldDirty, w.dirty)
	}
	for _, e := range w.annotations {
		if e.key != quarantineKey {
			c.violates(w, I7, "the annotation %s", e)
		}
	}
	c.judgeSupplied(w)
}

// judgeSupplied judges the labels that the pool's owner changes.
func (c *checker) judgeSupplied(w *write) {
	for _, e := range w.labels {
		pooled := slices.Contains([]string{testbed.LabelType, testbed.LabelShared, testbed.LabelEUAccess, testbed.LabelInternal}, e.key)
		meant := e.after() == testbed.LabelTrue || e.old != nil && *e.old == testbed.LabelTrue || e.key == testbed.LabelType
		if w.oldTenant != "" && e.key != testbed.LabelDirty && (!pooled || meant) {
			c.violates(w, I5, "the label %s of an account of %s", e, w.oldTenant)
		}
		if pooled && e.key != testbed.LabelType && e.new != nil && *e.new != testbed.LabelTrue {
			c.violates(w, I7, "the label %s, which hides the account from the broker", e)
		}
	}
}

// judgeRemoval judges the deletion of an account by its owner.
func (c *checker) judgeRemoval(w *write) {
	tenant, dirty := w.before.labels[testbed.LabelTenant], w.before.labels[testbed.LabelDirty]
	switch {
	case dirty == "releasing":
		c.violates(w, I5, "an account is deleted while it is being released")
	case tenant != "" && dirty != testbed.LabelTrue:
		c.violates(w, I5, "an account of %s is deleted", tenant)
	}
	for key, record := range w.records {
		if tenant != "" && record.GlobalAccount == tenant {
			c.violates(w, I5, "an account is deleted under the claim %s", key)
		}
	}
}
