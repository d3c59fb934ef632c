package shoots

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
)

// protectionManager owns the protection of a Shoot among its fields: an apply of the template neither has it nor takes it away.
const protectionManager = fieldManager + "-protection"

// Protect protects this Shoot from deletion, or takes the protection away; see [kube.ProtectionAnnotation]. It writes that annotation
// alone, whatever else changes meanwhile. Where it is so already, or the Shoot is being deleted, nothing is written.
//
// Errors: [*GoneError]; those of [kube.Write].
func (s *Shoots) Protect(ctx context.Context, now Shoot, on bool) (Shoot, error) {
	if now.Protected == on || now.Deleting {
		return now, nil
	}
	annotations := kube.Protected(on)
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"uid": now.UID, "annotations": annotations}})
	if err != nil {
		return now, fmt.Errorf("encoding the protection of Shoot %s: %w", now.Name, err)
	}
	var live *gardencore.Shoot
	for range protectTries {
		options := &metav1.PatchOptions{FieldManager: protectionManager}
		live, err = s.send(ctx, s.call("patch", now.Name), types.MergePatchType, patch, options, forReal)
		if reason(err) != kube.Conflict && reason(err) != kube.UnknownOutcome {
			break
		}
		there, lookErr := s.get(ctx, now.Name)
		switch {
		case lookErr != nil:
			return now, errors.Join(err, gone(now.Name, now.UID, lookErr))
		case string(there.UID) != now.UID:
			return now, &GoneError{Name: now.Name, UID: now.UID}
		}
	}
	if err != nil {
		return now, gone(now.Name, now.UID, err)
	}
	return seen(live), nil
}

// protectTries bounds how often a change of the protection is sent whose answer is lost, or that meets another write.
const protectTries = 5
