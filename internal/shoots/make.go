package shoots

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
)

// markAnnotation tells by which configuration a Shoot was made: a run that crashed before it could write its state finds its Shoot
// by it.
const markAnnotation = "hap-project.io/shoot-configuration"

// The labels by which a cluster provider of the openMCP adopts a Shoot.
const (
	clusterNameLabel      = "gardener.clusters.openmcp.cloud/cluster-name"
	clusterNamespaceLabel = "gardener.clusters.openmcp.cloud/cluster-namespace"
)

// Wanted is a Shoot as a configuration wants it.
type Wanted struct {
	Name     string
	Template Template
	// Account is that of the workers; empty for a workerless Shoot. AccountField is how the spec names it: credentialsBindingName, or
	// secretBindingName on older landscapes.
	Account, AccountField string
	Labels, Annotations   map[string]string // further ones
	// ClusterNamespace and ClusterName name the Cluster that a cluster provider ties the Shoot to; empty = none.
	ClusterNamespace, ClusterName string
}

// ExistsError says that a Shoot of the name stands, which another party made, or another configuration.
type ExistsError struct{ Name string }

func (e *ExistsError) Error() string {
	return fmt.Sprintf("a Shoot %s stands already, and this configuration has not made it", e.Name)
}

// GoneError says that a Shoot is gone, or that another one has its name.
type GoneError struct{ Name, UID string }

func (e *GoneError) Error() string {
	return fmt.Sprintf("Shoot %s (UID %s) does not exist any more", e.Name, e.UID)
}

// Check has the server check the Shoot that Make would make, with all of its admission, and makes nothing.
//
// Errors: those of [Shoots.Make].
func (s *Shoots) Check(ctx context.Context, w Wanted) error {
	_, err := s.Create(ctx, w.Name, w.object(s.namespace, nil), DryRun)
	if reason(err) == kube.Exists {
		return s.ours(ctx, w, err)
	}
	return err
}

// ours returns nil where the Shoot that stands was made by this very configuration.
func (s *Shoots) ours(ctx context.Context, w Wanted, exists error) error {
	live, err := s.Get(ctx, w.Name)
	switch {
	case err != nil:
		return errors.Join(exists, err)
	case live.Annotations[markAnnotation] == w.mark(s.namespace) && live.DeletionTimestamp == nil:
		return nil
	}
	return &ExistsError{Name: w.Name}
}

// Make makes the Shoot, or finds the one that this very configuration has made in a run that was cut short. Where the answer to the
// write is lost, it looks what became of it.
//
// Errors: [*ExistsError]; those of [kube.Write], UnknownOutcome only where the look failed too.
func (s *Shoots) Make(ctx context.Context, w Wanted) (*gardencore.Shoot, error) {
	made, err := s.Create(ctx, w.Name, w.object(s.namespace, nil), ForReal)
	switch reason(err) {
	case kube.Exists, kube.UnknownOutcome:
	default:
		return made, err
	}
	live, lookErr := s.Get(ctx, w.Name)
	switch {
	case reason(lookErr) == kube.NotFound && reason(err) == kube.UnknownOutcome: // it did not arrive: sending it again makes one at most
		return s.Create(ctx, w.Name, w.object(s.namespace, nil), ForReal)
	case lookErr != nil:
		return nil, errors.Join(err, lookErr)
	case live.Annotations[markAnnotation] != w.mark(s.namespace) || live.DeletionTimestamp != nil:
		return nil, &ExistsError{Name: w.Name}
	}
	return live, nil
}

// Change makes a live Shoot what the configuration wants now. What Gardener has changed by itself stays.
//
// Errors: [*GoneError]; those of [kube.Write].
func (s *Shoots) Change(ctx context.Context, w Wanted, live *gardencore.Shoot, mode Mode) (*gardencore.Shoot, error) {
	changed, err := s.Apply(ctx, w.Name, live.UID, w.object(s.namespace, live), mode)
	if r := reason(err); r == kube.Conflict || r == kube.NotFound {
		return nil, &GoneError{Name: w.Name, UID: string(live.UID)}
	}
	return changed, err
}

// object is what is sent: what the template names, and what the configuration adds.
func (w Wanted) object(namespace string, live *gardencore.Shoot) map[string]any {
	object := clone(w.Template.written)
	if live != nil {
		object = w.Template.For(live)
	}
	spec := child(object, "spec")
	if w.Account != "" {
		spec[w.AccountField] = w.Account
	}
	metadata := child(object, "metadata")
	labels, annotations := child(metadata, "labels"), child(metadata, "annotations")
	for k, v := range w.Labels {
		labels[k] = v
	}
	for k, v := range w.Annotations {
		annotations[k] = v
	}
	if w.ClusterName != "" {
		labels[clusterNameLabel], labels[clusterNamespaceLabel] = w.ClusterName, w.ClusterNamespace
	}
	if live == nil {
		annotations[markAnnotation] = w.mark(namespace)
	} else if mark := live.Annotations[markAnnotation]; mark != "" {
		annotations[markAnnotation] = mark // otherwise the server would take it away
	}
	return object
}

// mark is a hash of what a configuration says of a Shoot. Two configurations that say the same of the same name are the same.
func (w Wanted) mark(namespace string) string {
	parts := []string{namespace, w.Name, w.Account, written(w.Template.written), w.ClusterNamespace, w.ClusterName, written(w.Labels), written(w.Annotations)}
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:16])
}

// child is an object within an object, made where there is none.
func child(object map[string]any, key string) map[string]any {
	inside, ok := object[key].(map[string]any)
	if !ok {
		inside = map[string]any{}
		object[key] = inside
	}
	return inside
}

// reason is why a request failed; empty = it did not, or not by the server.
func reason(err error) kube.Reason {
	if failed, ok := errors.AsType[*kube.Error](err); ok {
		return failed.Reason
	}
	return ""
}
