package history

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
)

// judgeOurs asks of a write of ours whether it was allowed to be made at all: I1, I5, I6, I7.
func (c *checker) judgeOurs(w *write) {
	for key, record := range w.written {
		switch {
		case w.oldTenant != "" && w.oldTenant != record.GlobalAccount:
			c.violates(w, I1, "a claim for %s on an account of %s", record.GlobalAccount, w.oldTenant)
		case w.tenant != record.GlobalAccount:
			c.violates(w, I1, "a claim for %s, and the tenant is %q", record.GlobalAccount, w.tenant)
		}
		old, had := w.records[key]
		if had && old != record {
			c.violates(w, I6, "the record of the claim %+v has become that of %+v", old, record)
		}
	}
	c.judgeOffLimits(w)
	others := 0
	for key := range w.removed {
		switch {
		case w.takes(): // all that others left on a free account is void
			others++
		case c.withdraws(w, key):
		case !c.history.answers.releases(key, w.name, w.version):
			c.violates(w, I6, "the record %s is removed, and its claim was not released", key)
		}
	}
	if n := len(w.removed) + len(w.written) - others; n > 1 {
		c.violates(w, I6, "one write changes the records of %d claims", n)
	}
	c.judgeDifference(w)
}

// judgeOffLimits finds writes of ours where there should be none: I5.
func (c *checker) judgeOffLimits(w *write) {
	if w.before.labels[testbed.LabelShared] == testbed.LabelTrue {
		c.violates(w, I5, "a shared account is written")
	}
	if w.before.labels[testbed.LabelInternal] == testbed.LabelTrue && len(w.labels) > 0 {
		c.violates(w, I5, "labels of an internal account are written: %v", w.labels)
	}
	if w.event == Deleted || w.takes() {
		return
	}
	if w.oldTenant == "" && w.tenant == "" && (len(w.removed) == 0 || len(w.labels) > 0) {
		c.violates(w, I5, "an account that no tenant holds is written, and neither claimed nor just rid of a record")
	}
	for _, record := range w.removed {
		if w.oldTenant != "" && record.GlobalAccount != "" && record.GlobalAccount != w.oldTenant && len(w.labels) > 0 {
			c.violates(w, I5, "labels of an account of %s are written by a claim of %s: %v", w.oldTenant, record.GlobalAccount, w.labels)
		}
	}
}

// lastHeldKey is the key of the time that the last write of a release notes.
const lastHeldKey = "hap-project.io/last-held"

func isRecord(key string) bool { return strings.HasPrefix(key, testbed.RecordPrefix) }

// judgeDifference compares the revisions before and after a write of ours, field by field: I7.
func (c *checker) judgeDifference(w *write) {
	if w.event != Modified {
		c.violates(w, I7, "an account is %s", w.event)
		return
	}
	if r := w.request; r.UID != w.before.uid || number(r.Version) != w.before.version {
		c.violates(w, I7, "written with uid %q and version %q, and replaced uid %q and version %d",
			r.UID, r.Version, w.before.uid, w.before.version)
	}
	for _, e := range w.labels {
		if e.key != testbed.LabelTenant && e.key != testbed.LabelDirty {
			c.violates(w, I7, "the label %s", e)
		}
	}
	ends := w.dirty == testbed.LabelTrue && w.oldDirty != testbed.LabelTrue || w.oldTenant != "" && w.tenant != w.oldTenant ||
		slices.ContainsFunc(w.annotations, func(e edit) bool { return isRecord(e.key) && e.new == nil })
	for _, e := range w.annotations {
		if !isRecord(e.key) && !(ends && e.key == lastHeldKey) {
			c.violates(w, I7, "the annotation %s", e)
		}
	}
	if w.terminating != w.before.terminating || w.rest != w.before.rest {
		c.violates(w, I7, "the deletion timestamp, a finalizer, an owner or the spec is changed")
	}
}

// judgeRecords finds claims that a write breaks though they go on: I3. Hands and the clean-up job may do that; it
// is the end of the claim then.
func (c *checker) judgeRecords(w *write) {
	if !w.ours {
		return
	}
	marked := w.oldDirty != testbed.LabelTrue && w.dirty == testbed.LabelTrue
	freed := w.oldTenant != "" && w.tenant != w.oldTenant
	if !marked && !freed {
		return
	}
	for key, record := range w.records {
		if _, written := w.written[key]; written { // its own release keeps it until other bindings are marked, too
			continue
		}
		if _, removed := w.removed[key]; removed || record.GlobalAccount != w.oldTenant || w.oldTenant == "" {
			continue
		}
		c.violates(w, I3, "dirty %q -> %q, tenant %q -> %q, and the claim %s (%s) is on it",
			w.oldDirty, w.dirty, w.oldTenant, w.tenant, record.Name, key)
	}
}

// judgeShoots finds accounts that are marked or freed under a Shoot: I4.
func (c *checker) judgeShoots(w *write) {
	shoots := c.onAccount[w.name]
	marked := w.oldDirty != testbed.LabelTrue && w.dirty == testbed.LabelTrue
	freed := w.oldTenant != "" && w.tenant == ""
	if w.event == Present || w.event == Added || len(shoots) == 0 || !marked && !freed {
		return
	}
	var names []string
	for _, name := range slices.Sorted(maps.Keys(shoots)) {
		since := shoots[name]
		text := fmt.Sprintf("%s since version %d", name, since)
		if w.fenced != 0 && since > w.fenced {
			text += fmt.Sprintf(", after the fence of version %d", w.fenced)
		}
		names = append(names, text)
	}
	c.violates(w, I4, "dirty %q -> %q, tenant %q -> %q under the Shoots %s",
		w.oldDirty, w.dirty, w.oldTenant, w.tenant, strings.Join(names, "; "))
}

// withdraws reports whether the write does nothing but take a record from an account that the record's tenant has lost, for a claim that
// has not learned that it was there: the client comes that wrote the record, or a later run of a claim whose end is unknown.
func (c *checker) withdraws(w *write, key string) bool {
	void := w.removed[key].GlobalAccount != w.oldTenant && len(w.removed) == 1 && len(w.written) == 0 && len(w.labels) == 0
	return void && (w.writers[key] == w.client || c.history.answers.uncertain(key))
}

// departure is the last claim of ours that was released from an account in the present tenancy.
type departure struct {
	key     string // "" = none was
	version uint64
}

// depart notes which claim of ours was released from the account last, as long as its tenant stays.
func (c *checker) depart(w *write) {
	if w.tenant != w.oldTenant {
		w.left = departure{}
		return
	}
	for key, record := range w.removed { // one that was void says nothing of the tenant's
		if w.ours && record.GlobalAccount == w.tenant && c.history.answers.releases(key, w.name, w.version) {
			w.left = departure{key, w.version}
		}
	}
}

// settle brings the checker's memory to the state after the write, and compares it with what the claimers heard of it.
func (c *checker) settle(w *write) {
	changed := map[string]bool{}
	for key := range w.removed {
		changed[key] = true
		delete(w.records, key)
		delete(w.writers, key)
	}
	for key, record := range w.written {
		if _, known := w.records[key]; !known && w.event != Present {
			c.summary.Claims++
		}
		changed[key], w.records[key] = true, record
		if w.ours {
			w.writers[key] = w.client
		}
	}
	if w.tenant != w.oldTenant || w.event == Deleted {
		for key := range w.records {
			changed[key] = true
		}
	}
	for key := range changed {
		c.bears(w, key)
	}
	c.depart(w)
	switch {
	case w.dirty == "" || w.dirty == "false" || w.dirty == testbed.LabelTrue:
		w.fenced = 0
	case w.fenced == 0:
		w.fenced = w.version
	}
	c.hear(w)
	if w.event != Present {
		c.summary.Writes[w.client]++
	}
	if w.event == Deleted {
		delete(c.kept, w.name)
	}
}

// bears notes whether the account has the claim's record now. Two accounts must not: I3.
func (c *checker) bears(w *write, key string) {
	record, has := w.records[key]
	if !has || w.tenant == "" || record.GlobalAccount != w.tenant {
		delete(c.bearers[key], w.name)
		// A write of ours that was not the claim's own release is no end of it, see judgeOurs and judgeRecords.
		if !w.ours || c.history.answers.releases(key, w.name, w.version) {
			delete(w.acknowledged, key)
		}
		return
	}
	if c.bearers[key] == nil {
		c.bearers[key] = map[string]bool{}
	}
	if c.bearers[key][w.name] {
		return
	}
	c.bearers[key][w.name] = true
	if len(c.bearers[key]) > 1 {
		at := slices.Sorted(maps.Keys(c.bearers[key]))
		v := violation(I3, w.name, w.version, "the claim %s (%s) is on %q at once", record.Name, key, at)
		v.accounts = at
		c.blame(v, w.client)
	}
}

// hear compares a revision with what the claimers heard of it: I3.
func (c *checker) hear(w *write) {
	at := claimAt{w.name, w.version}
	keys := c.claimed[at]
	delete(c.claimed, at)
	if c.accounts[w.name] != nil && c.accounts[w.name].labels[testbed.LabelShared] == testbed.LabelTrue {
		return // nothing is written on a shared account
	}
	for _, key := range keys {
		record, has := w.records[key]
		if !has || record.GlobalAccount != w.tenant {
			c.blame(violation(I3, w.name, w.version, "the claim %s was said to exist, and the account has the tenant %q and the record %+v",
				key, w.tenant, record), byUs)
			continue
		}
		for other, ga := range w.acknowledged {
			if ga != record.GlobalAccount {
				c.summary.DoubleHandouts++
				c.blame(violation(I3, w.name, w.version, "handed to %s (%s), and %s was answered that it is theirs (%s)",
					record.GlobalAccount, key, ga, other), byUs)
			}
		}
		w.acknowledged[key] = record.GlobalAccount
	}
}
