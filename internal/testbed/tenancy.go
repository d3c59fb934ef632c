package testbed

// tenancy is the time for which one tenant holds an account, and what the one before has left behind.
//
// A tenancy proves itself unused where the history has seen its first revision, and no Shoot named the account from
// there to its end. Then the account may go back to the pool without a clean-up, by a write of ours that removes the
// very record which the first write has put on it (return_to_pool). Whatever was there when the history began is not
// proven. Clusters that only a database knows cannot be seen.
type tenancy struct {
	began bool            // the history has seen its beginning
	used  bool            // a Shoot was there
	taker map[string]bool // the records that came with its first revision

	// soiled is the tenant that has left the account uncleaned, soiledBy who let it go at soiledAt.
	soiled, soiledBy string
	soiledAt         uint64
}

// judgeTenancy follows how an account goes from tenant to tenant: I2. Blamed is who let it go uncleaned; who takes it
// cannot know.
func (c *checker) judgeTenancy(w *write) {
	switch {
	case w.event == Deleted || w.tenant == w.oldTenant:
		return
	case w.oldTenant != "":
		c.leave(w)
	}
	if w.tenant != "" {
		c.take(w)
	}
}

func (c *checker) leave(w *write) {
	t := &w.tenancy
	cleaned := !w.ours && w.oldDirty == trueLabel && w.tenant == "" && w.dirty == ""
	switch {
	case cleaned:
		t.soiled = ""
		c.summary.Cleaned++
	case w.ours && c.returned(w):
		c.summary.Returned++
	default:
		t.soiled, t.soiledBy, t.soiledAt = w.oldTenant, w.client, w.version
	}
}

// returned reports whether the write is a return_to_pool that the revisions prove right.
func (c *checker) returned(w *write) bool {
	if w.tenant != "" || !w.began || w.used {
		return false
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
		c.blame(violation("I2", w.name, w.version, "from %s to %s without a cleaning step: let go at version %d",
			t.soiled, w.tenant, t.soiledAt), t.soiledBy)
		t.soiled = ""
	}
	t.began, t.used, t.taker = w.event != Present, len(c.onAccount[w.name]) > 0, map[string]bool{}
	for key := range w.written {
		t.taker[key] = true
	}
	if w.event == Modified {
		c.summary.Handed[w.client]++
	}
}
