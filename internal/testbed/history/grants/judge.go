package grants

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// Invariant is what must hold at every revision of a history; scenarios/CATALOGUE.md words each for readers.
type Invariant string

// The invariants.
const (
	// G1 says that no two prefixes which are recorded on a Cluster collide, and that each request has one which the built-in scheduler has
	// granted a shared Cluster.
	G1 Invariant = "G1"
	// G2 says that an exclusive Cluster is held by one request at most, and that a request holds no two Clusters.
	G2 Invariant = "G2"
	// G3 says that a grant does not change, and leaves only when its request is being deleted.
	G3 Invariant = "G3"
	// G4 says that a request whose status says Granted holds that Cluster, until the request is being deleted.
	G4 Invariant = "G4"
)

// Invariants lists G1 to G4.
func Invariants() []Invariant { return []Invariant{G1, G2, G3, G4} }

// Violation is one place where a history breaks an invariant.
type Violation struct {
	Invariant Invariant
	// Object and Version say where it shows.
	Object  string
	Version uint64
	// What happened.
	What string
}

// String is the violation in one line.
func (v Violation) String() string {
	return fmt.Sprintf("%s %s at version %d: %s", v.Invariant, v.Object, v.Version, v.What)
}

var errNoPrefix = errors.New("it names no prefix")

// Check judges all revisions, and reports grants that are left over in the end. The history must have ended.
func (h *History) Check() (broken []Violation, left []string) {
	c := checker{clusters: map[string]revision{}, requests: map[string]revision{}}
	for _, r := range h.revisions {
		if r.kind == kindCluster {
			c.cluster(r)
		} else {
			c.request(r)
		}
	}
	return c.violations, c.left()
}

// left are the Clusters that are held in the end by requests that are gone: nothing takes those off.
func (c *checker) left() (left []string) {
	for name, cluster := range c.clusters {
		for _, uid := range cluster.holders {
			if by, known := c.requests[uid]; known && by.event == deleted {
				left = append(left, fmt.Sprintf("Cluster %s is held by %s (UID %s), which is gone", name, by.name, uid))
			}
		}
	}
	return left
}

// MustHold ends the history and fails the test where it breaks an invariant, where a grant is left over, and where there was none at all.
func (h *History) MustHold(t testing.TB) {
	t.Helper()
	h.End(t)
	broken, left := h.Check()
	for _, v := range broken {
		t.Error(v)
	}
	for _, grant := range left {
		t.Error(grant)
	}
	if len(broken)+len(left) > 0 {
		t.Logf("the revisions:\n%s", h.story())
	}
	grants := map[string]bool{}
	for _, r := range h.revisions {
		for uid := range r.records {
			grants[r.uid+uid] = true
		}
	}
	if t.Logf("%d revisions with %d grants were judged", len(h.revisions), len(grants)); len(grants) == 0 {
		t.Error("without a grant nothing was judged")
	}
}

// storyLines bounds what a failed test prints of a history.
const storyLines = 100

// story is the last revisions, one a line.
func (h *History) story() string {
	lines := make([]string, len(h.revisions))
	for i, r := range h.revisions {
		lines[i] = fmt.Sprintf("version %d, %s %s (UID %s) %s:", r.version, r.kind, r.name, r.uid, r.event)
		if r.terminating {
			lines[i] += " terminating;"
		}
		if r.kind == kindCluster {
			lines[i] += fmt.Sprintf(" exclusive %t, holders %v, records %v", r.exclusive, r.holders, r.records)
		} else {
			lines[i] += fmt.Sprintf(" built-in %t, operator %t, granted to %q", r.builtin, r.operator, r.grantedTo)
		}
	}
	return strings.Join(lines[max(0, len(lines)-storyLines):], "\n")
}

// checker goes through a history.
type checker struct {
	clusters   map[string]revision // by name; those that are there
	requests   map[string]revision // by uid; also those that are gone
	violations []Violation
}

func (c *checker) violates(r revision, invariant Invariant, what string, args ...any) {
	c.violations = append(c.violations, Violation{invariant, r.kind + " " + r.name, r.version, fmt.Sprintf(what, args...)})
}

// cluster judges a revision of a Cluster.
func (c *checker) cluster(now revision) {
	before := c.clusters[now.name]
	if before.uid != now.uid {
		before = revision{}
	}
	if now.event == deleted { // its last state says nothing new
		now.holders, now.records = nil, nil
	}
	c.judgePrefixes(now)
	c.judgeHolders(before, now)
	c.judgeChanges(before, now)
	if c.clusters[now.name] = now; now.event == deleted {
		delete(c.clusters, now.name)
	}
}

// judgePrefixes asks for G1. A record counts while its request holds the Cluster.
func (c *checker) judgePrefixes(now revision) {
	prefixes := map[string]string{} // by uid
	for _, uid := range now.holders {
		record, recorded := now.records[uid]
		if !recorded {
			if by := c.requests[uid]; by.builtin {
				c.violates(now, G1, "the built-in scheduler serves %s, which holds it without a record", uid)
			}
			continue
		}
		switch prefix, err := prefixOf(record); {
		case err != nil:
			c.violates(now, G1, "the record of %s cannot be read: %v: %s", uid, err, record)
		case prefix != "":
			prefixes[uid] = prefix
		case !now.exclusive:
			c.violates(now, G1, "%s holds a shared Cluster without a prefix", uid)
		}
	}
	for i, uid := range now.holders {
		for _, other := range now.holders[:i] {
			a, b := prefixes[uid], prefixes[other]
			if a != "" && b != "" && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a)) {
				c.violates(now, G1, "the prefixes %q of %s and %q of %s collide", a, uid, b, other)
			}
		}
	}
}

// judgeHolders asks for G2 of those that have come.
func (c *checker) judgeHolders(before, now revision) {
	if now.exclusive && len(now.holders) > max(1, len(before.holders)) {
		c.violates(now, G2, "it is exclusive, and held by %v", now.holders)
	}
	for _, uid := range now.holders {
		if before.holds(uid) {
			continue
		}
		for name, other := range c.clusters {
			if name != now.name && other.holds(uid) {
				c.violates(now, G2, "%s holds %s too", uid, name)
			}
		}
	}
}

// judgeChanges asks for G3 of each grant, and for G4 where a holder leaves.
func (c *checker) judgeChanges(before, now revision) {
	for uid, record := range now.records {
		if _, had := before.records[uid]; had || !before.holds(uid) && now.holds(uid) || now.event == present {
			continue
		}
		c.violates(now, G3, "a record of %s comes by itself: %s", uid, record)
	}
	for _, uid := range before.holders {
		record, recorded := before.records[uid]
		if now.holds(uid) {
			if after, still := now.records[uid]; recorded && (!still || after != record) {
				c.violates(now, G3, "the grant of %s has changed from %s to %q", uid, record, after)
			}
			continue
		}
		by, known := c.requests[uid]
		lives := known && by.event != deleted && !by.terminating
		if _, left := now.records[uid]; recorded && left && by.builtin {
			c.violates(now, G3, "the record of %s stays, and the built-in scheduler serves it", uid)
		}
		if recorded && lives {
			c.violates(now, G3, "%s holds it no longer, and is not being deleted", uid)
		}
		if lives && by.grantedTo == now.name {
			c.violates(now, G4, "%s holds it no longer, and its status says so", uid)
		}
	}
}

// request judges a revision of a ClusterRequest: G4 where its status says Granted anew.
func (c *checker) request(now revision) {
	before := c.requests[now.uid]
	c.requests[now.uid] = now
	if now.event == deleted || now.terminating || now.grantedTo == "" || now.grantedTo == before.grantedTo {
		return
	}
	if !c.clusters[now.grantedTo].holds(now.uid) {
		c.violates(now, G4, "its status says that it holds %s, and it does not", now.grantedTo)
	}
}
