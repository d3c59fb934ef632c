package shoots_test

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"

	"github.com/hap-project/terraform-provider-hap/internal/shoots"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/gardenlet"
)

// trouble is what Gardener meets with each Shoot; empty = nothing.
type trouble struct {
	code atomic.Pointer[gardencore.ErrorCode]
}

func (m *trouble) set(code gardencore.ErrorCode) { m.code.Store(&code) }

func (m *trouble) mend() { m.code.Store(nil) }

func (m *trouble) course(*gardencore.Shoot) gardenlet.Course {
	code := m.code.Load()
	if code == nil {
		return gardenlet.Course{Steps: 2}
	}
	return gardenlet.Course{Steps: 2, Mended: func() bool { return m.code.Load() == nil }, Fails: []gardencore.LastError{{
		Description: "it cannot be done", Codes: []gardencore.ErrorCode{*code},
	}}}
}

func newTroubledStage(t *testing.T, code gardencore.ErrorCode) (stage, *trouble) {
	t.Helper()
	m := &trouble{}
	m.set(code)
	return newStageOn(t, m.course), m
}

func silent(shoots.Status) {}

// A wait ends at once where Gardener gives up, and a retry has it go on: the next wait does not take the failure of before for an answer.
// A Shoot that is not given up gets no annotation.
func TestGivenUpAndRetried(t *testing.T) {
	t.Parallel()
	s, m := newTroubledStage(t, gardencore.ErrorInfraUnauthorized)
	ctx := within(t)
	begun := time.Now()
	made, _, err := s.shoots.Make(ctx, wanted(t, "blue", template))
	if err != nil {
		t.Fatal(err)
	}
	last, err := s.shoots.AwaitReady(ctx, made, silent)
	failed, ok := errors.AsType[*shoots.GivenUpError](err)
	if !ok || failed.Deleting || !last.Status.GivenUp || time.Since(begun) > 2*time.Minute {
		t.Fatalf("after %s: %v", time.Since(begun), err)
	}

	again, asked, err := s.shoots.Retry(ctx, last) // nothing is mended: Gardener tries once more, and fails again
	if err != nil || !asked || again.Status.GivenUp {
		t.Fatalf("asked %v, given up %v: %v", asked, again.Status.GivenUp, err)
	}
	if live := s.live(t); live.Generation < 2 || live.Annotations["gardener.cloud/operation"] != "" {
		t.Errorf("generation %d, annotations %v", live.Generation, live.Annotations)
	}
	if last, err = s.shoots.AwaitReady(ctx, again, silent); !errors.As(err, &failed) {
		t.Fatal(err)
	}

	m.mend()
	if again, _, err = s.shoots.Retry(ctx, last); err != nil {
		t.Fatal(err)
	}
	ready, err := s.shoots.AwaitReady(ctx, again, silent)
	if err != nil {
		t.Fatal(err)
	}
	before := s.live(t).ResourceVersion
	if _, asked, err = s.shoots.Retry(ctx, ready); asked || err != nil || s.live(t).ResourceVersion != before {
		t.Errorf("a Shoot that is ready was asked for: %v, %v", asked, err)
	}
}

// A retry whose answer is lost is not asked for twice, and one that was judged by an older state is judged anew.
func TestRetryMeetsFaults(t *testing.T) {
	t.Parallel()
	s, m := newTroubledStage(t, gardencore.ErrorConfigurationProblem)
	ctx := within(t)
	config := s.ServiceAccount(t, "hap", testbed.RoleExample(t, "role-clusters.yaml")).Config()
	proxy := fault.NewProxy(t, s.Garden(), fault.ProxyOptions{})
	proxy.Through(config)
	behind, err := shoots.New(config, s.Name)
	if err != nil {
		t.Fatal(err)
	}
	made, _, err := s.shoots.Make(ctx, wanted(t, "blue", template))
	if err != nil {
		t.Fatal(err)
	}
	last, err := s.shoots.AwaitReady(ctx, made, silent)
	if !errors.As(err, new(*shoots.GivenUpError)) {
		t.Fatal(err)
	}
	s.edit(t, func(shoot *gardencore.Shoot) { shoot.Labels["theirs"] = "stays" })
	m.mend()
	generation := s.live(t).Generation
	proxy.Spoil(fault.Rule{Verb: "patch", Resource: "shoots", Nth: 2, Fault: fault.CutAfter()})
	again, asked, err := behind.Retry(ctx, last) // the first is a conflict
	if live := s.live(t); err != nil || !asked || live.Generation != generation+1 || live.Labels["theirs"] != "stays" {
		t.Errorf("asked %v, generation %d, was %d: %v", asked, live.Generation, generation, err)
	}
	if n := proxy.Count("patch", "shoots"); n != 2 {
		t.Errorf("%d patches", n)
	}
	if _, err := behind.AwaitReady(ctx, again, silent); err != nil {
		t.Error(err)
	}
}

// What another party has asked Gardener for is not overwritten: the error names it.
func TestRetryLeavesAnotherOperation(t *testing.T) {
	t.Parallel()
	s, _ := newTroubledStage(t, gardencore.ErrorInfraDependencies)
	ctx := within(t)
	made, _, err := s.shoots.Make(ctx, wanted(t, "blue", template))
	if err == nil {
		_, err = s.shoots.AwaitReady(ctx, made, silent)
	}
	if !errors.As(err, new(*shoots.GivenUpError)) {
		t.Fatal(err)
	}
	s.edit(t, func(shoot *gardencore.Shoot) { shoot.Annotations["gardener.cloud/operation"] = "rotate-ssh-keypair" })
	now, err := s.shoots.Get(ctx, "blue")
	if err != nil {
		t.Fatal(err)
	}
	_, asked, err := s.shoots.Retry(ctx, now)
	failed, ok := errors.AsType[*shoots.GivenUpError](err)
	if !ok || asked || failed.Pending != "rotate-ssh-keypair" || !strings.Contains(err.Error(), "rotate-ssh-keypair of another party") {
		t.Errorf("asked %v: %v", asked, err)
	}
	if got := s.live(t).Annotations["gardener.cloud/operation"]; got != "rotate-ssh-keypair" {
		t.Errorf("the annotation is %q", got)
	}
}

// A deletion that Gardener gives up ends at once and names the finalizer; the next one has it go on. At rate limits Gardener itself does,
// and the wait goes on.
func TestDeletionGivenUp(t *testing.T) {
	t.Parallel()
	m := &trouble{}
	s, ctx := newStageOn(t, m.course), within(t)
	made, _, err := s.shoots.Make(ctx, wanted(t, "blue", template))
	if err == nil {
		_, err = s.shoots.AwaitReady(ctx, made, silent)
	}
	if err != nil {
		t.Fatal(err)
	}
	m.set(gardencore.ErrorInfraDependencies)
	err = s.shoots.Remove(ctx, "blue", made.UID, always, silent)
	failed, ok := errors.AsType[*shoots.GivenUpError](err)
	if !ok || !failed.Deleting || !strings.Contains(err.Error(), "held by the finalizer gardener (") {
		t.Fatalf("given up: %v", err)
	}
	m.set(gardencore.ErrorInfraRateLimitsExceeded)
	limited := false
	err = s.shoots.Remove(ctx, "blue", made.UID, always, func(now shoots.Status) {
		if len(now.Failures) > 0 && now.Failures[0].Codes[0] == string(gardencore.ErrorInfraRateLimitsExceeded) {
			limited = true
			m.mend()
		}
	})
	if err != nil || !limited {
		t.Fatalf("limited %v: %v, gardenlet: %v", limited, err, s.gardenlet.Err())
	}
	s.isGone(t)
}
