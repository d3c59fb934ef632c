package pool

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// What many callers of one process ask at the same time is asked once: lists, counts, the right to write.
func TestCallersShareOneAnswer(t *testing.T) {
	t.Parallel()
	failed := &account.UnreachableError{Verb: "list", Tries: 8, Err: context.DeadlineExceeded} // that of a request: no caller's time is over
	for name, test := range map[string]struct {
		fails            error
		deadline, cancel time.Duration // of the first caller; 0 = it waits
		late             time.Duration // the deadline of the second; 0 = it waits
		asked            int
		took             [3]time.Duration
		errs             [3]error
	}{
		"an answer": {asked: 1, took: [3]time.Duration{time.Minute, time.Minute, time.Minute}},
		"a failure": {fails: failed, asked: 1, took: [3]time.Duration{time.Minute, time.Minute, time.Minute}, errs: [3]error{failed, failed, failed}},
		"the one that asks is cancelled": {cancel: 10 * time.Second, asked: 2, took: [3]time.Duration{10 * time.Second, 70 * time.Second, 70 * time.Second},
			errs: [3]error{context.Canceled}},
		"the one that asks has no more time": {deadline: 10 * time.Second, asked: 2, took: [3]time.Duration{10 * time.Second, 70 * time.Second, 70 * time.Second},
			errs: [3]error{context.DeadlineExceeded}},
		"one that waits has no more time": {late: 10 * time.Second, asked: 1, took: [3]time.Duration{time.Minute, 10*time.Second + answerSlack, time.Minute},
			errs: [3]error{nil, context.DeadlineExceeded}},
	} {
		virtual(t, name, func(t *testing.T) {
			var shared sharedAnswer[int]
			asked, start := 0, time.Now()
			together(3, func(i int) error {
				time.Sleep(time.Duration(i) * time.Millisecond)
				ctx, cancel := impatient(t, [3]time.Duration{test.deadline, test.late}[i], [3]time.Duration{test.cancel}[i])
				defer cancel()
				answer, err := shared.after(ctx, 0, func(ctx context.Context) (int, error) {
					asked++
					if err := pause(ctx, time.Minute); err != nil {
						return 0, err
					}
					return 7, test.fails
				})
				equal(t, "took", time.Since(start).Round(time.Second/2), test.took[i])
				equal(t, "error", []bool{errors.Is(err, test.errs[i]), err == nil}, []bool{true, test.errs[i] == nil})
				equal(t, "answer", answer == 7, err == nil)
				return nil
			})
			equal(t, "asked", asked, test.asked)
		})
	}
}

// The claims of one run share one list, one count and one question for the right to write, also where their list takes longer than it is fresh.
func TestClaimsOfARunAskOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const n = 20
		w := newWorld(t, freeAccounts(n)...)
		w.inStep()
		p, calls := w.process()
		equal(t, "errors", together(n, func(i int) error {
			_, err := p.Claim(t.Context(), request("ga-"+string(rune('a'+i)), "first"))
			return err
		}), make([]error, n))
		equal(t, "asked, counts", []int32{calls.asks.Load(), calls.counts.Load()}, []int32{1, 1})
	})
}
