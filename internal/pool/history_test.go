package pool

import (
	"cmp"
	"maps"
	"slices"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// check reads the history of all accounts and fails the test where one of the protocol's promises was
// broken. Only what we wrote is held against us.
func (s *memStore) check(t *testing.T) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, c := range s.log {
		if !c.ours {
			continue
		}
		for _, broken := range c.broken() {
			t.Errorf("commit %d of the history (%s) breaks a promise: %s\nbefore: %+v\nafter:  %+v", i+1, c, broken, c.before, c.after)
		}
	}
}

// leavesLost reports whether the commit takes one record from an account that the record's tenant has lost, and does nothing
// else. The history does not show whose record that is; see release_void_test.go.
func (c commit) leavesLost() bool {
	return c.change.Tenant == nil && c.change.Dirty == nil && len(c.change.Records) == 1
}

// clears reports whether a claim that takes a free account removes what lay there and counted for no claim.
func (c commit) clears(key string) bool {
	_, had := c.before.Records[key]
	written := slices.ContainsFunc(slices.Collect(maps.Values(c.change.Records)), func(r *account.Record) bool { return r != nil })
	return had && c.change.Records[key] == nil && written && c.before.Tenant == "" && c.after.Tenant != ""
}

// cleared counts the records that the commit clears.
func (c commit) cleared() (n int) {
	for key := range c.change.Records {
		if c.clears(key) {
			n++
		}
	}
	return n
}

func (c commit) broken() (promises []string) {
	promise := func(kept bool, text string) {
		if !kept {
			promises = append(promises, text)
		}
	}
	before, after := c.before, c.after
	if c.supplies() {
		return c.brokenByOwner()
	}
	promise(!before.Shared, "a shared account is never written")
	promise(before.Tenant == "" || after.Tenant == "" || before.Tenant == after.Tenant, "an account never goes from one tenant to another")
	promise(len(c.change.Records)-c.cleared() <= 1, "a write concerns one claim")
	givesBack := c.change.Dirty != nil && *c.change.Dirty == account.Dirtied || c.change.Tenant != nil && *c.change.Tenant == ""
	promise(c.change.LastHeld.IsZero() || givesBack || before.Dirty != account.Clean && len(c.change.Records) == 1, "a time is noted where a claim ends alone")
	promise(c.change.Tenant != nil || c.change.Dirty != nil || len(c.change.Records) > 0, "a write changes something")
	for key, record := range c.change.Records {
		was, had := before.Records[key]
		if record != nil && c.change.Dirty != nil {
			as := *record
			as.ReleasingSince = was.ReleasingSince
			promise(had && as == was && was.Version <= account.RecordVersion, "a fence notes nothing but since when it exists, in a record that it knows")
			promise(record.ReleasingSince.IsZero() == (after.Dirty != account.Releasing), "a record says since when a fence exists, as long as it does")
		}
		if record != nil {
			promise(record.GlobalAccount == after.Tenant && record.Identity(namespace).Key() == key, "a record is its tenant's own")
		} else {
			promise(!had || was.GlobalAccount == before.Tenant || c.leavesLost() || c.clears(key),
				"a void record is left alone, but that its own release takes it from a free account, and a claim of another tenant clears it")
		}
	}
	others := 0
	for _, key := range before.Claims() {
		if _, own := c.change.Records[key]; !own {
			others++
		}
	}
	if c.change.Tenant != nil && *c.change.Tenant != "" {
		promise(before.Tenant == "" && !before.Internal && !before.Terminating && before.Dirty == account.Clean,
			"only a usable unclaimed account is claimed")
	}
	if c.change.Tenant != nil && *c.change.Tenant == "" {
		promise(before.Dirty == account.Releasing, "an account is freed only with its fence up")
		promise(others == 0, "an account is not freed under other claims")
		promise(c.users == 0, "an account is not freed under live clusters")
	}
	promise(!before.Internal || c.change.Dirty == nil || *c.change.Dirty == account.Clean && before.Dirty == account.Releasing,
		"an internal account is never marked")
	promise(!before.Internal || c.change.Tenant == nil, "an internal account is never claimed from the pool, nor freed")
	for _, twin := range c.twins { // I8
		foreign := twin.Shared || twin.Tenant != "" && twin.Tenant != cmp.Or(after.Tenant, before.Tenant)
		if c.change.Tenant != nil && *c.change.Tenant != "" {
			promise(!foreign && twin.Dirty == account.Clean && !twin.Internal, "an account is claimed only if every binding of its credentials is usable")
		}
		if c.change.Dirty != nil && *c.change.Dirty == account.Dirtied || c.change.Tenant != nil && *c.change.Tenant == "" {
			own := (twin.Dirty == account.Releasing || twin.Dirty == account.Dirtied) && len(twin.Claims()) == 1 // the claim that is being released
			promise(!foreign && (len(twin.Claims()) == 0 || own), "an account is not marked or freed while another binding of its credentials is in use")
		}
	}
	if c.change.Dirty != nil {
		switch *c.change.Dirty {
		case account.Releasing:
			named := len(c.change.Records) > 0 // only the record of a newer version is left as it is
			promise(before.Dirty == account.Clean && (others == 0 || !named && others == 1), "a fence is set on an account that no other claim is on")
		case account.Dirtied:
			promise(before.Dirty == account.Releasing, "an account is marked dirty only with its fence up")
			promise(others == 0, "an account is not marked dirty under other claims")
			promise(c.users == 0, "an account is not marked dirty under live clusters")
		case account.Clean:
			promise(before.Dirty == account.Releasing, "no dirty mark is taken away")
		}
	}
	return promises
}
