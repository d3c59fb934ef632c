package pool

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
)

// What refuses the removal of an account, and what does not. The plans of a removal and of a replacement say the same, by the last list and
// count. An account that is marked dirty is not taken out to be made anew, however long it is marked: what is made anew is free.
func TestRemove(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		account []func(*account.Account)
		users   int
		refusal account.Obstacle
	}{
		"free":                    {nil, 0, ""},
		"shared":                  {[]func(*account.Account){shared}, 0, ""},
		"internal":                {[]func(*account.Account){internal}, 0, ""},
		"quarantined":             {[]func(*account.Account){quarantined(account.Quarantined)}, 0, ""},
		"quarantined by hand":     {[]func(*account.Account){dirty(account.Quarantined)}, 0, ""},
		"dirty":                   {[]func(*account.Account){dirty(account.Dirtied)}, 0, ""},
		"dirty in words":          {[]func(*account.Account){dirty("maybe")}, 0, ""},
		"dirty, its tenant's":     {[]func(*account.Account){dirty(account.Dirtied), heldBy("ga-1")}, 0, ""},
		"with a void record":      {[]func(*account.Account){bearing("ga-2", "first")}, 0, ""},
		"dirty, void record":      {[]func(*account.Account){dirty(account.Dirtied), heldBy("ga-1"), bearing("ga-2", "first")}, 0, ""},
		"held":                    {[]func(*account.Account){heldBy("ga-1")}, 0, account.ObstacleTenant},
		"held, dirty in words":    {[]func(*account.Account){heldBy("ga-1"), dirty("maybe")}, 0, account.ObstacleTenant},
		"held, quarantined":       {[]func(*account.Account){heldBy("ga-1"), quarantined(account.Quarantined)}, 0, account.ObstacleTenant},
		"claimed":                 {[]func(*account.Account){heldBy("ga-1"), bearing("ga-1", "first")}, 0, account.ObstacleClaims},
		"internal, held":          {[]func(*account.Account){heldBy("ga-1"), internal}, 0, account.ObstacleTenant},
		"internal, claimed":       {[]func(*account.Account){heldBy("ga-1"), internal, bearing("ga-1", "first")}, 0, account.ObstacleClaims},
		"dirty, claimed":          {[]func(*account.Account){dirty(account.Dirtied), heldBy("ga-1"), bearing("ga-1", "first")}, 0, account.ObstacleClaims},
		"releasing":               {[]func(*account.Account){dirty(account.Releasing), heldBy("ga-1"), bearing("ga-1", "first")}, 0, account.ObstacleReleasing},
		"releasing, without more": {[]func(*account.Account){dirty(account.Releasing)}, 0, account.ObstacleReleasing},
		"used":                    {nil, 2, account.ObstacleClusters},
		"shared, used":            {[]func(*account.Account){shared}, 1, account.ObstacleClusters},
		"dirty, used":             {[]func(*account.Account){dirty(account.Dirtied), heldBy("ga-1")}, 1, account.ObstacleClusters},
	} {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t, anAccount("a", test.account...))
			w.counter.fill("a", test.users)
			before := w.at("a")
			unwiped := 0
			anew := protocol.RemoveRequest{Name: "a", UID: before.UID, Unwiped: func(account.Account) { unwiped++ }}
			alone := anew
			alone.Alone = true
			planned := w.pool().MayRemove(t.Context(), alone)
			equal(t, "requests of the plan", []int{w.called("list"), w.called("get"), w.counter.called("count"), w.counter.called("users")}, []int{1, 0, 1, 0})
			equal(t, "plan of another object", w.pool().MayRemove(t.Context(), protocol.RemoveRequest{Name: "a", UID: "uid-0"}), nil)
			replaced := []error{w.pool().MayReplace(t.Context(), "a", before.UID, account.Supply{}), w.pool().MayAdd(t.Context(), supplyOf(), before.UID), w.pool().MayRemove(t.Context(), anew)}
			obstacle := map[bool]account.Obstacle{true: account.ObstacleDirty}[before.Unwiped()]
			if before.SetAside() {
				obstacle = account.ObstacleQuarantined
			}
			if obstacle != "" { // made anew it would be free, with all that is in it
				replaced = append(replaced, w.pool().Remove(t.Context(), anew))
			}
			w.wantWrites(t)
			err := w.pool().Remove(t.Context(), alone)
			if test.refusal != "" {
				for _, err := range append(replaced, planned, err) {
					refused := as[*account.SupplyError](t, err)
					equal(t, "obstacle, internal", []any{refused.Obstacle, refused.Internal}, []any{test.refusal, before.Internal})
				}
				equal(t, "counted by the plan", as[*account.SupplyError](t, planned).Counted, map[bool]int{true: test.users}[test.refusal == account.ObstacleClusters])
				w.wantWrites(t)
				return
			}
			equal(t, "plan and removal", []error{planned, err}, []error{nil, nil})
			w.wantWrites(t, "a deleted")
			for _, err := range replaced {
				if obstacle != "" {
					equal(t, "obstacle of a replacement", as[*account.SupplyError](t, err).Obstacle, obstacle)
				} else {
					equal(t, "error of a replacement", err, nil)
				}
			}
			equal(t, "times that its owner is warned", unwiped, map[bool]int{true: 2}[before.Unwiped()]) // by the plan, and by the removal
			wantError[*account.NotFoundError](t, w.pool().Remove(t.Context(), alone))
		})
	}
	equal(t, "plan of one that is being deleted", goingMayGo(t), nil)
}

// An account that is dirty, or that another party has quarantined, does not come back by the run that takes it out of the pool, as another
// account with its credentials.
func TestAdd_afterTheRemovalOfADirtyOne(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		state   func(*account.Account)
		refused bool
	}{
		"dirty":                      {dirty(account.Dirtied), true},
		"quarantined by hand":        {dirty(account.Quarantined), true},
		"quarantined by its owner":   {quarantined(account.Quarantined), false},
		"free, as others may become": {func(*account.Account) {}, false},
	} {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t, anAccount("a", withSecret("secret-a"), test.state))
			p, another := w.pool(), supplyOf(func(s *account.Supply) { s.Name, s.Credentials = "b", *w.at("a").Credentials })
			equal(t, "removal", p.Remove(t.Context(), protocol.RemoveRequest{Name: "a", UID: uidOfA, Alone: true}), nil)
			_, err := p.Add(t.Context(), another)
			if test.refused {
				refused := as[*account.SupplyError](t, err)
				equal(t, "obstacle", []string{string(refused.Obstacle), refused.Twin}, []string{string(account.ObstacleUnwiped), "a"})
				w.wantWrites(t, "a deleted")
				_, err = w.pool().Add(t.Context(), another) // by a later run
			}
			equal(t, "error", err, nil)
		})
	}
}

func goingMayGo(t *testing.T) error {
	t.Helper()
	w := newWorld(t, anAccount("a", heldBy("ga-1"), terminating))
	return w.pool().MayRemove(t.Context(), protocol.RemoveRequest{Name: "a", UID: uidOfA})
}

// Where something keeps the object the removal waits until it is gone, or says that it is not. A read that gets no answer does not end the
// wait; one that is refused does. The time is over: the error names the last read.
func TestRemoveWaits(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		answer error         // to reads between the tenth and the twentieth minute; nil = they are answered
		goes   time.Duration // when the object is gone; 0 = never
		limit  time.Duration
		least  time.Duration
		text   string // of the error; empty = there is none
	}{
		"a moment":          {nil, 300 * time.Millisecond, time.Hour, 300 * time.Millisecond, ""},
		"an outage":         {unreachableFor("get"), 15 * time.Minute, time.Hour, 20 * time.Minute, ""},
		"not let in":        {&account.UnauthorizedError{Verb: "get", Err: errCut}, 0, time.Hour, 10 * time.Minute, "the credentials were not accepted (get ): connection cut"},
		"to the end":        {unreachableFor("get"), 0, 15 * time.Minute, 14 * time.Minute, "the last read failed: no answer to get things after 8 tries: connection cut"},
		"and is still kept": {unreachableFor("get"), 0, 40 * time.Minute, 39 * time.Minute, "was not gone in time: context deadline exceeded"},
	} {
		virtual(t, name, func(t *testing.T) {
			w := newWorld(t, anAccount("a"))
			w.kept = map[string]bool{"a": true}
			if test.answer != nil {
				w.between(10*time.Minute, 20*time.Minute, fault{answer: test.answer}, "get")
			}
			if test.goes > 0 {
				time.AfterFunc(test.goes, func() { w.remove("a") })
			}
			start := time.Now()
			err := w.pool().Remove(within(t, test.limit), protocol.RemoveRequest{Name: "a", UID: "uid-1"})
			if took := time.Since(start); took < test.least || took > test.least+time.Minute {
				t.Errorf("took %s", took)
			}
			if (err == nil) != (test.text == "") || err != nil && !strings.HasSuffix(err.Error(), test.text) {
				t.Errorf("got error %v, want %q", err, test.text)
			}
			if name == "and is still kept" {
				equal(t, "obstacle", as[*account.SupplyError](t, err).Obstacle, account.ObstacleDeleting)
				time.AfterFunc(time.Second, func() { w.remove("a") })
				equal(t, "next time", w.pool().Remove(t.Context(), protocol.RemoveRequest{Name: "a", UID: "uid-1"}), nil)
			}
			equal(t, "deletes", w.called("delete"), 1)
		})
	}
}

// A shared account is gone for its grace time when its removal returns: no label keeps the broker from it, and under its name a
// tenant's account may be made at once. The wait can be interrupted, and holds no lock.
func TestRemovalOfASharedAccountTakesItsGraceTime(t *testing.T) {
	t.Parallel()
	const grace = time.Minute
	for name, test := range map[string]struct {
		account []func(*account.Account)
		kept    time.Duration // something keeps the object for so long
		lost    loss
		secret  bool // the account is an object of the user's
		cancel  time.Duration
		want    time.Duration
	}{
		"shared":                  {account: []func(*account.Account){shared}, want: grace},
		"shared, its answer lost": {account: []func(*account.Account){shared}, lost: lostAfter, want: grace},
		"shared, a Secret":        {account: []func(*account.Account){shared}, secret: true, want: grace},
		"shared, being deleted":   {account: []func(*account.Account){shared, terminating}, kept: time.Second, want: grace + time.Second},
		"shared, interrupted":     {account: []func(*account.Account){shared}, cancel: 10 * time.Second, want: 10 * time.Second},
		"of no tenant":            {},
	} {
		virtual(t, name, func(t *testing.T) {
			w := newWorld(t, anAccount("a", test.account...), anAccount("b"))
			w.labelled = test.secret
			if test.kept > 0 {
				w.kept = map[string]bool{"a": true}
				time.AfterFunc(test.kept, func() { w.remove("a") })
			}
			w.on("delete", 1, fault{lost: test.lost})
			p, began := w.pool(), time.Now()
			if test.cancel > 0 {
				time.AfterFunc(test.cancel/2, func() { w.claim(t, p, request("ga-1", "first")) })
			}
			ctx, cancel := impatient(t, 0, test.cancel)
			defer cancel()
			err := p.Remove(ctx, protocol.RemoveRequest{Name: "a", UID: uidOfA, Grace: grace})
			if test.cancel > 0 {
				wantError[*TimeoutError](t, err)
				equal(t, "cancelled, there", []any{errors.Is(err, context.Canceled), w.at("a").Name}, []any{true, ""})
			} else {
				equal(t, "error", err, nil)
			}
			if took := time.Since(began); took < test.want || took > test.want+maxGonePoll {
				t.Errorf("it took %s, want %s", took, test.want)
			}
		})
	}
}

// A delete that is refused although the account is as it was judged is sent again after a pause, ever less often, as a write is.
func TestDeleteThatIsRefused(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]error{
		"in conflict": &account.ConflictError{Account: "a", Err: errCut},
		"turned away": &account.BusyError{Account: "a", Err: errTooMany},
	} {
		virtual(t, name, func(t *testing.T) {
			w := newWorld(t, anAccount("a"))
			var sent []time.Time
			w.storm = func(call string) fault {
				if call != "delete" {
					return fault{}
				}
				sent = append(sent, time.Now())
				return fault{answer: answer}
			}
			err := w.pool().Remove(within(t, time.Hour), protocol.RemoveRequest{Name: "a", UID: "uid-1"})
			if !errors.Is(err, answer) && !errors.Is(err, errors.Unwrap(answer)) {
				t.Errorf("got error %v, want the server's last answer", err)
			}
			equal(t, "deletes", len(sent), refusalBudget)
			for i, at := range sent[1:] {
				equal(t, "pause", at.Sub(sent[i]), min(firstBackoff<<i, longestBackoff))
			}
			equal(t, "counts of clusters", w.counter.called("count"), refusalBudget)
			equal(t, "left", w.at("a").Name, "a")
		})
	}
	virtual(t, "of an account that has changed", func(t *testing.T) {
		w := newWorld(t, anAccount("a"))
		for n := range 2 * refusalBudget {
			w.on("delete", n+1, fault{before: func() { w.edit("a", saying("x", fmt.Sprint(n))) }})
		}
		start := time.Now()
		equal(t, "error", w.pool().Remove(within(t, time.Hour), protocol.RemoveRequest{Name: "a", UID: "uid-1"}), nil)
		equal(t, "took", time.Since(start), time.Duration(0))
	})
}
