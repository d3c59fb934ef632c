package pool

import (
	"context"
	"errors"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// Who may not write accounts learns it before anything is decided, let alone written.

// first writes of a process, each of which asks.
func firstWrites() map[string]func(ctx context.Context, w *world, p *Pool) error {
	return map[string]func(ctx context.Context, w *world, p *Pool) error{
		"a claim": func(ctx context.Context, _ *world, p *Pool) error {
			_, err := p.Claim(ctx, request("ga-2", "first"))
			return err
		},
		"a fence": func(ctx context.Context, w *world, p *Pool) error {
			_, err := p.Release(ctx, w.releaseOf("ga-1", "first", "a", account.MarkDirty))
			return err
		},
	}
}

func worldToAskIn(t *testing.T) *world {
	t.Helper()
	return newWorld(t, anAccount("a", heldBy("ga-1"), bearing("ga-1", "first")), anAccount("b"), anAccount("c"), anAccount("s", shared))
}

func TestCallsThatDoNotAsk(t *testing.T) {
	t.Parallel()
	for name, call := range map[string]func(w *world, p *Pool) error{
		"a claim on a shared account": func(_ *world, p *Pool) error {
			req := request("ga-1", "x")
			req.Target.Shared = true
			_, err := p.Claim(context.Background(), req)
			return err
		},
		"a read": func(w *world, p *Pool) error {
			_, err := p.Inspect(context.Background(), "ga-1", aws, "first", "a", w.at("a").UID)
			return err
		},
		"a preview": func(_ *world, p *Pool) error {
			_, err := p.Preview(context.Background(), aws, "ga-2")
			return err
		},
		"a release of what is another's": func(w *world, p *Pool) error {
			_, err := w.release(p, "ga-7", "first", "a", account.MarkDirty)
			return err
		},
	} {
		parallel(t, name, func(t *testing.T) {
			w := worldToAskIn(t)
			w.on("allowed", 1, fault{answer: &account.ForbiddenError{Verb: "patch", Err: errCut}})
			equal(t, "error", call(w, w.pool()), nil)
			equal(t, "asked", w.called("allowed"), 0)
			w.wantWrites(t)
		})
	}
}

// A no is not remembered: rights are given while people wait. A yes is, for the whole run of one process.
func TestMissingRightToWriteIsReportedBefore(t *testing.T) {
	t.Parallel()
	for name, write := range firstWrites() {
		for what, refusal := range map[string]error{
			"forbidden":   &account.ForbiddenError{Verb: "patch", Resource: "credentialsbindings", Namespace: namespace, Err: errors.New("no")},
			"unreachable": &account.UnreachableError{Verb: "create", Tries: 8, Err: errCut},
		} {
			parallel(t, name+", "+what, func(t *testing.T) {
				w := worldToAskIn(t)
				for _, n := range []int{1, 2, 4} {
					w.on("allowed", n, fault{answer: refusal})
				}
				p := w.pool()
				for range 2 {
					equal(t, "refused", errors.Is(write(t.Context(), w, p), refusal), true)
				}
				equal(t, "asked and sent", []int{w.called("allowed"), w.called("write")}, []int{2, 0})
				equal(t, "error once it is allowed", write(t.Context(), w, p), nil)
				w.claim(t, p, request("ga-3", "first"))
				equal(t, "asked", w.called("allowed"), 3)
				_, err := w.pool().Claim(t.Context(), request("ga-4", "first")) // another process asks for itself
				equal(t, "refused", errors.Is(err, refusal), true)
			})
		}
	}
}
