package pool

import (
	"testing"
	"testing/synctest"
	"time"
)

// The grace time of a release: a broker that chose the account a moment before the fence may still bring a cluster to it.

const grace = 5 * time.Minute

// graceful is the release of the claim first of ga-1 on a, with a grace time.
func (w *world) graceful(mode Mode) ReleaseRequest {
	req := w.releaseOf("ga-1", "first", "a", mode)
	req.Grace = grace
	return req
}

// since returns what the record of the claim first says of its fence.
func (w *world) since(t *testing.T) time.Time {
	t.Helper()
	record, ok := w.at("a").Records[identity("ga-1", "first").Key()]
	if !ok {
		t.Error("the record is gone")
	}
	return record.ReleasingSince
}

// TestGraceTime lets things happen in the middle of the grace time and says how the release ends then.
func TestGraceTime(t *testing.T) {
	t.Parallel()
	const fenced, marked = "a dirty=releasing +first", "a dirty=true -first"
	tests := map[string]struct {
		mode      Mode
		meanwhile func(w *world)
		outcome   Outcome // "" = in use
		writes    []string
	}{
		"nothing":              {MarkDirty, func(*world) {}, OutcomeDirtied, []string{fenced, marked}},
		"nothing, given back":  {ReturnToPool, func(*world) {}, OutcomeReturned, []string{fenced, "a tenant= dirty=clean -first"}},
		"a cluster":            {MarkDirty, func(w *world) { w.counter.add("a", "late") }, "", []string{fenced, "a dirty=clean +first"}},
		"a cluster, give back": {ReturnToPool, func(w *world) { w.counter.add("a", "late") }, "", []string{fenced, "a dirty=clean +first"}},
		"it becomes shared":    {MarkDirty, func(w *world) { w.edit("a", shared) }, OutcomeShared, []string{fenced}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first", newly)))
				start := time.Now()
				time.AfterFunc(grace/2, func() {
					equal(t, "dirt in the grace time", w.at("a").Dirty, Releasing)
					equal(t, "fenced since", w.since(t), start.UTC())
					test.meanwhile(w)
				})
				outcome, err := w.pool().Release(t.Context(), w.graceful(test.mode))
				equal(t, "took", time.Since(start), grace)
				w.wantWrites(t, test.writes...)
				if test.outcome != "" {
					equal(t, "outcome", []any{outcome, err}, []any{test.outcome, nil})
					return
				}
				equal(t, "after the fence", as[*InUseError](t, err).AfterFence, true)
				equal(t, "dirt and since", []any{w.at("a").Dirty, w.since(t)}, []any{Clean, time.Time{}})
			})
		})
	}
}

// What can go wrong with the mark itself does not make the account wait a second time.
func TestGraceTimeIsWaitedOnce(t *testing.T) {
	t.Parallel()
	for name, at := range map[string]map[int]fault{
		"the fence's answer is lost":        {1: {lost: lostAfter}},
		"the fence is lost and set again":   {1: {lost: lostBefore}},
		"the mark's answer is lost":         {2: {lost: lostAfter}},
		"the mark is lost and set again":    {2: {lost: lostBefore}},
		"the mark is lost and comes late":   {2: {lost: lostOnTheWay}},
		"the mark and its second try, too":  {2: {lost: lostBefore}, 3: {lost: lostBefore}},
		"the fence and the mark meet edits": {1: {}, 2: {}, 3: {}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first")))
				for n, f := range at {
					if f.lost == delivered {
						f.before = func() { w.edit("a", func(*Account) {}) }
					}
					w.on("write", n, f)
				}
				start := time.Now()
				outcome, err := w.pool().Release(t.Context(), w.graceful(MarkDirty))
				w.deliver()
				equal(t, "outcome", []any{outcome, err}, []any{OutcomeDirtied, nil})
				pause := time.Duration(0)
				if len(at) == 2 { // after the second lost answer
					pause = firstBackoff
				}
				equal(t, "took", time.Since(start), grace+pause)
				w.wantWrites(t, "a dirty=releasing +first", "a dirty=true -first")
			})
		})
	}
}

func TestReleaseThatDoesNotWait(t *testing.T) {
	t.Parallel()
	own := bearing("ga-1", "first")
	for name, test := range map[string]struct {
		grace   time.Duration
		mode    Mode
		account []func(*Account)
		arrange func(w *world)
		outcome Outcome // "" = in use
	}{
		"no grace time":                    {0, MarkDirty, []func(*Account){own}, nil, OutcomeDirtied},
		"no grace time, an old fence":      {0, MarkDirty, []func(*Account){own, dirty(Releasing)}, nil, OutcomeDirtied},
		"keep":                             {grace, Keep, []func(*Account){own}, nil, OutcomeKept},
		"keep, behind an old fence":        {grace, Keep, []func(*Account){own, dirty(Releasing)}, nil, OutcomeKept},
		"one of two claims":                {grace, MarkDirty, []func(*Account){own, bearing("ga-1", "second")}, nil, OutcomeKept},
		"dirty already":                    {grace, MarkDirty, []func(*Account){own, dirty(Dirtied)}, nil, OutcomeAlreadyDirty},
		"another tenant's":                 {grace, MarkDirty, []func(*Account){own, heldBy("ga-2")}, nil, OutcomeNotHeld},
		"a cluster is there at the start":  {grace, MarkDirty, []func(*Account){own}, func(w *world) { w.counter.add("a", "blue") }, ""},
		"may not go back, an old fence":    {grace, ReturnToPool, []func(*Account){own, dirty(Releasing)}, nil, ""},
		"may not go back, without a fence": {grace, ReturnToPool, []func(*Account){own}, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, account("a", append([]func(*Account){heldBy("ga-1")}, test.account...)...))
				if test.arrange != nil {
					test.arrange(w)
				}
				req := w.graceful(test.mode)
				req.Grace = test.grace
				start := time.Now()
				outcome, err := w.pool().Release(t.Context(), req)
				equal(t, "took", time.Since(start), time.Duration(0))
				equal(t, "outcome", outcome, test.outcome)
				equal(t, "refused", err != nil, test.outcome == "")
			})
		})
	}
}

// A fence says since when it stands, in the claim's own record alone.
func TestFenceSaysSinceWhenItStands(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		account      []func(*Account)
		fence, taken string // the writes
	}{
		"in the record": {[]func(*Account){bearing("ga-1", "first", newly)}, "a dirty=releasing +first",
			"a dirty=clean +first"},
		"not in one of a later format":      {[]func(*Account){bearing("ga-1", "first", ofLaterFormat)}, "a dirty=releasing", "a dirty=clean"},
		"not where the claim has no record": {nil, "a dirty=releasing", "a dirty=clean"},
		"not in the void record of another": {[]func(*Account){bearing("ga-2", "first")}, "a dirty=releasing", "a dirty=clean"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, account("a", append([]func(*Account){heldBy("ga-1")}, test.account...)...))
			before := w.at("a")
			start := time.Now().Truncate(time.Second)
			var fenced Account
			w.counter.at("users", 2, fault{before: func() { fenced = w.at("a"); w.counter.add("a", "late") }})
			_, err := w.release(w.pool(), "ga-1", "first", "a", MarkDirty)
			wantError[*InUseError](t, err)
			w.wantWrites(t, test.fence, test.taken)
			key := identity("ga-1", "first").Key()
			record, recorded := fenced.Records[key]
			_, had := before.Records[key]
			equal(t, "recorded", recorded, had)
			if since := record.ReleasingSince; test.fence == "a dirty=releasing +first" {
				if since.Before(start) || since.After(time.Now()) {
					t.Errorf("fenced since %v, want now", since)
				}
			} else {
				equal(t, "since", since, time.Time{})
			}
			after := w.at("a")
			after.Version = before.Version
			equal(t, "account in the end", after, before)
		})
	}
}
