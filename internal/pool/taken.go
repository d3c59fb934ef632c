package pool

import (
	"context"
	"maps"
	"time"
)

// lookAtTaken looks for clusters on an account that has just been taken and is to go back to the pool as it is. The count
// by which it was chosen may be older than what is on it: somebody's cluster on an account that was freed under it, and
// that will be gone when the claim ends. The claim stands whatever is found; it is noted that the account is used, also
// where nobody knows.
func (c *claiming) lookAtTaken(ctx context.Context, taken Account) Account {
	err := c.view.load(ctx, time.Now())
	if err == nil && c.view.living(taken.Name) == 0 {
		return taken
	}
	account := taken
	for range maxLost {
		record, stands := account.Holds(c.key)
		if !stands || record.Used {
			return account
		}
		record.Used = true
		now, noted, err := c.write(ctx, account, Change{Records: map[string]*Record{c.key: &record}}, new(losses))
		if noted {
			return now
		}
		if err != nil {
			break
		}
		account = now
	}
	record := taken.Records[c.key] // it could not be noted; whoever made the claim knows at least
	record.Used = true
	taken.Records = maps.Clone(taken.Records)
	taken.Records[c.key] = record
	return taken
}
