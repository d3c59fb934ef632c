package shoots

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
)

// ownTries bounds how often a Shoot is read again whose owners change.
const ownTries = 5

// own makes our field manager the owner of what the configuration names, and of nothing else. The server notes a POST as an update
// of everything, its own defaults too: as long as that manager is there, an apply that names a field no longer would not take it back.
func (s *Shoots) own(ctx context.Context, w Wanted, live *gardencore.Shoot) (*gardencore.Shoot, error) {
	if !slices.ContainsFunc(live.ManagedFields, isPost) {
		return live, nil
	}
	live, err := s.change(ctx, w, w.Template, live, forReal)
	if err != nil {
		return nil, err
	}
	return s.setOwners(ctx, live, func(live *gardencore.Shoot) ([]metav1.ManagedFieldsEntry, error) {
		return slices.DeleteFunc(slices.Clone(live.ManagedFields), isPost), nil
	})
}

// setOwners writes who owns which field of a Shoot, and nothing else; owners returns nil where that is right as it is. A Shoot that others
// write at the same time is read and judged again.
func (s *Shoots) setOwners(
	ctx context.Context, live *gardencore.Shoot, owners func(*gardencore.Shoot) ([]metav1.ManagedFieldsEntry, error),
) (*gardencore.Shoot, error) {
	name, uid := live.Name, live.UID
	for range ownTries {
		wanted, err := owners(live)
		if err == nil && wanted == nil {
			return live, nil
		}
		if err == nil {
			var owned *gardencore.Shoot
			if owned, err = s.patchOwners(ctx, live, wanted); err == nil {
				return owned, nil
			}
		}
		if r := reason(err); r != kube.Conflict && r != kube.UnknownOutcome {
			return nil, gone(name, string(uid), err)
		}
		if live, err = s.again(ctx, live); err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("the owners of the fields of Shoot %s keep changing", name)
}

// patchOwners writes the owners of the fields of this Shoot as it was judged.
func (s *Shoots) patchOwners(ctx context.Context, judged *gardencore.Shoot, owners []metav1.ManagedFieldsEntry) (*gardencore.Shoot, error) {
	patch, err := json.Marshal([]map[string]any{
		{"op": "replace", "path": "/metadata/managedFields", "value": owners},
		{"op": "replace", "path": "/metadata/uid", "value": judged.UID},
		{"op": "replace", "path": "/metadata/resourceVersion", "value": judged.ResourceVersion},
	})
	if err != nil {
		return nil, fmt.Errorf("encoding the owners of the fields of Shoot %s: %w", judged.Name, err)
	}
	options := &metav1.PatchOptions{FieldManager: fieldManager}
	return s.send(ctx, s.call("patch", judged.Name), types.JSONPatchType, patch, options, forReal)
}

// isPost recognises what the server has noted of our POST: it has the region, which no later change of ours has but an apply.
func isPost(entry metav1.ManagedFieldsEntry) bool {
	return entry.Manager == fieldManager && entry.Operation == metav1.ManagedFieldsOperationUpdate && entry.Subresource == "" &&
		setOf(entry).Has(ofRegion)
}

var ofRegion = fieldpath.MakePathOrDie("spec", "region")

// isApply recognises what the server has noted of our server-side apply.
func isApply(entry metav1.ManagedFieldsEntry) bool {
	return entry.Manager == fieldManager && entry.Operation == metav1.ManagedFieldsOperationApply && entry.Subresource == ""
}
