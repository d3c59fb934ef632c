package pool

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// A look that gets no answer does not end the wait for the end of an account; one that is refused does. The time is over: the error names the last look.
func TestRemoveWaitsOutlastsAnOutage(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		answer error
		least  time.Duration
		text   string // of the error; empty = there is none
	}{
		"for a while":       {unreachableFor("get"), 20 * time.Minute, ""},
		"not let in":        {&UnauthorizedError{Verb: "get", Err: errCut}, 10 * time.Minute, "the credentials were not accepted (get ): connection cut"},
		"to the end":        {unreachableFor("get"), 14 * time.Minute, "the last look failed: no answer to get things after 8 tries: connection cut"},
		"and is still kept": {unreachableFor("get"), 39 * time.Minute, "was not gone in time: context deadline exceeded"},
	} {
		virtual(t, name, func(t *testing.T) {
			w := newWorld(t, account("a"))
			w.kept = map[string]bool{"a": true}
			w.between(10*time.Minute, 20*time.Minute, fault{answer: test.answer}, "get")
			limit := map[bool]time.Duration{true: 15 * time.Minute, false: 40 * time.Minute}[name == "to the end"]
			if name == "for a while" {
				time.AfterFunc(15*time.Minute, func() { w.remove("a") })
			}
			start := time.Now()
			err := w.pool().Remove(within(t, limit), RemoveRequest{Name: "a", UID: "uid-1"})
			if took := time.Since(start); took < test.least || took > test.least+time.Minute {
				t.Errorf("took %s", took)
			}
			if (err == nil) != (test.text == "") || err != nil && !strings.HasSuffix(err.Error(), test.text) {
				t.Errorf("got error %v, want %q", err, test.text)
			}
		})
	}
}

// A delete that is refused although the account is as it was judged is sent again after a pause, ever less often, as a write is.
func TestDeleteThatIsRefused(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]error{
		"in conflict": &ConflictError{Account: "a", Err: errCut},
		"turned away": &BusyError{Account: "a", Err: errTooMany},
	} {
		virtual(t, name, func(t *testing.T) {
			w := newWorld(t, account("a"))
			var sent []time.Time
			w.storm = func(call string) fault {
				if call != "delete" {
					return fault{}
				}
				sent = append(sent, time.Now())
				return fault{answer: answer}
			}
			err := w.pool().Remove(within(t, time.Hour), RemoveRequest{Name: "a", UID: "uid-1"})
			if !errors.Is(err, answer) && !errors.Is(err, errors.Unwrap(answer)) {
				t.Errorf("got error %v, want the server's last answer", err)
			}
			equal(t, "deletes", len(sent), refusalBudget)
			for i, at := range sent[1:] {
				equal(t, "pause", at.Sub(sent[i]), min(firstBackoff<<i, longestBackoff))
			}
			equal(t, "looks for clusters", w.counter.called("users"), refusalBudget)
			equal(t, "left", w.at("a").Name, "a")
		})
	}
	virtual(t, "of an account that has changed", func(t *testing.T) {
		w := newWorld(t, account("a"))
		for n := range 2 * refusalBudget {
			w.on("delete", n+1, fault{before: func() { w.edit("a", saying("x", fmt.Sprint(n))) }})
		}
		start := time.Now()
		equal(t, "error", w.pool().Remove(within(t, time.Hour), RemoveRequest{Name: "a", UID: "uid-1"}), nil)
		equal(t, "took", time.Since(start), time.Duration(0))
	})
}
