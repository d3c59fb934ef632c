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

// What keeps a Shoot from being ready is told with Gardener's code, and with what to do about it.
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
