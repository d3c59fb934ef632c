package api

import (
	mathrand "math/rand/v2"

	"context"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
)

// decisionPause is the longest pause between two attempts at one write.
const decisionPause = 200 * time.Millisecond

// Pause waits for a random while before what was judged is read again; false = the context has ended.
func Pause(ctx context.Context) bool {
	longest := decisionPause
	if ctx.Value(steadyKey{}) != nil {
		longest = 1
	}
	return kube.Sleep(ctx, time.Duration(mathrand.Int64N(int64(longest))))
}

type steadyKey struct{}

// Steady is a context whose pauses take no time, for the explorer: its schedules leave nothing to chance.
func Steady(ctx context.Context) context.Context { return context.WithValue(ctx, steadyKey{}, true) }
