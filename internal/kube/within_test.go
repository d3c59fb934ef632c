package kube_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
)

// A write that goes by a judgement is not sent again when the judgement is old: a webhook that is down for longer ends it.
func TestWrite_within(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		within time.Duration // 0 = the judgement does not age
		least  time.Duration
		most   time.Duration
	}{
		"it does not age": {0, 30 * time.Second, time.Hour},
		"it ages":         {8 * time.Second, 8 * time.Second, 20 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx := t.Context()
				if test.within > 0 {
					ctx = kube.Within(ctx, test.within)
				}
				begun, last := time.Now(), time.Time{}
				err := kube.Write(ctx, kube.Call{Verb: "create", Resource: "shoots"}, func(context.Context) error {
					last = time.Now()
					time.Sleep(2 * time.Second)
					return apierrors.NewInternalError(errors.New(`failed calling webhook "w": connection refused`))
				})
				failed, ok := errors.AsType[*kube.Error](err)
				if took := time.Since(begun); !ok || failed.Reason != kube.WebhookDown || took < test.least || took > test.most {
					t.Errorf("after %s: %v", took, err)
				}
				if test.within > 0 && last.Sub(begun) > test.within+10*time.Second {
					t.Errorf("the last try begins after %s", last.Sub(begun))
				}
			})
		})
	}
}
