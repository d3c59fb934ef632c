package shoots

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
)

// markAnnotation says by which configuration a Shoot was made: a run that crashed before it could write its state finds its Shoot
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
	// Leaves is another binding of the same cloud account: a live Shoot that names it is switched to this one. The zero value = none is known,
	// and the Shoot stays where it is.
	Leaves              Binding
	Labels, Annotations map[string]string // further ones
	// ClusterNamespace and ClusterName name the Cluster that a cluster provider ties the Shoot to; empty = none.
	ClusterNamespace, ClusterName string
	// Imported says that this is what an import has read of the Shoot, and no configuration has named it yet.
	Imported bool
	// Protected has a new Shoot be kept from deletion, see [kube.ProtectionAnnotation]; [Shoots.Protect] changes it.
	Protected bool
}

// ExistsError says that a Shoot of the name exists, which another party made, or another configuration.
type ExistsError struct {
	Name     string
	Deleting bool // it is being deleted
}

func (e *ExistsError) Error() string {
	if e.Deleting {
		return fmt.Sprintf("a Shoot %s exists already, and is being deleted", e.Name)
	}
	return fmt.Sprintf("a Shoot %s exists already, and this configuration has not made it", e.Name)
}

// MovedError says that a live Shoot would come to another account. Gardener lets that happen, and leaves all behind that is in the
// account of before.
type MovedError struct{ Name, Now, Wanted string }

func (e *MovedError) Error() string {
	return fmt.Sprintf("Shoot %s lives on %s, and would be moved to %s", e.Name, e.Now, e.Wanted)
}

// GoneError says that a Shoot is gone, or that another one has its name.
type GoneError struct{ Name, UID string }

func (e *GoneError) Error() string {
	if e.UID == "" {
		return fmt.Sprintf("there is no Shoot %s", e.Name)
	}
	return fmt.Sprintf("Shoot %s (UID %s) does not exist any more", e.Name, e.UID)
}

// gone makes a GoneError of the answer that there is no such Shoot; other errors stay as they are.
func gone(name, uid string, err error) error {
	if reason(err) == kube.NotFound {
		return &GoneError{Name: name, UID: uid}
	}
	return err
}

// Check has the server check the Shoot that Make would make, with all of its admission, and makes nothing. It returns the Shoot that Make
// would find instead; nil = none.
//
// Errors: [*ExistsError], [*RefusedError]; those of [kube.Read].
func (s *Shoots) Check(ctx context.Context, w Wanted) (found *Shoot, err error) {
	_, err = s.create(ctx, w.Name, w.object(s.namespace), dryRun)
	if reason(err) != kube.Exists {
		return nil, w.refused(err)
	}
	live, err := s.ours(ctx, w)
	if err != nil {
		return nil, w.refused(err)
	}
	return new(seen(live)), nil
}

// ours returns the Shoot that exists where this configuration has made it a short time ago, and nothing has moved it since.
func (s *Shoots) ours(ctx context.Context, w Wanted) (*gardencore.Shoot, error) {
	live, err := s.get(ctx, w.Name)
	switch {
	case err != nil:
		return nil, err
	case live.Annotations[markAnnotation] != w.mark(s.namespace) || live.DeletionTimestamp != nil, accountOf(live.Spec) != w.Account,
		time.Since(live.CreationTimestamp.Time) > foundWithin:
		return nil, &ExistsError{Name: w.Name, Deleting: live.DeletionTimestamp != nil}
	}
	return live, nil
}

// foundWithin is how old a Shoot may be that a run which was cut short has left behind. An older one that says the same is more
// likely that of another state.
const foundWithin = 24 * time.Hour

// Make makes the Shoot, or finds the one that this configuration has made in a run that was cut short: found says which. Where
// the answer to the write is lost, it reads the Shoot.
//
// Errors: [*ExistsError], [*RefusedError]; those of [kube.Write]. UnknownOutcome where an answer was lost, and that read failed, too, or
// the server refused the POST that was sent again: the first one may yet come.
func (s *Shoots) Make(ctx context.Context, w Wanted) (_ Shoot, found bool, err error) {
	made, found, err := s.make(ctx, w)
	if err != nil {
		return Shoot{}, false, w.refused(err)
	}
	if owned, err := s.own(ctx, w, made); err == nil { // otherwise the next change does it
		made = owned
	}
	return seen(made), found, nil
}

func (s *Shoots) make(ctx context.Context, w Wanted) (made *gardencore.Shoot, found bool, err error) {
	object := w.object(s.namespace)
	if s.Run != "" {
		child(child(object, "metadata"), "annotations")[kube.RunAnnotation] = s.Run
	}
	made, err = s.create(ctx, w.Name, object, forReal)
	if !hidesShoot(err) {
		return made, false, err
	}
	var lost error // of a POST that may yet come, or that may have made what is found
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookTime)
	defer cancel()
	for range makeTries {
		if lost == nil && reason(err) == kube.UnknownOutcome {
			lost = err
		}
		live, lookErr := s.ours(ctx, w)
		switch {
		case lookErr == nil && lost == nil && kube.MadeIn(s.Run, live.Annotations): // another process of the run has it
			return nil, false, &ExistsError{Name: w.Name}
		case lookErr == nil:
			return live, lost == nil, nil
		case errors.As(lookErr, new(*ExistsError)):
			return nil, false, lookErr
		case reason(lookErr) != kube.NotFound:
			return nil, false, alsoLost(lost, errors.Join(err, lookErr))
		}
		// What was sent may still come, and an admission that does not know the account yet needs a moment. Sending it again makes one Shoot
		// at most, and says so.
		kube.Sleep(ctx, makePause)
		if made, err = s.create(ctx, w.Name, object, forReal); err == nil {
			return made, false, nil
		}
		if !hidesShoot(err) {
			break
		}
	}
	return nil, false, alsoLost(lost, err)
}

// alsoLost adds to an error that the answer to an earlier POST was lost; nil = none was.
func alsoLost(lost, err error) error {
	if lost != nil && reason(err) != kube.UnknownOutcome {
		return errors.Join(lost, err)
	}
	return err
}

// hidesShoot reports whether there may be a Shoot behind the answer to a POST, or whether the same POST may make one a moment later.
func hidesShoot(err error) bool {
	r := reason(err)
	return r == kube.Exists || r == kube.UnknownOutcome || namesUnseen(err)
}

// namesUnseen reports whether an admission of Gardener does not find what a Shoot names. Admissions go by views of their own that lag
// behind, so that an account may be unknown which was made just now: ResourceReferenceManager answers 403, ShootValidator 500.
func namesUnseen(err error) bool {
	r := reason(err)
	return (r == kube.Denied || r == kube.Failed) && strings.HasSuffix(err.Error(), " not found")
}

// makeTries bounds how often a POST is sent again whose answer was lost, or whose account an admission does not know yet.
const makeTries = 6

// makePause is the pause before a write is sent again.
const makePause = 500 * time.Millisecond

// lookTime bounds the read after a write whose answer was lost, also where the caller has given up.
const lookTime = 10 * time.Second

// CheckChange has the server check what Change would write, and writes nothing. It returns what the change drops that another party has
// set.
//
// Errors: [*GoneError], [*MovedError], [*RefusedError]; those of [kube.Read].
func (s *Shoots) CheckChange(ctx context.Context, w, before Wanted, now Shoot) (Dropped, error) {
	if err := w.mayBind(now.live); err != nil {
		return Dropped{}, err
	}
	is := now.Binding()
	if is != w.Binding() { // a dry run keeps nothing: what else changes is checked on the binding of now
		if _, err := s.rebind(ctx, w, now.live, dryRun); err != nil {
			return Dropped{}, err
		}
	}
	live := now.live
	w, before = stayingOf(live, w, before)
	for try := 1; ; try++ {
		applied, err := s.change(ctx, w.on(is), before.Template, live, dryRun)
		if err != nil {
			return Dropped{}, err
		}
		dropped, err := s.whatDrops(ctx, w.on(is), before, live, applied)
		if ofConflict(err) == nil || try == changeTries {
			return dropped, err
		}
		if live, err = s.again(ctx, live); err != nil { // the change has been judged on a later one
			return Dropped{}, err
		}
	}
}

// stayingOf has a Shoot stay that of its Cluster where no configuration has named the Cluster, as after an import by an earlier version.
// Without the labels, which are ours, the cluster provider makes another Shoot for the Cluster.
func stayingOf(live *gardencore.Shoot, w, before Wanted) (_, _ Wanted) {
	if of := ourClusterOf(live); w.ClusterName == "" && before.ClusterName == "" {
		w.ClusterNamespace, w.ClusterName = of.Namespace, of.Name
		before.ClusterNamespace, before.ClusterName = of.Namespace, of.Name
	}
	return w, before
}

// Change makes a live Shoot what the configuration wants now, and takes back what it wanted before. What Gardener has changed by
// itself stays. Its cloud account never changes: it may come to name another binding of it.
//
// Errors: [*GoneError], [*MovedError], [*RefusedError]; those of [kube.Write].
func (s *Shoots) Change(ctx context.Context, w, before Wanted, now Shoot) (Shoot, error) {
	w, before = stayingOf(now.live, w, before)
	live, err := s.rebind(ctx, w, now.live, forReal)
	if err == nil {
		live, err = s.own(ctx, before.on(w.Binding()), live)
	}
	if err == nil {
		live, err = s.disown(ctx, w, before, live)
	}
	if err == nil {
		live, err = s.change(ctx, w, before.Template, live, forReal)
	}
	if err != nil {
		return Shoot{}, err
	}
	return seen(live), nil
}

func (s *Shoots) change(
	ctx context.Context, w Wanted, before Template, live *gardencore.Shoot, how mode,
) (changed *gardencore.Shoot, err error) {
	uid := live.UID
	if len(w.Template.newer) > 0 { // an apply answers 500 to a field that the server does not know, as to what passes
		if err := s.Knows(ctx, w.Name, w.Template); err != nil {
			return nil, err
		}
	}
	for range changeTries {
		if now := bindingOf(live.Spec); now != w.Binding() {
			return nil, &MovedError{Name: w.Name, Now: now.String(), Wanted: w.Binding().String()}
		}
		changed, err = s.apply(ctx, live, w.objectFor(live, before), how)
		if reason(err) != kube.Conflict {
			return changed, w.refused(gone(w.Name, string(uid), err))
		}
		now, lookErr := s.again(ctx, live) // it may be another Shoot, or maintenance has raised a version, or others write at the same time
		switch {
		case errors.As(lookErr, new(*GoneError)):
			return nil, lookErr
		case lookErr != nil:
			return nil, errors.Join(err, lookErr)
		}
		live = now
	}
	return nil, err
}

// again reads a Shoot once more.
//
// Errors: [*GoneError], where it is another one, too; those of [kube.Read].
func (s *Shoots) again(ctx context.Context, judged *gardencore.Shoot) (*gardencore.Shoot, error) {
	now, err := s.get(ctx, judged.Name)
	switch {
	case err != nil:
		return nil, gone(judged.Name, string(judged.UID), err)
	case now.UID != judged.UID:
		return nil, &GoneError{Name: judged.Name, UID: string(judged.UID)}
	}
	return now, nil
}

// changeTries bounds how often a change is sent where others write at the same time.
const changeTries = 5

// object is what is sent for a Shoot that is to be made.
func (w Wanted) object(namespace string) map[string]any {
	object := clone(w.Template.written)
	w.complete(object)
	annotations := child(child(object, "metadata"), "annotations")
	annotations[markAnnotation] = w.mark(namespace)
	if w.Protected {
		annotations[kube.ProtectionAnnotation] = "true"
	}
	return object
}

// objectFor is what is sent for a Shoot that lives.
func (w Wanted) objectFor(live *gardencore.Shoot, before Template) map[string]any {
	object := w.Template.following(live, before)
	w.complete(object)
	metadata := child(object, "metadata")
	if mark := live.Annotations[markAnnotation]; mark != "" {
		child(metadata, "annotations")[markAnnotation] = mark // otherwise the server would take it away
	}
	return object
}

// complete adds the account, and the labels and annotations of the configuration.
func (w Wanted) complete(object map[string]any) {
	withoutBindings(object)
	if w.Account != "" {
		child(object, "spec")[w.AccountField] = w.Account
	}
	w.addTo(object)
}

// addTo adds the labels and annotations of the configuration to those of its template.
func (w Wanted) addTo(object map[string]any) {
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
}

// mark is a hash of what a configuration says of a Shoot. Two configurations that say the same of the same name are the same.
func (w Wanted) mark(namespace string) string {
	parts := []string{
		namespace, w.Name, w.Account, written(w.Template.written), w.ClusterNamespace, w.ClusterName, written(w.Labels), written(w.Annotations),
	}
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
