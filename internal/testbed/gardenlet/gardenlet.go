// Package gardenlet plays the gardenlet of a seed on a local Garden, which has none: it brings Shoots up and takes them down by what
// it writes into their status, and provides what Gardener needs to issue kubeconfigs for them. The cluster behind each Shoot is the
// kube-apiserver of the Garden itself.
//
// It gives up as the real one does: an operation that meets an error whose code Gardener does not retry ends as Failed, and nothing is
// done for that generation any more. A change of the spec, a deletion, and the annotation gardener.cloud/operation=retry raise the
// generation; that is the work of the real gardener-apiserver, here as there. What differs: the real one also gives up where its tries have
// taken 12 hours (here [Course].Ends says so), and goes on after an update of its own version; rate limits are tried again at a pass once
// they are mended, and not after ten minutes; a Shoot for which no operation was ever begun is taken down by an operation as well; and no
// finalizer but "gardener" is ever put on a Shoot.
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
	Fails   []gardencore.LastError   // what the operation meets at its middle step until Mended says so; some codes end it as Failed
	Ends    bool                     // what it meets ends it as Failed, whatever the code: the time for its tries is over
	Mended  func() bool              // nil = at once, at the next pass
	Stuck   bool                     // the operation never gets past its first step
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
	// Interval is the pause between two reads; 0 = 200 ms.
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
	if last := shoot.Status.LastOperation; last != nil && last.State == gardencore.LastOperationStateFailed &&
		shoot.Status.ObservedGeneration == shoot.Generation {
		return g.retryLimited(ctx, shoot, course)
	}
	operation := operationOf(shoot)
	if operation == "" {
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
	state, text := gardencore.LastOperationStateProcessing, fmt.Sprintf("Step %d of %d.", done, total)
	switch {
	case done > total/2 && len(course.Fails) > 0 && !mended(course):
		state, text, shoot.Status.LastErrors = course.ended(), course.Fails[0].Description, course.Fails
	case done >= total:
		state, text = gardencore.LastOperationStateSucceeded, fmt.Sprintf("%s succeeded.", operation)
	}
	shoot.Status.LastOperation = &gardencore.LastOperation{
		Type: operation, State: state, Progress: int32(100 * min(done, total) / total), //nolint:gosec // 0 to 100
		Description: text, LastUpdateTime: metav1.Now(),
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
	if succeeded && deletes { // Gardener lets the finalizer go only after a deletion that has succeeded
		return g.letGo(ctx, shoot)
	}
	return nil
}

// operationOf is what is to be done for a Shoot; empty = nothing.
func operationOf(shoot *gardencore.Shoot) gardencore.LastOperationType {
	last := shoot.Status.LastOperation
	switch {
	case shoot.DeletionTimestamp != nil:
		return gardencore.LastOperationTypeDelete
	case last == nil || last.Type == gardencore.LastOperationTypeCreate && last.State != gardencore.LastOperationStateSucceeded:
		return gardencore.LastOperationTypeCreate
	case shoot.Status.ObservedGeneration == shoot.Generation && last.State == gardencore.LastOperationStateSucceeded:
		return ""
	}
	return gardencore.LastOperationTypeReconcile
}

func mended(c Course) bool { return c.Mended == nil || c.Mended() }

// ended is the state of an operation that has met its errors: Failed by the codes that Gardener does not retry.
func (c Course) ended() gardencore.LastOperationState {
	for _, e := range c.Fails {
		for _, code := range e.Codes {
			switch code {
			case gardencore.ErrorInfraUnauthenticated, gardencore.ErrorInfraUnauthorized, gardencore.ErrorInfraDependencies,
				gardencore.ErrorInfraQuotaExceeded, gardencore.ErrorInfraRateLimitsExceeded, gardencore.ErrorConfigurationProblem,
				gardencore.ErrorProblematicWebhook:
				return gardencore.LastOperationStateFailed
			}
		}
	}
	if c.Ends {
		return gardencore.LastOperationStateFailed
	}
	return gardencore.LastOperationStateError
}

// retryLimited asks for a retry where a Shoot has failed at rate limits and is mended, as Gardener's controller-manager does.
func (g *Gardenlet) retryLimited(ctx context.Context, shoot *gardencore.Shoot, course Course) error {
	limited := slices.ContainsFunc(shoot.Status.LastErrors, func(e gardencore.LastError) bool {
		return slices.Contains(e.Codes, gardencore.ErrorInfraRateLimitsExceeded)
	})
	if !limited || !mended(course) {
		return nil
	}
	base := shoot.DeepCopy()
	metav1.SetMetaDataAnnotation(&shoot.ObjectMeta, "gardener.cloud/operation", "retry")
	return g.Client.Patch(ctx, shoot, client.MergeFrom(base))
}

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
