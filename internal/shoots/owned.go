package shoots

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
)

// ownTries bounds how often a Shoot is read again whose owners change.
const ownTries = 5

// own makes our field manager the owner of what the configuration names, and of nothing else. The server notes a POST as an update
// of everything, its own defaults too: as long as that manager is there, an apply that names a field no longer would not take it back.
func (s *Shoots) own(ctx context.Context, w Wanted, live *gardencore.Shoot) (*gardencore.Shoot, error) {
	uid := live.UID
	if !slices.ContainsFunc(live.ManagedFields, isPost) {
		return live, nil
	}
	live, err := s.change(ctx, w, w.Template, live, forReal)
	if err != nil {
		return nil, err
	}
	for range ownTries {
		patch, err := json.Marshal([]map[string]any{
			{"op": "replace", "path": "/metadata/managedFields", "value": slices.DeleteFunc(slices.Clone(live.ManagedFields), isPost)},
			{"op": "replace", "path": "/metadata/uid", "value": live.UID},
			{"op": "replace", "path": "/metadata/resourceVersion", "value": live.ResourceVersion},
		})
		if err != nil {
			return nil, fmt.Errorf("encoding the owners of the fields of Shoot %s: %w", w.Name, err)
		}
		owned, err := s.send(ctx, s.call("patch", w.Name), types.JSONPatchType, patch, &metav1.PatchOptions{FieldManager: fieldManager}, forReal)
		if r := reason(err); err == nil || r != kube.Conflict && r != kube.UnknownOutcome {
			return owned, gone(w.Name, string(uid), err)
		}
		live, err = s.get(ctx, w.Name)
		switch {
		case err != nil:
			return nil, gone(w.Name, string(uid), err)
		case live.UID != uid:
			return nil, &GoneError{Name: w.Name, UID: string(uid)}
		}
	}
	return nil, fmt.Errorf("the owners of the fields of Shoot %s keep changing", w.Name)
}

// isPost recognises what the server has noted of our POST.
func isPost(entry metav1.ManagedFieldsEntry) bool {
	return entry.Manager == fieldManager && entry.Operation == metav1.ManagedFieldsOperationUpdate && entry.Subresource == ""
}
