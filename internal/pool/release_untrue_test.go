package pool

import (
	"context"
	"errors"
	"testing"
)

// untrue answers each write with success, and carries out none.
type untrue struct {
	Store
	writes int
}

func (u *untrue) Write(_ context.Context, judged Account, _ Change) (Account, error) {
	u.writes++
	return judged, nil
}

// F38: a store that says a fence is up which is not does not keep a release going round for ever: the account is judged as often as a
// lost write is, and stays what it is.
func TestReleaseEndsWhereItsFenceNeverShows(t *testing.T) {
	t.Parallel()
	w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first", newly)))
	store := &untrue{Store: w.memStore}
	_, err := New(namespace, store, w.counter, w.policy).Release(t.Context(), w.releaseOf("ga-1", "first", "a", MarkDirty))
	if err == nil || errors.As(err, new(*UnknownOutcomeError)) || store.writes > 3*maxTries {
		t.Errorf("after %d writes: %v", store.writes, err)
	}
	w.wantWrites(t)
	equal(t, "dirt", w.at("a").Dirty, Clean)
}
