package family

import (
	"context"
	"errors"
	"net"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
)

// Each creation that the server turns away for a while is judged anew before it is sent again; a refusal by the judgement ends it, and so
// does any other answer of the server.
func TestMakeJudged(t *testing.T) {
	t.Parallel()
	down, denied, taken := &kube.Error{Reason: kube.WebhookDown, Old: true}, &kube.Error{Reason: kube.Denied}, errors.New("taken")
	cut := &kube.Error{Reason: kube.NotSent} // all tries are used up
	for name, test := range map[string]struct {
		judged, made []error // the answers, in their order
		want         error
		judges       int
		sends        int
	}{
		"at once":                   {[]error{nil}, []error{nil}, nil, 1, 1},
		"refused before":            {[]error{taken}, nil, taken, 1, 0},
		"denied":                    {[]error{nil}, []error{denied}, denied, 1, 1},
		"down for a while":          {[]error{nil, nil}, []error{down, nil}, nil, 2, 2},
		"taken while it is down":    {[]error{nil, taken}, []error{down}, taken, 2, 1},
		"down for ever":             {[]error{nil, nil, nil, nil}, []error{down, down, down, down}, down, judgements, judgements},
		"not sent, and then denied": {[]error{nil, nil}, []error{&kube.Error{Reason: kube.NotSent, Old: true}, denied}, denied, 2, 2},
		"not sent, and that lasts":  {[]error{nil}, []error{cut}, cut, 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			judges, sends := 0, 0
			err := MakeJudged(t.Context(), func(context.Context) error {
				judges++
				return test.judged[judges-1]
			}, func(context.Context) error {
				sends++
				return test.made[sends-1]
			})
			if !errors.Is(err, test.want) || (err == nil) != (test.want == nil) || judges != test.judges || sends != test.sends {
				t.Errorf("%v after %d judgements and %d requests", err, judges, sends)
			}
		})
	}
}

// What is sent goes by the judgement before it: after a while it is judged anew, and not sent again.
func TestMakeJudged_ages(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var judged time.Time
		judges, sends := 0, 0
		err := MakeJudged(t.Context(), func(context.Context) error {
			judges, judged = judges+1, time.Now()
			return nil
		}, func(ctx context.Context) error {
			return kube.Write(ctx, kube.Call{Verb: "create", Resource: "shoots"}, func(context.Context) error {
				sends++
				if age := time.Since(judged); age >= 8*time.Second {
					t.Errorf("it is sent %s after its judgement", age)
				}
				time.Sleep(time.Second)
				return &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
			})
		})
		if !kube.TurnedAway(err) || judges != judgements || sends <= judgements {
			t.Errorf("%v after %d judgements and %d requests", err, judges, sends)
		}
	})
}
