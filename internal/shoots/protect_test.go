package shoots_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/shoots"
)

// The protection of a Shoot is written with it and changes by itself: Gardener has nothing to do for it, a change of the template keeps it, and
// an import does not take it into the template. A protected Shoot is not deleted, and its deletion not confirmed.
func TestShoot_protection(t *testing.T) {
	t.Parallel()
	s, ctx := newStage(t), within(t)
	w := wanted(t, "blue", template)
	w.Protected = true
	now, _, err := s.shoots.Make(ctx, w)
	if err != nil || !now.Protected {
		t.Fatalf("%+v, %v", now, err)
	}
	protect := func(on bool) {
		t.Helper()
		before := s.live(t)
		if now, err = s.shoots.Protect(ctx, now, on); err != nil || now.Protected != on {
			t.Fatalf("protected: %t, want %t: %v", now.Protected, on, err)
		}
		if after := s.live(t); after.Generation != before.Generation || after.Labels["stage"] != "dev" || len(after.Annotations) == 0 {
			t.Errorf("generation %d, was %d; labels %v", after.Generation, before.Generation, after.Labels)
		}
	}
	change := func(purpose string) {
		t.Helper()
		next := w
		if next.Template, err = shoots.ReadTemplate(strings.Replace(template, "evaluation", purpose, 1)); err != nil {
			t.Fatal(err)
		}
		was := now.Protected
		now, err = s.shoots.Change(ctx, next, w, now)
		if err != nil || now.Protected != was || string(*s.live(t).Spec.Purpose) != purpose {
			t.Fatalf("after a change it is protected: %t, was %t: %v", now.Protected, was, err)
		}
		w = next
	}
	remove := func() error { return s.shoots.Remove(ctx, "blue", now.UID, always, func(shoots.Status) {}) }

	change("development")
	if err := remove(); !errors.As(err, new(*kube.ProtectedError)) {
		t.Errorf("it is protected: %v", err)
	}
	if live := s.live(t); live.DeletionTimestamp != nil || live.Annotations["confirmation.gardener.cloud/deletion"] != "" {
		t.Errorf("its deletion is confirmed, or under way: %v", live.Annotations)
	}
	if drift := w.Drift(now); len(drift) > 0 || strings.Contains(now.Template(), kube.ProtectionAnnotation) {
		t.Errorf("drift is %v, and an import has the template\n%s", drift, now.Template())
	}
	protect(false)
	change("evaluation")
	protect(true)
	change("development")
	stale := now
	protect(false)
	if again, err := s.shoots.Protect(ctx, stale, false); err != nil || again.Protected {
		t.Errorf("taken away twice: %t, %v", again.Protected, err)
	}
	if err := remove(); err != nil {
		t.Fatal(err, s.gardenlet.Err())
	}
	s.isGone(t)
	if _, err := s.shoots.Protect(ctx, stale, false); !errors.As(err, new(*shoots.GoneError)) {
		t.Errorf("one that is gone: %v", err)
	}
}
