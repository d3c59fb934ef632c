package scenarios

import (
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/rivals"
)

// wandering is an account that goes from tenant to tenant, with two claims of one Global Account that come to it one after
// the other, each in a pipeline of its own.
type wandering struct {
	stage
	broker   *rivals.Broker
	job      *rivals.CleanupJob
	one, two configuration
}

const (
	wandererAccount = "aws-1"
	wandererTenant  = "ga-1"
)

// newWandering is a pool of one account, with claim one on it.
func newWandering(t *testing.T) wandering {
	t.Helper()
	s := newStage(t, awsAccounts(1)...)
	w := wandering{stage: s, broker: s.broker(t), job: s.cleanupJob(t), one: s.configure(t, claim("one", wandererTenant))}
	w.two = s.configure(t, claim("two", wandererTenant))
	w.one.apply(t)
	return w
}

// steps are what happens to the account.
var wanderingSteps = map[string]func(t *testing.T, w wandering){
	"broker frees": func(t *testing.T, w wandering) {
		t.Helper()
		if err := w.broker.Free(t.Context(), wandererAccount); err != nil || w.dirt(t, wandererAccount) != "true" {
			t.Fatalf("the broker could not free it: %v, dirty=%q", err, w.dirt(t, wandererAccount))
		}
	},
	"clean-up": func(t *testing.T, w wandering) {
		t.Helper()
		if err := w.job.Round(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.wantLabels(t, wandererAccount, "", "")
	},
	"broker gives it to another": func(t *testing.T, w wandering) {
		t.Helper()
		if err := brokerTakes(t.Context(), w.broker, wandererAccount); err != nil {
			t.Fatal(err)
		}
	},
	"tenant stripped by hand": func(t *testing.T, w wandering) {
		t.Helper()
		w.strip(t, wandererAccount, "tenantName")
	},
	// The claim is destroyed when its account is no longer its own: the record goes, and the labels stay.
	"destroy one": func(t *testing.T, w wandering) {
		t.Helper()
		w.wantOnlyRecordGone(t, wandererAccount, w.key("one", wandererTenant, nil), func() {
			warns(t, w.one.destroy(t), "Account was left as it is", wandererAccount)
		})
		w.one.wantState(t)
	},
	"claim two": func(t *testing.T, w wandering) {
		t.Helper()
		w.two.apply(t)
		w.wantLabels(t, wandererAccount, wandererTenant, "")
	},
}

// F31: the account of claim one goes to other tenants and comes back to claim two, and one is destroyed at any time of
// that. Its record goes each time, so it never counts again: the destroy of two marks the account.
func TestF31DestroyedClaimStaysDead(t *testing.T) {
	t.Parallel()
	for name, order := range sampled(t, map[string][]string{
		"while the account is dirty": {
			"broker frees", "destroy one", "clean-up", "claim two",
		},
		"while the account is free": {
			"broker frees", "clean-up", "destroy one", "broker gives it to another", "broker frees", "clean-up", "claim two",
		},
		"while the account is another tenant's": {
			"broker frees", "clean-up", "broker gives it to another", "destroy one", "broker frees", "clean-up", "claim two",
		},
		"while the account is another tenant's and dirty": {
			"broker frees", "clean-up", "broker gives it to another", "broker frees", "destroy one", "clean-up", "claim two",
		},
		"once the account is free again": {
			"broker frees", "clean-up", "broker gives it to another", "broker frees", "clean-up", "destroy one", "claim two",
		},
		"while the account is free and dirty": {
			"broker frees", "tenant stripped by hand", "destroy one", "clean-up", "claim two",
		},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWandering(t)
			for _, step := range order {
				wanderingSteps[step](t, w)
			}
			if got, want := w.records(t, wandererAccount), w.key("two", wandererTenant, nil); len(got) != 1 || got[0] != want {
				t.Errorf("the records are %q, want that of claim two alone, %s", got, want)
			}
			w.two.destroy(t)
			w.wantMarked(t, wandererAccount)
		})
	}
}

// F31: claim two takes the account while one, which has lost it, is still in its state. Whichever is destroyed first,
// the last one marks the account.
func TestF31LastOfTwoClaimsMarksTheAccount(t *testing.T) {
	t.Parallel()
	for name, oneFirst := range map[string]bool{"one first": true, "two first": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWandering(t)
			for _, step := range []string{
				"broker frees", "clean-up", "broker gives it to another", "broker frees", "clean-up", "claim two",
			} {
				wanderingSteps[step](t, w)
			}
			first, last := w.one, w.two
			if !oneFirst {
				first, last = w.two, w.one
			}
			first.destroy(t)
			last.destroy(t)
			w.wantMarked(t, wandererAccount)
		})
	}
}

// F31: a destroyed claim that is made again is a new claim. No warning says that an interrupted apply has left it behind.
func TestF31DestroyedClaimIsMadeAnew(t *testing.T) {
	t.Parallel()
	w := newWandering(t)
	for _, step := range []string{
		"broker frees", "clean-up", "broker gives it to another", "destroy one", "broker frees", "clean-up", "claim two",
	} {
		wanderingSteps[step](t, w)
	}
	again := w.one.apply(t)
	if strings.Contains(again.Output, "Claim existed already") {
		t.Errorf("the destroyed claim was taken up again:\n%s", again.Output)
	}
	w.two.destroy(t)
	w.wantLabels(t, wandererAccount, wandererTenant, "")
	w.one.destroy(t)
	w.wantMarked(t, wandererAccount)
}
