// Package gardenlet plays the gardenlet of a seed on a local Garden, which has none: it brings Shoots up and takes them down by what
// it writes into their status, and provides what Gardener needs to issue kubeconfigs for them. The cluster behind each Shoot is the
// kube-apiserver of the Garden itself.
package gardenlet

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
)

// finalizer keeps a Shoot until the gardenlet has taken it down, as Gardener's own does.
const finalizer = "gardener"

// Course is how it goes with one Shoot, from one spec to the next.
type Course struct {
	Steps   int                      // of an operation; 0 = one
	Pace    time.Duration            // between two steps
	Fails   []gardencore.LastError   // what the operation meets at its middle step; it goes on once Mended says so
	Mended  func() bool              // nil = at once, at the next look
	Stuck   bool                     // the operation never comes behind its first step
	Failing gardencore.ConditionType // a condition that does not hold when the operation has succeeded; empty = all hold
}

// Gardenlet works on the Shoots of one namespace.
type Gardenlet struct {
	Client    client.Client // of an administrator
	Namespace string
	// Server is the address of the cluster behind each Shoot, and ServerCA the authority of its certificate, in PEM.
	Server   string
	ServerCA []byte
	// ClientCA signs the kubeconfigs that Gardener issues. The server behind Server has to trust it.
	ClientCA local.Authority
	// Course says how it goes with a Shoot; nil = everything succeeds at once.
	Course func(shoot *gardencore.Shoot) Course
	// Interval is the pause between two looks; 0 = 200 ms.
	Interval time.Duration

	mu    sync.Mutex
	steps map[string]progress // of the operation of a Shoot and generation
	last  error
}

// progress is how far an operation is.
type progress struct {
	done int       // steps
	at   time.Time // of the last one
}

// Of returns the gardenlet of a namespace on a local Garden, whose kube-apiserver is the cluster behind each Shoot.
func Of(ns *testbed.Namespace) *Gardenlet {
	admin := ns.Garden().AdminConfig()
	return &Gardenlet{
		Client: ns.Garden().AdminClient(), Namespace: ns.Name, Server: admin.Host, ServerCA: admin.CAData, ClientCA: ns.Garden().Clusters(),
	}
}

// Run works until the context ends.
func (g *Gardenlet) Run(ctx context.Context) {
	interval := g.Interval
	if interval == 0 {
		interval = 200 * time.Millisecond
	}
	for ctx.Err() == nil {
		err := g.Round(ctx)
		g.mu.Lock()
		g.last = err
		g.mu.Unlock()
		select {
		case <-ctx.Done():
		case <-time.After(interval):
		}
	}
}

// Err is why the last round failed; nil = it did not.
func (g *Gardenlet) Err() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.last
}

// Round brings each Shoot one step further.
func (g *Gardenlet) Round(ctx context.Context) error {
	var shoots gardencore.ShootList
	if err := g.Client.List(ctx, &shoots, client.InNamespace(g.Namespace)); err != nil {
		return fmt.Errorf("listing the Shoots: %w", err)
	}
	for i := range shoots.Items {
		shoot := &shoots.Items[i]
		if err := g.step(ctx, shoot); err != nil && !apierrors.IsConflict(err) && !apierrors.IsNotFound(err) {
			return fmt.Errorf("shoot %s: %w", shoot.Name, err)
		}
	}
	return nil
}

// step brings one Shoot one step further.
func (g *Gardenlet) step(ctx context.Context, shoot *gardencore.Shoot) error {
	course := Course{}
	if g.Course != nil {
		course = g.Course(shoot)
	}
	operation := gardencore.LastOperationTypeReconcile
	switch {
	case shoot.DeletionTimestamp != nil:
		operation = gardencore.LastOperationTypeDelete
	case shoot.Status.LastOperation == nil || shoot.Status.LastOperation.Type == gardencore.LastOperationTypeCreate &&
		shoot.Status.LastOperation.State != gardencore.LastOperationStateSucceeded:
		operation = gardencore.LastOperationTypeCreate
	case shoot.Status.ObservedGeneration == shoot.Generation && shoot.Status.LastOperation.State == gardencore.LastOperationStateSucceeded:
		return nil
	}
	if operation != gardencore.LastOperationTypeDelete && !slices.Contains(shoot.Finalizers, finalizer) {
		return g.hold(ctx, shoot)
	}
	total, done := max(course.Steps, 1), g.advance(shoot, operation, course)
	base := shoot.DeepCopy()
	shoot.Status.ObservedGeneration = shoot.Generation
	shoot.Status.TechnicalID = "shoot--" + strings.TrimPrefix(g.Namespace, "garden-") + "--" + shoot.Name
	shoot.Status.LastErrors = nil
	state, told := gardencore.LastOperationStateProcessing, fmt.Sprintf("Step %d of %d.", done, total)
	switch {
	case done > total/2 && len(course.Fails) > 0 && !mended(course):
		state, told, shoot.Status.LastErrors = gardencore.LastOperationStateError, course.Fails[0].Description, course.Fails
	case done >= total:
		state, told = gardencore.LastOperationStateSucceeded, fmt.Sprintf("%s succeeded.", operation)
	}
	shoot.Status.LastOperation = &gardencore.LastOperation{
		Type: operation, State: state, Progress: int32(100 * min(done, total) / total), //nolint:gosec // 0 to 100
		Description: told, LastUpdateTime: metav1.Now(),
	}
	succeeded, deletes := state == gardencore.LastOperationStateSucceeded, operation == gardencore.LastOperationTypeDelete
	if succeeded && !deletes {
		if err := g.provide(ctx, shoot, course); err != nil {
			return err
		}
	}
	if err := g.Client.Status().Patch(ctx, shoot, client.MergeFrom(base)); err != nil {
		return err
	}
	if succeeded && deletes { // Gardener lets the finalizer go only behind a deletion that has succeeded
		return g.letGo(ctx, shoot)
	}
	return nil
}

func mended(c Course) bool { return c.Mended == nil || c.Mended() }

// advance counts the steps of an operation, and returns how many are done. A step takes its pace.
func (g *Gardenlet) advance(shoot *gardencore.Shoot, operation gardencore.LastOperationType, course Course) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.steps == nil {
		g.steps = map[string]progress{}
	}
	key := fmt.Sprintf("%s/%d/%s", shoot.UID, shoot.Generation, operation)
	p := g.steps[key]
	if p.done == 0 || !course.Stuck && time.Since(p.at) >= course.Pace {
		p = progress{p.done + 1, time.Now()}
		g.steps[key] = p
	}
	return p.done
}

// hold keeps the Shoot from going before it is taken down.
func (g *Gardenlet) hold(ctx context.Context, shoot *gardencore.Shoot) error {
	base := shoot.DeepCopy()
	shoot.Finalizers = append(shoot.Finalizers, finalizer)
	return g.Client.Patch(ctx, shoot, client.MergeFromWithOptions(base, client.MergeFromWithOptimisticLock{}))
}

// letGo lets the Shoot go, with all that was provided for it.
func (g *Gardenlet) letGo(ctx context.Context, shoot *gardencore.Shoot) error {
	for _, object := range []client.Object{
		&corev1.ConfigMap{ObjectMeta: g.named(shoot.Name + ".ca-cluster")},
		&gardencore.InternalSecret{ObjectMeta: g.named(shoot.Name + ".ca-client")},
	} {
		if err := client.IgnoreNotFound(g.Client.Delete(ctx, object)); err != nil {
			return err
		}
	}
	base := shoot.DeepCopy()
	shoot.Finalizers = slices.DeleteFunc(shoot.Finalizers, func(f string) bool { return f == finalizer })
	return g.Client.Patch(ctx, shoot, client.MergeFromWithOptions(base, client.MergeFromWithOptimisticLock{}))
}

// provide writes what a Shoot that is up has: its addresses, its conditions, and the authorities of its cluster.
func (g *Gardenlet) provide(ctx context.Context, shoot *gardencore.Shoot, course Course) error {
	shoot.Status.AdvertisedAddresses = []gardencore.ShootAdvertisedAddress{{Name: "external", URL: g.Server}}
	shoot.Status.Conditions = nil
	for _, kind := range []gardencore.ConditionType{
		gardencore.ShootAPIServerAvailable, gardencore.ShootControlPlaneHealthy, gardencore.ShootEveryNodeReady,
		gardencore.ShootSystemComponentsHealthy,
	} {
		status := gardencore.ConditionTrue
		if kind == course.Failing {
			status = gardencore.ConditionFalse
		}
		shoot.Status.Conditions = append(shoot.Status.Conditions, gardencore.Condition{
			Type: kind, Status: status, Reason: "Played", Message: "The gardenlet of the testbed says so.",
			LastTransitionTime: metav1.Now(), LastUpdateTime: metav1.Now(),
		})
	}
	for _, object := range []client.Object{
		&corev1.ConfigMap{ObjectMeta: g.named(shoot.Name + ".ca-cluster"), Data: map[string]string{"ca.crt": string(g.ServerCA)}},
		&gardencore.InternalSecret{ObjectMeta: g.named(shoot.Name + ".ca-client"),
			Data: map[string][]byte{"ca.crt": g.ClientCA.Cert, "ca.key": g.ClientCA.Key}},
	} {
		if err := g.Client.Create(ctx, object); err != nil && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("providing %s: %w", object.GetName(), err)
		}
	}
	return nil
}

func (g *Gardenlet) named(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: g.Namespace, Name: name}
}
