package connection

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/provider/settings"
)

// Only an error that says that this user is not shown what there is lets a write pass. A read without an answer is no "nothing there".
func TestMayNotSee(t *testing.T) {
	t.Parallel()
	of := func(reason kube.Reason) error { return fmt.Errorf("reading: %w", &kube.Error{Reason: reason}) }
	for name, test := range map[string]struct {
		err  error
		want bool
	}{
		"an answer":                 {nil, false},
		"no right":                  {of(kube.Forbidden), true},
		"no login, or not any more": {of(kube.Unauthorized), false},
		"a refusal":                 {of(kube.Rejected), false},
		"a gateway loses the path":  {&kube.LostPathError{Err: of(kube.NoAPI)}, false},
		"the pool, no login":        {&account.UnauthorizedError{Err: errors.New("no")}, false},
		"no such API":               {of(kube.NoAPI), true},
		"on the platform cluster":   {&api.ServerError{Err: of(kube.Forbidden)}, true},
		"no answer":                 {of(kube.Unreachable), false},
		"not sent":                  {of(kube.NotSent), false},
		"busy":                      {of(kube.Throttled), false},
		"a failure of the server":   {of(kube.Failed), false},
		"no answer from there":      {&api.ServerError{Err: of(kube.Unreachable)}, false},
		"the pool, no right":        {&account.ForbiddenError{Err: errors.New("no")}, true},
		"the pool, no account":      {&account.NotFoundError{}, true},
		"the pool, no answer":       {&account.UnreachableError{Err: errors.New("down")}, false},
		"the pool, a failure":       {&account.FailedError{Verb: "list", Err: errors.New("down")}, false},
		"no Garden":                 {&kube.NotConfiguredError{}, true},
		"settings of later":         {&settings.UnknownError{Attributes: []string{"kubernetes"}}, true},
		"no time":                   {context.DeadlineExceeded, false},
		"an interruption":           {context.Canceled, false},
	} {
		if got := MayNotSee(test.err); got != test.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
