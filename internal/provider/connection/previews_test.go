package connection

import (
	"context"
	"errors"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/provider/settings"
	"github.com/hap-project/terraform-provider-hap/internal/shoots"
)

// A read that fails stops the later reads of its kind alone. A refusal is an answer, and settings that are not known yet say nothing of
// the server: neither stops anything.
func TestPreview_latches(t *testing.T) {
	t.Parallel()
	down := errors.New("down")
	for name, test := range map[string]struct {
		first      error
		taken      bool // the second read is made
		unanswered bool // the first one was no answer, and that is to be reported
	}{
		"an answer":                {nil, true, false},
		"a failure":                {down, false, true},
		"no time":                  {context.DeadlineExceeded, false, true},
		"an interruption":          {context.Canceled, false, false},
		"a refusal":                {&shoots.RefusedError{}, true, false},
		"a template that is wrong": {&shoots.TemplateError{}, true, false},
		"another landscape":        {&settings.ChangedError{}, true, false},
		"settings of later":        {&settings.UnknownError{Attributes: []string{"multi_account"}}, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var p Previews
			taken := func(of Asked) (yes bool) {
				_ = p.Try(t.Context(), of, func(context.Context) error { yes = true; return nil })
				return yes
			}
			if err := p.Try(t.Context(), AskedPool, func(context.Context) error { return test.first }); Unlooked(err) != test.unanswered {
				t.Errorf("%v: without an answer is %t, want %t", err, !test.unanswered, test.unanswered)
			}
			if taken(AskedPool) != test.taken {
				t.Errorf("the second read of the pool: want %t", test.taken)
			}
			if !taken(AskedGardener) {
				t.Error("Gardener is not asked")
			}
		})
	}
}
