package kube_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
)

// A write that goes by what was just read is not sent again when that is old, and says so. With the deadline of a write the last one is
// decided within less than a minute.
func TestWrite_judged(t *testing.T) {
	t.Parallel()
	webhook := func(int) error {
		return apierrors.NewInternalError(errors.New(`failed calling webhook "w": connection refused`))
	}
	for name, test := range map[string]struct {
		judged bool
		answer func(try int) error
		reason kube.Reason
		old    bool
		most   time.Duration // from the first try to the last one
	}{
		"not judged, a webhook is down": {false, webhook, kube.WebhookDown, false, time.Hour},
		"a webhook is down":             {true, webhook, kube.WebhookDown, true, 8 * time.Second},
		"another error each time": {true, func(try int) error { return apierrors.NewInternalError(fmt.Errorf("error %d", try)) },
			kube.Failed, true, 8 * time.Second},
		"the same error twice": {true, func(int) error { return apierrors.NewInternalError(errors.New("an error")) },
			kube.Failed, false, 8 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx := t.Context()
				if test.judged {
					ctx = kube.Judged(ctx)
				}
				begun, last, tries := time.Now(), time.Time{}, 0
				err := kube.Write(ctx, kube.Call{Verb: "create", Resource: "shoots"}, func(context.Context) error {
					last = time.Now()
					time.Sleep(time.Second)
					tries++
					return test.answer(tries)
				})
				failed, ok := errors.AsType[*kube.Error](err)
				if !ok || failed.Reason != test.reason || failed.Old != test.old || kube.TurnedAway(err) != test.old {
					t.Errorf("%#v", err)
				}
				if took := last.Sub(begun); took >= test.most || tries < 2 {
					t.Errorf("the last of %d tries began after %s", tries, took)
				}
			})
		})
	}
}
