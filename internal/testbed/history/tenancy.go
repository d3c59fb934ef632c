package history

import (
	"maps"
	"slices"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
)

// tenancy is the time for which one tenant holds an account, and what the one before has left behind.
//
// A write of ours may give the account back to the pool without a clean-up (return_to_pool) where it removes a record that
// came with the first revision of this tenancy, or of an earlier one since which it has lain there, and the history has seen
// the beginning of this tenancy, and every Shoot on the account from there on was the cluster of another claim: ADR 010
// leaves it to the user to know what the tenant's other claims have done there. A Shoot of the claim itself, or of the broker,
// proves the return wrong. Clusters that only a database knows cannot be seen.
//
// There are two kinds of Shoots that a claim may not have seen, and they prove nothing. One was left there by another tenant and
// went before the claim's next write: what is still there then was there when the claim counted. The other was made by the
// broker, in this tenancy, for a tenant that does not hold the account any longer.
type tenancy struct {
	began    bool              // the history has seen its beginning
	since    uint64            // the version at which it began
	shoots   map[string]bool   // that were there
	clusters map[string]string // that the records name, with their keys
	taker    map[string]bool   // the records that came with its first revision, or with an earlier tenancy's and are there still

	// soiled is the tenant that has left the account uncleaned, soiledBy the client that let it go at soiledAt.
	soiled, soiledBy string
	soiledAt         uint64
	under            []string // the Shoots that were there in its time, with the keys of the claims whose clusters they are
}

// use notes that a Shoot is on the account.
func (t *tenancy) use(shoot string) {
	if t.shoots == nil {
		t.shoots = map[string]bool{}
	}
	t.shoots[shoot] = true
}

// come notes that a Shoot has come to an account, unless the broker has made it for another tenant than the one that holds it.
func (c *checker) come(account, shoot string) {
	owner := c.shoots[shoot].labels[testbed.LabelShootTenant]
	if kept := c.kept[account]; kept != nil && (owner == "" || owner == c.accounts[account].labels[testbed.LabelTenant]) {
		kept.use(shoot)
	}
}

// ofTaker reports whether the write is a later one of the claim that took the account.
func (w *write) ofTaker() bool {
	if !w.ours || w.oldTenant == "" {
		return false
	}
	for key := range w.taker {
		_, removed := w.removed[key]
		if _, written := w.written[key]; removed || written {
			return true
		}
	}
	return false
}

// judgeTenancy follows how an account goes from tenant to tenant: I2. Blamed is the client that let it go uncleaned; the
// one that takes it cannot know.
func (c *checker) judgeTenancy(w *write) {
	if w.ofTaker() {
		for shoot, since := range c.onAccount[w.name] {
			if since < w.since {
				w.use(shoot)
			}
		}
	}
	if w.event != Deleted && w.tenant != w.oldTenant {
		if w.oldTenant != "" {
			c.leave(w)
		}
		if w.tenant != "" {
			c.take(w)
		}
	}
	if w.clusters != nil {
		maps.Copy(w.clusters, w.named)
	}
}

func (c *checker) leave(w *write) {
	t := &w.tenancy
	cleaned := !w.ours && w.oldDirty == testbed.LabelTrue && w.tenant == "" && w.dirty == ""
	switch {
	case cleaned:
		t.soiled = ""
		c.summary.Cleaned++
	case w.ours && c.returned(w):
		c.summary.Returned++
	default:
		t.soiled, t.soiledBy, t.soiledAt, t.under = w.oldTenant, w.client, w.version, nil
		for _, shoot := range slices.Sorted(maps.Keys(t.shoots)) {
			t.under = append(t.under, shoot+" "+t.clusters[shoot])
		}
	}
}

// returned reports whether the write is a return_to_pool that the revisions do not prove wrong.
func (c *checker) returned(w *write) bool {
	if w.tenant != "" || !w.began {
		return false
	}
	for shoot := range w.shoots {
		owner := w.clusters[shoot]
		if _, own := w.removed[owner]; own || owner == "" {
			return false
		}
	}
	for key := range w.removed {
		if w.taker[key] {
			return true
		}
	}
	return false
}

func (c *checker) take(w *write) {
	t := &w.tenancy
	if t.soiled != "" && t.soiled != w.tenant {
		c.blame(violation(I2, w.name, w.version, "from %s to %s without a cleaning step: let go at version %d; there were the Shoots %q",
			t.soiled, w.tenant, t.soiledAt, t.under), t.soiledBy)
		t.soiled = ""
	}
	before := t.taker
	t.since = w.version
	t.began, t.shoots, t.clusters, t.taker = w.event != Present, map[string]bool{}, map[string]string{}, map[string]bool{}
	for key := range before {
		if _, lies := w.records[key]; lies {
			t.taker[key] = true
		}
	}
	for key := range w.written {
		t.taker[key] = true
	}
	if w.event == Modified {
		c.summary.Handed[w.client]++
	}
}
