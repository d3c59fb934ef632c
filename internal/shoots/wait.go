package shoots

import (
	"context"
	"errors"
	"fmt"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
)

// WaitError says that a wait has ended before what it waited for. Gardener goes on all the same.
type WaitError struct {
	Name string
	For  string // what it waited for, such as "it is ready"
	Last Status // how far Gardener was
	Err  error  // why it ended
}

func (e *WaitError) Error() string {
	return fmt.Sprintf("the wait for Shoot %s until %s has ended (%v). Seen last: %s", e.Name, e.For, e.Err, e.Last)
}

// Unwrap returns why it ended.
func (e *WaitError) Unwrap() error { return e.Err }

// DeletingError says that a Shoot is being deleted, which cannot be taken back.
type DeletingError struct{ Name string }

func (e *DeletingError) Error() string { return fmt.Sprintf("Shoot %s is being deleted", e.Name) }

// AwaitReady waits until Gardener has done all that this Shoot says, and every condition holds; or, where another party deletes
// it, until it is gone; or until Gardener gives up. Each new state of it is reported. The Shoot as it was seen last comes back
// beside an error, too.
//
// Errors: [*GoneError]; [*GivenUpError]; [*WaitError] with Forbidden, Unauthorized and Rejected of [kube.Read], or with the cause of the
// context, and with a [*DeletingError] where the Shoot is being deleted.
func (s *Shoots) AwaitReady(ctx context.Context, from Shoot, tell func(Status)) (last Shoot, err error) {
	last, reported := from, ""
	err = s.watcher.Await(ctx, s.namespace, from.Name, func(live *gardencore.Shoot) (bool, error) {
		if live == nil || string(live.UID) != from.UID {
			return false, s.isGone(ctx, from) // the list may be older than the Shoot
		}
		if live.Generation < from.live.Generation { // seen before it was changed
			return false, nil
		}
		last = seen(live)
		if text := last.Status.String(); text != reported {
			reported = text
			tell(last.Status)
		}
		return last.Status.Ready, givenUp(live)
	})
	if err != nil && !errors.As(err, new(*GoneError)) && !errors.As(err, new(*GivenUpError)) {
		if last.Deleting {
			err = errors.Join(err, &DeletingError{Name: from.Name})
		}
		err = &WaitError{from.Name, "it is ready", last.Status, err}
	}
	return last, err
}

// isGone reads this Shoot; nil = it lives.
func (s *Shoots) isGone(ctx context.Context, of Shoot) error {
	live, err := s.get(ctx, of.Name)
	if err == nil && string(live.UID) != of.UID || reason(err) == kube.NotFound {
		return &GoneError{Name: of.Name, UID: of.UID}
	}
	return nil
}

// Remove deletes this Shoot and waits until Gardener has taken it down, or gives up. Each new state of it is reported. Where it is gone
// already nothing is done. A deletion that Gardener has given up before goes on, see [Shoots.Retry].
//
// Errors: [*kube.ProtectedError]; those of [kube.Write]; [*GivenUpError]; [*WaitError]. What was begun goes on in Gardener.
func (s *Shoots) Remove(ctx context.Context, name, uid string, may func(Shoot) error, tell func(Status)) error {
	from, err := s.remove(ctx, name, types.UID(uid), may)
	if err != nil {
		return err
	}
	reported, status := "", Status{}
	err = s.watcher.Await(ctx, s.namespace, name, func(live *gardencore.Shoot) (bool, error) {
		if live == nil || string(live.UID) != uid {
			return true, nil
		}
		if live.DeletionTimestamp == nil || live.Generation < from { // seen before the deletion, or before the retry
			return false, nil
		}
		status = StatusOf(live)
		if text := status.String(); text != reported {
			reported = text
			tell(status)
		}
		return false, givenUp(live)
	})
	if err != nil && !errors.As(err, new(*GivenUpError)) {
		err = &WaitError{name, "Gardener has taken it down", status, err}
	}
	return err
}

// removeTries bounds how often a deletion is sent where its answer is lost, or Gardener has written the Shoot meanwhile. Sending it again
// deletes nothing else: it has the uid.
const removeTries = 20

// remove confirms the deletion of this Shoot, and deletes it. It returns the generation from which on a status is about that; 0 = any.
func (s *Shoots) remove(ctx context.Context, name string, uid types.UID, may func(Shoot) error) (from int64, err error) {
	for range removeTries {
		var live *gardencore.Shoot
		live, err = s.get(ctx, name)
		switch {
		case reason(err) == kube.NotFound, err == nil && live.UID != uid:
			return 0, nil
		case err != nil:
			return 0, err
		case live.DeletionTimestamp != nil:
			live, _, err = s.retry(ctx, live)
			if errors.As(err, new(*GoneError)) {
				return 0, nil
			}
			if err != nil {
				return 0, err
			}
			return live.Generation, nil
		}
		if kube.IsProtected(live.Annotations) {
			return 0, &kube.ProtectedError{Kind: kind, Namespace: s.namespace, Name: name}
		}
		if err := may(seen(live)); err != nil {
			return 0, err
		}
		if live.Annotations[confirmation] != "true" {
			live, err = s.confirmDeletion(ctx, live)
		}
		if err == nil {
			err = s.delete(ctx, live)
		}
		switch reason(err) {
		case "":
			return 0, err
		case kube.UnknownOutcome, kube.Conflict, kube.NotFound, kube.Throttled: // read again
		default:
			return 0, err
		}
	}
	return 0, errors.Join(fmt.Errorf("the deletion of shoot %s was sent %d times", name, removeTries), err)
}
