package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
)

// shootCondition begins the conditions of a Cluster that the Gardener cluster provider takes over from the Shoot.
const shootCondition = "Gardener_"

// IsReady reports whether a Cluster can be used. The Gardener cluster provider calls a Cluster ready as soon as it has made the Shoot: such
// a Cluster has neither an address nor a condition of the Shoot by then. What another cluster provider says counts as it is.
func IsReady(c *Cluster) bool {
	if c.Status.Phase != Ready || c.Status.ObservedGeneration != c.Generation || c.DeletionTimestamp != nil {
		return false
	}
	if _, ofGardener := ShootOf(c); !ofGardener {
		return true
	}
	ofShoot := false
	for _, one := range c.Status.Conditions {
		ofShoot = ofShoot || strings.HasPrefix(one.Type, shootCondition)
	}
	return ofShoot && (len(c.Status.Endpoints) > 0 || c.Status.APIServer != "")
}

// ShootOf names the Shoot that the Gardener cluster provider reports behind a Cluster; false = it reports none.
func ShootOf(c *Cluster) (shoot Ref, ok bool) {
	var status struct {
		Shoot struct {
			Metadata Ref `json:"metadata"`
		} `json:"shoot"`
	}
	if json.Unmarshal(c.Status.ProviderStatus, &status) != nil {
		return Ref{}, false
	}
	shoot = status.Shoot.Metadata
	return shoot, shoot.Name != ""
}

// ShootRefusedError says that Gardener refuses the Shoot of a Cluster, which time alone does not mend.
type ShootRefusedError struct {
	Ref           // the Cluster
	Answer string // of Gardener, as the cluster provider reports it
}

func (e *ShootRefusedError) Error() string {
	return fmt.Sprintf("Gardener refuses the Shoot of Cluster %s: %s", e.Ref, e.Answer)
}

// refusals are how Gardener answers to a Shoot that it does not take as it is. What may be gone with the next attempt is none of them: a
// conflict, a quota, an account that is not there yet.
var refusals = regexp.MustCompile(`Unsupported value|: (Required value|Too long|Too many|Duplicate value): `)

// refusalOf is the condition by which Gardener refuses the Shoot of a Cluster; nil = there is none.
func refusalOf(c *Cluster) *metav1.Condition {
	for i, one := range c.Status.Conditions {
		if one.Status == metav1.ConditionFalse && refusals.MatchString(one.Message) {
			return &c.Status.Conditions[i]
		}
	}
	return nil
}

// refusalTime is how long a refusal may stay that is older than the wait: its cause may be mended, and the cluster provider has not tried
// again yet.
const refusalTime = 30 * time.Second

// EndsError says that a Cluster is being deleted, which cannot be taken back.
type EndsError struct{ Ref }

func (e *EndsError) Error() string { return fmt.Sprintf("Cluster %s is being deleted", e.Ref) }

// AwaitReady waits until a Cluster is ready. It ends at once where the Cluster is being deleted, or Gardener refuses its Shoot, and a while
// later where it had refused that before. Each state is shown: whether it is the Cluster that is waited for, or why the wait ends.
//
// Errors: [*ShootRefusedError], [*EndsError]; what see returns; those of [kube.Watcher.Await].
func AwaitReady(ctx context.Context, all *ClusterKind, of Ref, see func(live *Cluster) (counts bool, err error)) error {
	within, end := context.WithCancelCause(ctx)
	defer end(context.Canceled)
	w := refusedWait{begun: time.Now(), end: end}
	defer w.stop()
	err := all.Await(within, of, func(live *Cluster) (bool, error) {
		if counts, err := see(live); err != nil || !counts {
			return false, err
		}
		if live.DeletionTimestamp != nil {
			return false, &EndsError{of}
		}
		if err := w.judge(live); err != nil {
			return false, err
		}
		return IsReady(live), nil
	})
	if refused := w.over(); refused != nil && err != nil && ctx.Err() == nil {
		return refused
	}
	return err
}

// refusedWait is what a wait knows of a refusal that is older than it.
type refusedWait struct {
	begun time.Time
	end   context.CancelCauseFunc

	mu      sync.Mutex
	looked  bool        // a state of the Cluster was judged
	old     string      // the answer; empty = there is none
	timer   *time.Timer // ends the wait
	refused *ShootRefusedError
}

// judge returns why a wait ends.
func (w *refusedWait) judge(live *Cluster) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	before := w.begun.Add(-time.Second) // the server knows whole seconds
	found := !w.looked && !live.CreationTimestamp.IsZero() && live.CreationTimestamp.Time.Before(before)
	w.looked = true
	c := refusalOf(live)
	if c == nil {
		if w.timer != nil {
			w.timer.Stop()
		}
		w.timer, w.old = nil, ""
		return nil
	}
	refused := &ShootRefusedError{Ref: live.Ref(), Answer: kube.Clean(c.Message)}
	switch {
	case w.timer == nil && (found || c.LastTransitionTime.Time.Before(before)): // a wait for a change finds it
		w.old = c.Message
		w.timer = time.AfterFunc(refusalTime, func() {
			w.mu.Lock()
			w.refused = refused
			w.mu.Unlock()
			w.end(refused)
		})
		return nil
	case c.Message == w.old:
		return nil
	}
	return refused
}

// over is the refusal that has ended the wait; nil = none has.
func (w *refusedWait) over() *ShootRefusedError {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.refused
}

func (w *refusedWait) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timer != nil {
		w.timer.Stop()
	}
}

// NotReady is the error of a wait for a Cluster that has ended before it was ready; last is the Cluster as it was seen last, nil = it was
// not.
func NotReady(of Ref, last *Cluster, err error) *WaitError {
	wait := &WaitError{Kind: KindCluster, Ref: of, For: "it is ready", Err: err}
	if last == nil {
		return wait
	}
	wait.Phase, wait.Failing = last.Status.Phase, last.Status.Failing()
	switch _, ofGardener := ShootOf(last); {
	case errors.As(err, new(*ShootRefusedError)): // it has the condition that says so
		wait.Failing = nil
	case ofGardener && last.Status.Phase == Ready && len(wait.Failing) == 0 && !IsReady(last):
		wait.Failing = []string{"Its cluster provider reports neither conditions nor addresses of the Shoot yet"}
	}
	return wait
}

// ErrDenied is why a wait has ended for a request that was denied.
var ErrDenied = errors.New("it was denied")

// Denies reports whether a status is a denial of what a request says now. One that was there when the request was shown to the controllers
// again is none: they have not answered yet. (One that says the same again, before anything else was seen, cannot be distinguished from
// it.)
func Denies(now Status, generation int64, asked *Status) bool {
	return now.Phase == Denied && now.ObservedGeneration == generation && (asked == nil || !reflect.DeepEqual(now, *asked))
}

// ShownAgain is the status that a request had when it was shown to the controllers again; nil = it was not.
func ShownAgain(annotations map[string]string, status Status) *Status {
	if annotations[OperationAnnotation] != OperationReconcile {
		return nil
	}
	return &status
}

// IsGranted reports whether a request has its Cluster.
func IsGranted(r *ClusterRequest) bool { return r.Status.Phase == Granted && r.Status.Cluster != nil }

// LeftAlone reports whether a request says that schedulers are to leave it alone.
func LeftAlone(r *ClusterRequest) bool { return r.Annotations[OperationAnnotation] == OperationIgnore }
