package scenarios

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
)

// F33: an internal account in the hands of a Global Account, where the broker has given it away, or where it has become
// internal since. Our claim uses it and says so; its destroy, whatever it asks for, takes the claim's record along and
// leaves the labels alone.
func TestF33InternalAccountIsNeverMarkedOrFreed(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"mark_dirty", "return_to_pool", "keep"} {
		for name, reach := range map[string]func(t *testing.T, s stage, c configuration){
			"given by the broker": func(t *testing.T, s stage, c configuration) {
				t.Helper()
				s.label(t, "aws-1", "internal", "true")
				if account, err := s.broker(t).Claim(t.Context(), "ga-1", "aws"); err != nil || account != "aws-1" {
					t.Fatalf("the broker has given %q: %v", account, err)
				}
				output := c.apply(t).Output
				wantWarning(t, output, "aws-1", "internal")
				promisesNoRelease(t, output)
			},
			"internal since": func(t *testing.T, s stage, c configuration) {
				t.Helper()
				c.apply(t)
				s.label(t, "aws-1", "internal", "true")
			},
		} {
			t.Run(mode+" "+name, func(t *testing.T) {
				t.Parallel()
				s := newStage(t, awsAccounts(1)...)
				c := s.configure(t)
				c.write(t, `clean_up_types = ["gcp"]`, claim("blue", "ga-1", fmt.Sprintf("on_destroy = %q", mode))) // aws is never wiped
				reach(t, s, c)
				if got := c.account(t, "blue"); got != "aws-1" {
					t.Fatalf("the claim is on %q", got)
				}
				promisesNoRelease(t, c.succeeds(t, planning...).Output)
				s.wantOnlyRecordGone(t, "aws-1", s.key("blue", "ga-1", nil), func() { promisesNoRelease(t, c.destroy(t).Output) })
				s.wantLabels(t, "aws-1", "ga-1", "")
				c.wantState(t)
			})
		}
	}
}

// promisesNoRelease finds the warnings of what a destroy would do to an account that it may mark or free.
func promisesNoRelease(t *testing.T, output string) {
	t.Helper()
	for _, untrue := range []string{"Account cannot be returned to the pool", "Account would stay dirty"} {
		if strings.Contains(output, untrue) {
			t.Errorf("it says %q:\n%s", untrue, output)
		}
	}
}

// F33: an internal account that no tenant holds is not claimed, though the broker would take it.
func TestF33FreeInternalAccountIsNotClaimed(t *testing.T) {
	t.Parallel()
	s := newStage(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Internal: true})
	before := s.versions(t)
	c := s.configure(t, claim("blue", "ga-1"))
	c.fails(t, applying, "No free account", "internal 1", "Nothing was claimed.")
	s.unwritten(t, before)
}
