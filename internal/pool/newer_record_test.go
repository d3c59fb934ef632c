package pool

import (
	"strings"
	"testing"
)

// F30: a record that a later version has written says more than this one knows. It is read, and never written anew.
func TestRecordOfALaterFormat(t *testing.T) {
	t.Parallel()
	world := func(t *testing.T) *world {
		t.Helper()
		return newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first", ofLaterFormat, forCluster("blue"))), account("b"))
	}
	newer := func(t *testing.T, err error) {
		t.Helper()
		refused := as[*NewerRecordError](t, err)
		equal(t, "account and version", []any{refused.Account, refused.Version}, []any{"a", RecordVersion + 1})
		for _, part := range []string{"account a", "format 2", "format 1", `claim "first"`} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%q does not tell %q", err, part)
			}
		}
	}
	parallel(t, "is adopted as it is", func(t *testing.T) {
		w := world(t)
		claim := w.claim(t, w.pool(), request("ga-1", "first", reserving("blue")))
		equal(t, "adopted, version", []any{claim.Adopted, claim.Record.Version}, []any{true, RecordVersion + 1})
		w.wantWrites(t)
	})
	parallel(t, "is not adopted with a change", func(t *testing.T) {
		w := world(t)
		_, err := w.pool().Claim(t.Context(), request("ga-1", "first", reserving("green")))
		newer(t, err)
		w.wantWrites(t)
	})
	parallel(t, "is not changed", func(t *testing.T) {
		w := world(t)
		_, err := w.pool().Update(t.Context(), w.updateOf())
		newer(t, err)
		w.wantWrites(t)
	})
	parallel(t, "stays where there is nothing to change", func(t *testing.T) {
		w := world(t)
		s, err := w.pool().Update(t.Context(), w.updateOf(func(r *UpdateRequest) { r.ClusterName, r.Request = "blue", Request{} }))
		equal(t, "error, version", []any{err, s.Record.Version}, []any{nil, RecordVersion + 1})
		w.wantWrites(t)
	})
	parallel(t, "goes with its claim", func(t *testing.T) {
		w := world(t)
		outcome, err := w.release(w.pool(), "ga-1", "first", "a", MarkDirty)
		equal(t, "outcome", []any{outcome, err}, []any{OutcomeDirtied, nil})
		w.wantWrites(t, "a dirty=releasing", "a dirty=true -first")
	})
}
