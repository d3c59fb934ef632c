package shoots

import (
	"context"
	"errors"
	"fmt"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
)

// AwaitReady waits until Gardener has done all that the very Shoot says, and every condition holds. Each new state of it is told.
// The Shoot as it was seen last comes back beside an error too, where it was seen at all.
//
// Errors: [*GoneError]; those of [Watcher.Await].
func (w *Watcher) AwaitReady(ctx context.Context, name string, uid types.UID, tell func(Status)) (last *gardencore.Shoot, err error) {
	told := ""
	err = w.Await(ctx, name, func(shoot *gardencore.Shoot) (bool, error) {
		if shoot == nil || shoot.UID != uid {
			return false, &GoneError{Name: name, UID: string(uid)}
		}
		last = shoot
		status := StatusOf(shoot)
		if text := status.String(); text != told {
			told = text
			tell(status)
		}
		return status.Ready, nil
	})
	return last, err
}

// Remove deletes the very Shoot and waits until Gardener has taken it down. Each new state of it is told. Where it is gone already
// nothing is done.
//
// Errors: those of [kube.Write] and [Watcher.Await]; what was begun goes on in Gardener.
func (w *Watcher) Remove(ctx context.Context, name string, uid types.UID, tell func(Status)) error {
	if err := w.shoots.remove(ctx, name, uid); err != nil {
		return err
	}
	told := ""
	return w.Await(ctx, name, func(shoot *gardencore.Shoot) (bool, error) {
		if shoot == nil || shoot.UID != uid {
			return true, nil
		}
		if shoot.DeletionTimestamp == nil {
			return false, nil // seen before the deletion
		}
		status := StatusOf(shoot)
		if text := status.String(); text != told {
			told = text
			tell(status)
		}
		return false, nil
	})
}

// removeTries bounds how often a deletion is sent where its answer is lost. Sending it again deletes nothing else: it bears the uid.
const removeTries = 5

// remove confirms the deletion of the very Shoot, and deletes it.
func (s *Shoots) remove(ctx context.Context, name string, uid types.UID) (err error) {
	for range removeTries {
		var live *gardencore.Shoot
		live, err = s.Get(ctx, name)
		switch {
		case reason(err) == kube.NotFound, err == nil && live.UID != uid, err == nil && live.DeletionTimestamp != nil:
			return nil
		case err != nil:
			return err
		}
		if live.Annotations[confirmation] != "true" {
			_, err = s.ConfirmDeletion(ctx, live)
		}
		if err == nil {
			err = s.Delete(ctx, name, uid)
		}
		switch reason(err) {
		case "":
			return err
		case kube.UnknownOutcome, kube.Conflict, kube.NotFound, kube.Throttled: // look again
		default:
			return err
		}
	}
	return errors.Join(fmt.Errorf("the deletion of shoot %s was sent %d times", name, removeTries), err)
}
