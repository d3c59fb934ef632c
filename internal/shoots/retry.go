package shoots

import (
	"context"
	"fmt"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
)

// The annotation by which Gardener is asked for an operation, and the one that has it go on with a Shoot that it has given up.
const (
	operationAnnotation = "gardener.cloud/operation"
	operationRetry      = "retry"
)

// GivenUpError says that Gardener has ended its tries. It acts again on a change of the spec, or where it is asked to, see [Shoots.Retry].
type GivenUpError struct {
	Name     string
	Deleting bool   // it was the deletion
	Last     Status // how far Gardener came
	// Pending is the operation that another party has asked Gardener for, which it does not begin while the Shoot is given up; empty = none.
	Pending string
}

func (e *GivenUpError) Error() string {
	what := "Shoot " + e.Name
	if e.Deleting {
		what = "the deletion of " + what
	}
	text := fmt.Sprintf("Gardener has given up %s (status.lastOperation.state is Failed), and does not try again by itself: %s", what, e.Last)
	if e.Pending != "" {
		text += fmt.Sprintf(". The Shoot bears the annotation %s: %s of another party, which a retry would overwrite", operationAnnotation,
			e.Pending)
	}
	return text
}

// givenUp returns an error where Gardener has given up a Shoot.
func givenUp(live *gardencore.Shoot) error {
	if !isGivenUp(live) {
		return nil
	}
	e := GivenUpError{Name: live.Name, Deleting: live.DeletionTimestamp != nil, Last: StatusOf(live)}
	if pending := live.Annotations[operationAnnotation]; pending != operationRetry {
		e.Pending = pending
	}
	return &e
}

// retryTries bounds how often a retry is asked for where its answer is lost, or another party has written the Shoot meanwhile.
const retryTries = 20

// Retry asks Gardener to go on with this Shoot, as far as Gardener has given it up as it is now: asked says whether it had. Gardener
// raises the generation for that, and takes the annotation away.
//
// Errors: [*GoneError]; [*GivenUpError] where another party has asked for another operation; those of [kube.Write].
func (s *Shoots) Retry(ctx context.Context, of Shoot) (now Shoot, asked bool, err error) {
	live, asked, err := s.retry(ctx, of.live)
	if err != nil {
		return of, false, err
	}
	return seen(live), asked, nil
}

func (s *Shoots) retry(ctx context.Context, judged *gardencore.Shoot) (live *gardencore.Shoot, asked bool, err error) {
	live = judged
	for range retryTries {
		failed, ok := givenUp(live).(*GivenUpError) //nolint:errorlint // it is not wrapped
		switch {
		case !ok: // also where the answer to the request was lost
			return live, asked, nil
		case (live.DeletionTimestamp != nil) != (judged.DeletionTimestamp != nil): // another party has begun its deletion meanwhile
			return live, asked, nil
		case failed.Pending != "":
			return nil, false, failed
		}
		var written *gardencore.Shoot
		written, err = s.askRetry(ctx, live)
		switch reason(err) {
		case "":
			return written, true, err
		case kube.UnknownOutcome, kube.Conflict, kube.NotFound, kube.Throttled: // read again
		default:
			return nil, false, err
		}
		asked = asked || reason(err) == kube.UnknownOutcome
		now, readErr := s.again(ctx, judged)
		if readErr != nil {
			return nil, false, readErr
		}
		live = now
	}
	return nil, false, fmt.Errorf("the retry of Shoot %s was asked for %d times: %w", judged.Name, retryTries, err)
}

// askRetry puts the annotation on this Shoot, as it was judged.
func (s *Shoots) askRetry(ctx context.Context, judged *gardencore.Shoot) (*gardencore.Shoot, error) {
	return s.write(ctx, s.call("patch", judged.Name), types.MergePatchType, map[string]any{"metadata": map[string]any{
		"uid": string(judged.UID), "resourceVersion": judged.ResourceVersion, "annotations": map[string]any{operationAnnotation: operationRetry},
	}}, &metav1.PatchOptions{FieldManager: fieldManager}, forReal)
}
