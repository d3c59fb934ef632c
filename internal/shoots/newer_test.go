package shoots_test

import (
	"errors"
	"strings"
	"testing"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/shoots"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

const newerTemplate = `
spec:
  cloudProfile: {kind: CloudProfile, name: aws}
  region: region-1
  newerPurpose: evaluation
  kubernetes: {version: 1.33.2}
  provider: {type: aws}
`

// A field that is newer than this provider is made, seen where it drifts, put right and imported where the server knows it. Where it does
// not, it is refused by its path before anything is made.
func TestNewerFields(t *testing.T) {
	t.Parallel()
	s, ctx := newStage(t), within(t)
	w := wanted(t, "blue", newerTemplate)
	w.Account = ""
	var refused *shoots.RefusedError
	_, checked := s.shoots.Check(ctx, w)
	for what, err := range map[string]error{"asked": s.shoots.Knows(ctx, "", w.Template), "checked": checked} {
		if !errors.As(err, &refused) || len(refused.Problems) != 1 ||
			refused.Problems[0].String() != "spec.newerPurpose: Gardener knows no such field (did you mean purpose?)" {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, _, err := s.shoots.Make(ctx, w); !errors.As(err, &refused) {
		t.Errorf("made: %v", err)
	}
	s.isGone(t)

	config := s.Garden().AdminConfig()
	config.Wrap(fault.NewerField("purpose", "newerPurpose"))
	newer, err := shoots.New(config, s.Name)
	if err != nil {
		t.Fatal(err)
	}
	incomplete := wanted(t, "blue", "spec: {newerPurpose: evaluation}") // Gardener refuses it, and knows its fields
	_, checked = newer.Check(ctx, w)
	if err := errors.Join(newer.Knows(ctx, "", w.Template), newer.Knows(ctx, "", incomplete.Template), checked); err != nil {
		t.Fatal(err)
	}
	made, _, err := newer.Make(ctx, w)
	if err != nil {
		t.Fatal(err)
	}
	if now := s.live(t).Spec.Purpose; now == nil || *now != gardencore.ShootPurposeEvaluation {
		t.Fatalf("the field is %v", now)
	}
	drift := func(now shoots.Shoot) []shoots.Change {
		t.Helper()
		now, err := newer.Whole(ctx, now)
		if err != nil {
			t.Fatal(err)
		}
		return w.Drift(now)
	}
	if found := drift(made); len(found) > 0 {
		t.Errorf("as it was made: %v", found)
	}
	other := s.live(t)
	changed := other.DeepCopy()
	*changed.Spec.Purpose = gardencore.ShootPurposeDevelopment
	if err := s.Garden().AdminClient().Patch(ctx, changed, client.MergeFrom(other)); err != nil {
		t.Fatal(err)
	}
	if found := drift(made); len(found) != 1 || found[0].String() != `spec.newerPurpose is "development", the template says "evaluation"` {
		t.Errorf("drift is %v", found)
	}
	now, err := newer.Get(ctx, "blue")
	if err == nil {
		_, err = newer.CheckChange(ctx, w, w, now)
	}
	if err == nil {
		now, err = newer.Change(ctx, w, w, now)
	}
	if err != nil {
		t.Fatal(err)
	}
	if found := drift(now); len(found) > 0 {
		t.Errorf("put right: %v", found)
	}
	if whole, err := newer.Whole(ctx, now); err != nil || !strings.Contains(whole.Template(), "newerPurpose: evaluation") {
		t.Errorf("imported: %s, %v", whole.Template(), err)
	}
	if _, err := s.shoots.CheckChange(ctx, w, w, now); !errors.As(err, &refused) { // behind a Gardener that does not know it
		t.Errorf("a change of it: %v", err)
	}
}

// Whole numbers come to Gardener as they were written, through each kind of write, and another party's change of the last digit is drift.
func TestNumbersStayAsWritten(t *testing.T) {
	t.Parallel()
	s, ctx := newStage(t), within(t)
	const big = "9007199254740993" // 2^53 + 1
	w := wanted(t, "blue", strings.Replace(template, "    type: aws\n", "    type: aws\n    infrastructureConfig: {id: "+big+"}\n", 1))
	made, _, err := s.shoots.Make(ctx, w)
	if err != nil {
		t.Fatal(err)
	}
	expect := func(what string) {
		t.Helper()
		if raw := string(s.live(t).Spec.Provider.InfrastructureConfig.Raw); raw != `{"id":`+big+`}` {
			t.Errorf("%s: %s", what, raw)
		}
	}
	expect("made")
	w.Labels = map[string]string{"a": "b"}
	now, err := s.shoots.Change(ctx, w, w, made)
	if err != nil {
		t.Fatal(err)
	}
	expect("changed")
	if text := now.Template(); !strings.Contains(text, "id: "+big) {
		t.Errorf("imported as %s", text)
	}
	live := s.live(t)
	other := live.DeepCopy()
	other.Spec.Provider.InfrastructureConfig.Raw = []byte(`{"id":9007199254740992}`)
	if err := s.Garden().AdminClient().Patch(ctx, other, client.MergeFrom(live)); err != nil {
		t.Fatal(err)
	}
	if now, err = s.shoots.Get(ctx, "blue"); err != nil || len(w.Drift(now)) != 1 {
		t.Errorf("drift is %v, %v", w.Drift(now), err)
	}
}
