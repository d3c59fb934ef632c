package pool

import (
	"context"
	"errors"
	"maps"
	"time"
)

// A free account is taken only after each source was asked about it, whichever of them counts: where the broker's database alone counts,
// the Shoots of all accounts are listed beside it, once for all claims of a run that wait for that.

// maxRecounts bounds how often one claim has the clusters counted anew because of the account that it is about to take.
const maxRecounts = 8

// beside is what the source knows that does not count.
type beside struct {
	counts Counts
	asked  time.Time // zero = never
	// denied says that the user must not list the Shoots; nil = that is not so. It is not asked again.
	denied error
}

// since reports whether the source was asked at or after a time.
func (b beside) since(notBefore time.Time) bool {
	return b.denied != nil || !b.asked.IsZero() && !b.asked.Before(notBefore)
}

// uncounted returns the source that does not count and knows of living clusters; nil = Gardener, which knows all of them, counts. The
// database is not asked where it does not count: one that is down must not stop the claims.
func (c *cache) uncounted() Counter {
	if counting, ok := c.counter.(*Counting); ok && counting.source() == SourceDatabase {
		return counting.Shoots
	}
	return nil
}

// lookBeside makes sure that the source which does not count was asked at or after notBefore.
func (c *cache) lookBeside(ctx context.Context, notBefore time.Time) error {
	other := c.uncounted()
	if other == nil {
		return nil
	}
	return c.besides.do(ctx, func() bool { return c.snapshot().beside.since(notBefore) }, func(ctx context.Context) error {
		asked := time.Now()
		counts, err := other.Count(ctx)
		found := beside{counts: counts, asked: asked}
		if errors.As(err, new(*ForbiddenError)) {
			found, err = beside{denied: err}, nil
		}
		if err != nil {
			return err
		}
		c.update(func(s *snapshot) *snapshot { return s.withBeside(found) })
		return nil
	})
}

// besides returns a count with what the source knows that does not count, by cloud account.
func (s *snapshot) besides(counts Counts) Counts {
	other, err := s.joined(s.beside.counts)
	if err != nil { // one source differs from none
		other = s.beside.counts
	}
	return counts.beside(other)
}

// beside returns the counts with the living clusters of a source that does not count.
func (c Counts) beside(other Counts) Counts {
	c.usage = maps.Clone(c.usage)
	for account, known := range c.usage {
		usage := *known
		usage.Beside = 0
		c.usage[account] = &usage
	}
	for account, known := range other.usage {
		if n := known.living(); n > 0 {
			c.add(account, 0).Beside = n
		}
	}
	return c
}

// freeWhenCounted reports whether an account was free by the list behind the newest count. One that was not may have got clusters since.
// Other bindings of the credentials lead clusters in without a mark on any of them: with these, the newest list has to be that list.
func (s *snapshot) freeWhenCounted(a *Account) bool {
	if s.countedBy == nil || s.countedBy != s.list && len(s.whole(a).Twins()) > 0 {
		return false
	}
	then := s.countedBy.byName[a.Name]
	if then == nil || then.UID != a.UID {
		return false
	}
	then = (&snapshot{list: s.countedBy}).whole(then)
	holder, _ := then.holder()
	return holder == "" && then.intruder("") == nil && then.unusable("") == ""
}

// unlooked says, once for all claims of a run, that the Shoots of free accounts are not counted.
func (p *Pool) unlooked() (doubts []string) {
	if denied := p.cache.snapshot().beside.denied; denied != nil {
		p.denied.Do(func() { doubts = []string{unlookedText(denied)} })
	}
	return doubts
}

func unlookedText(denied error) string {
	return "The broker's database alone counts, and the Shoots must not be listed: " + denied.Error() + ". A free account on which a Shoot " +
		"without a row of the database lives may be claimed."
}
