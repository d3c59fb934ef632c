package pool

import (
	"context"
	"maps"
	"time"
)

// noteUsed notes in the record of the claim that took an account from the pool that the account was used: it must not go
// back there unwiped. It returns the account as it was last seen; a note that cannot be made is only lost. A record of a
// newer format is left as it is.
func (p *Pool) noteUsed(ctx context.Context, a Account, claim string, losses *losses) Account {
	for range maxLost {
		record, stands := a.Holds(claim)
		if !stands || !record.NewlyClaimed || record.Used || record.Version > RecordVersion {
			return a
		}
		record.Used = true
		now, noted, err := p.write(ctx, a, Change{Records: map[string]*Record{claim: &record}}, losses)
		if err != nil {
			return a
		}
		if a = now; noted {
			return a
		}
	}
	return a
}

// lookAtTaken looks for clusters on an account that has just been taken and is to go back to the pool as it is. The count
// by which it was chosen may be older than what is on it: somebody's cluster on an account that was freed under it, and
// that will be gone when the claim ends. The claim stands whatever is found; it is noted that the account is used, also
// where nobody knows.
func (c *claiming) lookAtTaken(ctx context.Context, taken Account) Account {
	err := c.view.load(ctx, time.Now())
	if err == nil && c.view.living(taken.Name) == 0 {
		return taken
	}
	now := c.noteUsed(ctx, taken, c.key, new(losses))
	if record, stands := now.Holds(c.key); stands && record.Used {
		return now
	}
	record := taken.Records[c.key] // whoever made the claim knows at least
	record.Used = true
	taken.Records = maps.Clone(taken.Records)
	taken.Records[c.key] = record
	return taken
}
