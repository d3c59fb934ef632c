package local

import (
	"context"
	"errors"
	"testing"
	"time"
)

// Poll returns at once what trying again cannot cure, and after the deadline the last thing that was missing.
func TestPoll(t *testing.T) {
	t.Parallel()
	missing, fatal := errors.New("missing"), errors.New("fatal")
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for name, test := range map[string]struct {
		ctx       context.Context
		condition func(ctx context.Context, look int) error
		want      []error // none = it is in time, however slow the machine is
	}{
		"at the third call":    {t.Context(), func(_ context.Context, look int) error { return []error{missing, missing, nil}[look] }, nil},
		"what cannot be cured": {t.Context(), func(context.Context, int) error { return StopPolling(fatal) }, []error{fatal}},
		"never":                {t.Context(), func(context.Context, int) error { return missing }, []error{missing, context.DeadlineExceeded}},
		"a call beyond the end": {
			t.Context(), func(ctx context.Context, look int) error { return waitFor(ctx, look, missing) },
			[]error{missing, context.DeadlineExceeded},
		},
		"in a time that was over": {over, func(context.Context, int) error { return missing }, []error{context.Canceled}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			looks, limit := -1, 200*time.Millisecond
			if test.want == nil {
				limit = time.Minute
			}
			err := Poll(test.ctx, limit, func(ctx context.Context) error {
				looks++
				return test.condition(ctx, looks)
			})
			if (err == nil) != (test.want == nil) {
				t.Errorf("got %v", err)
			}
			for _, want := range test.want {
				if !errors.Is(err, want) {
					t.Errorf("%v is not %v", err, want)
				}
			}
		})
	}
}

// waitFor is a condition whose second call ends with its time.
func waitFor(ctx context.Context, look int, first error) error {
	if look == 0 {
		return first
	}
	<-ctx.Done()
	return ctx.Err()
}
