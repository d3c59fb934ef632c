package shoots

import (
	"slices"
	"strings"
	"testing"
	"time"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// up is a Shoot that is ready.
func up() *gardencore.Shoot {
	return &gardencore.Shoot{
		ObjectMeta: metav1.ObjectMeta{Name: "x", Generation: 3},
		Status: gardencore.ShootStatus{
			ObservedGeneration: 3,
			LastOperation: &gardencore.LastOperation{Type: gardencore.LastOperationTypeReconcile, State: gardencore.LastOperationStateSucceeded,
				Progress: 100, Description: "Shoot cluster has been successfully reconciled."},
			Conditions: []gardencore.Condition{{Type: "APIServerAvailable", Status: gardencore.ConditionTrue}},
		},
	}
}

// A Shoot is ready when Gardener has done all of this generation, and every condition holds: not before.
func TestStatusOf_ready(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(*gardencore.Shoot)
		ready  bool
		says   string
	}{
		"up":        {func(*gardencore.Shoot) {}, true, "Reconcile 100 %: Shoot cluster has been successfully reconciled."},
		"not begun": {func(s *gardencore.Shoot) { s.Status = gardencore.ShootStatus{} }, false, "Gardener has not begun"},
		"at work": {func(s *gardencore.Shoot) {
			s.Status.LastOperation.State, s.Status.LastOperation.Progress = "Processing", 40
		}, false, "Reconcile 40 %: Shoot cluster has been successfully reconciled."},
		"an older spec":      {func(s *gardencore.Shoot) { s.Generation = 4 }, false, "Reconcile 100 %"},
		"a condition":        {func(s *gardencore.Shoot) { s.Status.Conditions[0].Status = "Progressing" }, false, "(APIServerAvailable is Progressing)"},
		"nothing is watched": {func(s *gardencore.Shoot) { s.Status.Conditions = nil }, false, "Reconcile 100 %"},
		"it sleeps":          {func(s *gardencore.Shoot) { s.Status.Conditions, s.Status.IsHibernated = nil, true }, true, "Reconcile 100 %"},
		"on its way out":     {func(s *gardencore.Shoot) { s.DeletionTimestamp = &metav1.Time{Time: time.Now()} }, false, "Reconcile 100 %"},
		"deleted":            {func(s *gardencore.Shoot) { s.Status.LastOperation.Type = gardencore.LastOperationTypeDelete }, false, "Delete 100 %"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			shoot := up()
			test.change(shoot)
			s := StatusOf(shoot)
			if s.Ready != test.ready || !strings.Contains(s.String(), test.says) {
				t.Errorf("ready %v, %q", s.Ready, s)
			}
		})
	}
}

// Gardener reconciles a Shoot once a day, and all conditions hold meanwhile. A Shoot that is made, or broken, is not tended.
func TestStatusOf_tended(t *testing.T) {
	t.Parallel()
	atWork := func(changes ...func(*gardencore.Shoot)) *gardencore.Shoot {
		shoot := up()
		shoot.Status.LastOperation.State = gardencore.LastOperationStateProcessing
		for _, change := range changes {
			change(shoot)
		}
		return shoot
	}
	for name, test := range map[string]struct {
		shoot  *gardencore.Shoot
		tended bool
	}{
		"at work":         {atWork(), true},
		"about to be":     {atWork(func(s *gardencore.Shoot) { s.Status.LastOperation.State = gardencore.LastOperationStatePending }), true},
		"done":            {up(), false},
		"being made":      {atWork(func(s *gardencore.Shoot) { s.Status.LastOperation.Type = gardencore.LastOperationTypeCreate }), false},
		"a condition":     {atWork(func(s *gardencore.Shoot) { s.Status.Conditions[0].Status = gardencore.ConditionFalse }), false},
		"after an error":  {atWork(func(s *gardencore.Shoot) { s.Status.LastErrors = []gardencore.LastError{{Description: "no"}} }), false},
		"an older spec":   {atWork(func(s *gardencore.Shoot) { s.Generation = 4 }), false},
		"an error itself": {atWork(func(s *gardencore.Shoot) { s.Status.LastOperation.State = gardencore.LastOperationStateError }), false},
	} {
		if s := StatusOf(test.shoot); s.Tended != test.tended || s.Tended && s.Ready {
			t.Errorf("%s: tended %t, ready %t", name, s.Tended, s.Ready)
		}
	}
}

// What keeps a Shoot from being ready is reported with Gardener's code, and with what to do about it.
func TestStatus_troubles(t *testing.T) {
	t.Parallel()
	shoot := up()
	shoot.Status.LastErrors = []gardencore.LastError{
		{Description: "no more machines", Codes: []gardencore.ErrorCode{gardencore.ErrorInfraQuotaExceeded}}, {Description: "strange"},
	}
	shoot.Status.Conditions = append(shoot.Status.Conditions, gardencore.Condition{Type: "EveryNodeReady", Status: "False", Reason: "NodeUnhealthy", Message: "node n-1"})
	want := []string{
		"ERR_INFRA_QUOTA_EXCEEDED: no more machines. A quota of the cloud account is used up: have it raised, take less, or use another claim.",
		"strange", "EveryNodeReady is False: NodeUnhealthy node n-1",
	}
	if got := StatusOf(shoot).Troubles(); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

// A Shoot is given up where Gardener says Failed of the spec as it is. An older spec, another state, and rate limits, after which Gardener
// asks for the retry itself, are not its end.
func TestStatusOf_givenUp(t *testing.T) {
	t.Parallel()
	failed := func(codes ...gardencore.ErrorCode) *gardencore.Shoot {
		shoot := up()
		shoot.Status.LastOperation.State = gardencore.LastOperationStateFailed
		shoot.Status.LastErrors = []gardencore.LastError{{Description: "no", Codes: codes}}
		return shoot
	}
	for name, test := range map[string]struct {
		shoot   *gardencore.Shoot
		givenUp bool
	}{
		"failed":                         {failed(gardencore.ErrorInfraQuotaExceeded), true},
		"failed for no code":             {failed(), true},
		"failed at rate limits":          {failed(gardencore.ErrorInfraRateLimitsExceeded), false},
		"failed, and its spec was newer": {func() *gardencore.Shoot { s := failed(); s.Generation++; return s }(), false},
		"an error that is tried again": {func() *gardencore.Shoot {
			s := failed()
			s.Status.LastOperation.State = gardencore.LastOperationStateError
			return s
		}(), false},
		"aborted by an end of the gardenlet": {func() *gardencore.Shoot {
			s := failed()
			s.Status.LastOperation.State = gardencore.LastOperationStateAborted
			return s
		}(), false},
		"no operation yet": {&gardencore.Shoot{}, false},
		"up":               {up(), false},
	} {
		if s := StatusOf(test.shoot); s.GivenUp != test.givenUp || s.GivenUp && s.Ready {
			t.Errorf("%s: given up %v, ready %v", name, s.GivenUp, s.Ready)
		}
	}
}

// The finalizers of a Shoot that is being deleted are reported with their owners; those of one that lives are not reported.
func TestStatusOf_held(t *testing.T) {
	t.Parallel()
	shoot := up()
	shoot.Finalizers = []string{"gardener", "gardener.cloud/reference-protection", "example.com/backup"}
	if text := StatusOf(shoot).String(); strings.Contains(text, "finalizer") {
		t.Errorf("it lives: %q", text)
	}
	shoot.DeletionTimestamp = &metav1.Time{Time: time.Now()}
	text := StatusOf(shoot).String()
	for _, want := range []string{"gardener (Gardener's", "gardener.cloud/reference-protection (Gardener's", "example.com/backup (its owner is not known"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q says nothing of %q", text, want)
		}
	}
}
