package api

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func clusterWith(phase, shoot string, endpoints []Endpoint, conditions ...metav1.Condition) *Cluster {
	c := &Cluster{Status: ClusterStatus{Status: Status{Phase: phase, Conditions: conditions}, Endpoints: endpoints}}
	c.Namespace, c.Name = "team", "one"
	c.Status.ProviderStatus = json.RawMessage(shoot)
	return c
}

// A Cluster of Gardener is ready once its Shoot has shown a condition and an address: its cluster provider says so before. What another
// provider says counts as it is.
func TestIsReady(t *testing.T) {
	t.Parallel()
	const shoot = `{"shoot": {"metadata": {"namespace": "garden-x", "name": "s-one"}}}`
	own := metav1.Condition{Type: "ShootManagement", Status: metav1.ConditionTrue}
	ofShoot := metav1.Condition{Type: "Gardener_APIServerAvailable", Status: metav1.ConditionTrue}
	addresses := []Endpoint{{Name: "external", URL: "https://api"}}
	for name, test := range map[string]struct {
		c    *Cluster
		want bool
	}{
		"another provider":                {clusterWith(Ready, "", nil), true},
		"another provider's own status":   {clusterWith(Ready, `{"kind": "cluster"}`, nil), true},
		"another phase":                   {clusterWith("Progressing", "", addresses), false},
		"a Shoot that was just made":      {clusterWith(Ready, shoot, nil, own), false},
		"a Shoot with conditions alone":   {clusterWith(Ready, shoot, nil, own, ofShoot), false},
		"a Shoot with an address alone":   {clusterWith(Ready, shoot, addresses, own), false},
		"a Shoot with both":               {clusterWith(Ready, shoot, addresses, own, ofShoot), true},
		"a Shoot with both, not ready":    {clusterWith("Progressing", shoot, addresses, own, ofShoot), false},
		"a Shoot of a status without one": {clusterWith(Ready, `{"shoot": {}}`, nil), true},
	} {
		if got := IsReady(test.c); got != test.want {
			t.Errorf("%s: %t", name, got)
		}
	}
	if shoot, ok := ShootOf(clusterWith(Ready, shoot, nil)); !ok || shoot != (Ref{"garden-x", "s-one"}) {
		t.Errorf("the Shoot is %v, %t", shoot, ok)
	}
}

// A refusal of Gardener ends a wait at once; one that is older than the wait ends it a while later, unless it goes.
func TestRefusedWait(t *testing.T) {
	t.Parallel()
	refusedAt := func(since time.Time, message string) *Cluster {
		return clusterWith("Progressing", "", nil, metav1.Condition{
			Type: "ShootManagement", Status: metav1.ConditionFalse, Message: message, LastTransitionTime: metav1.NewTime(since),
		})
	}
	const huge = `Shoot "s" is invalid: spec.machine.type: Unsupported value: "huge"`
	synctest.Test(t, func(t *testing.T) {
		begin := func() (*refusedWait, context.Context) {
			ctx, end := context.WithCancelCause(t.Context())
			t.Cleanup(func() { end(nil) })
			return &refusedWait{begun: time.Now(), end: end}, ctx
		}
		w, _ := begin()
		if err := w.judge(refusedAt(time.Now().Add(time.Minute), huge)); !errors.As(err, new(*ShootRefusedError)) {
			t.Errorf("a new refusal: %v", err)
		}
		if err := w.judge(refusedAt(time.Now().Add(time.Minute), "quota exceeded")); err != nil {
			t.Errorf("what may heal: %v", err)
		}
		mended, _ := begin()
		mended.begun = mended.begun.Add(time.Minute) // a change comes at once after the refusal
		recent := refusedAt(mended.begun.Add(-time.Second/2), huge)
		recent.CreationTimestamp = metav1.NewTime(time.Now())
		if err := mended.judge(recent); err != nil {
			t.Errorf("a refusal that the wait finds on a Cluster of before: %v", err)
		}
		mended.stop()
		late, _ := begin()
		made := clusterWith("", "", nil)
		made.CreationTimestamp = metav1.NewTime(time.Now())
		if err := errors.Join(late.judge(made), late.judge(refusedAt(time.Now(), huge))); !errors.As(err, new(*ShootRefusedError)) {
			t.Errorf("a refusal of a Cluster that was just made: %v", err)
		}
		old := refusedAt(time.Now().Add(-time.Hour), huge)
		stays, ctx := begin()
		if err := stays.judge(old); err != nil {
			t.Errorf("an old refusal: %v", err)
		}
		time.Sleep(refusalTime - time.Second)
		if err := stays.judge(old); err != nil || ctx.Err() != nil {
			t.Errorf("an old refusal before its time: %v, %v", err, ctx.Err())
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if ctx.Err() == nil || stays.over() == nil {
			t.Errorf("an old refusal that stays: %v, %v", ctx.Err(), stays.over())
		}
		goes, ctx := begin()
		if err := errors.Join(goes.judge(old), goes.judge(clusterWith("Progressing", "", nil))); err != nil {
			t.Error(err)
		}
		time.Sleep(2 * refusalTime)
		synctest.Wait()
		if ctx.Err() != nil || goes.over() != nil {
			t.Errorf("an old refusal that goes: %v, %v", ctx.Err(), goes.over())
		}
		changes, _ := begin()
		if err := errors.Join(changes.judge(old), changes.judge(refusedAt(time.Now().Add(-time.Hour), huge+" again"))); err == nil {
			t.Error("another refusal in place of an old one does not end the wait")
		}
		changes.stop()
	})
}
