package shoots

import (
	"context"
	"encoding/json"
	"fmt"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
)

// write sends an object once, or to be checked, with the name and the kind that it has to have.
func (s *Shoots) write(
	ctx context.Context, call kube.Call, patch types.PatchType, object map[string]any, options runtime.Object, how mode,
) (shoot *gardencore.Shoot, err error) {
	body, err := json.Marshal(s.named(call.Name, object))
	if err != nil {
		return nil, fmt.Errorf("encoding shoot %s: %w", call.Name, err)
	}
	return s.send(ctx, call, patch, body, options, how)
}

// send sends a body once, or to be checked.
func (s *Shoots) send(
	ctx context.Context, call kube.Call, patch types.PatchType, body []byte, options runtime.Object, how mode,
) (shoot *gardencore.Shoot, err error) {
	err = how.try(ctx, call, func(ctx context.Context) (err error) {
		request := s.core.Request(call).VersionedParams(options, metav1.ParameterCodec).Body(body)
		if patch != "" {
			request.SetHeader("Content-Type", string(patch))
		}
		if shoot, err = kube.Answer[*gardencore.Shoot](request.Do(ctx)); err != nil || how == dryRun {
			return err
		}
		return confirm(call, patch, body, shoot)
	})
	if err != nil {
		return nil, err
	}
	return shoot, nil
}

// named is the object with what says which object it is.
func (s *Shoots) named(name string, object map[string]any) map[string]any {
	object = clone(object)
	object["apiVersion"], object["kind"] = apiVersion, kind
	metadata, _ := object["metadata"].(map[string]any)
	if metadata == nil {
		metadata = map[string]any{}
		object["metadata"] = metadata
	}
	metadata["name"], metadata["namespace"] = name, s.namespace
	return object
}

// confirm checks that the answer to a write is of the Shoot, and shows the labels and annotations that were sent. One that does not is a
// lost one. What Gardener makes of the spec is its own business, and so are the annotations that it carries out and takes away.
func confirm(call kube.Call, patch types.PatchType, sent []byte, shoot *gardencore.Shoot) error {
	if shoot.Name != call.Name || shoot.Namespace != call.Namespace || shoot.UID == "" || shoot.ResourceVersion == "" {
		return &kube.UnconfirmedError{What: "which object it is"}
	}
	if patch == types.JSONPatchType { // it holds steps, and no object
		return nil
	}
	var object struct {
		Metadata struct {
			UID         types.UID      `json:"uid,omitempty"`
			Labels      map[string]any `json:"labels,omitempty"`
			Annotations map[string]any `json:"annotations,omitempty"`
		} `json:"metadata"`
	}
	if err := json.Unmarshal(sent, &object); err != nil {
		return fmt.Errorf("decoding what was written: %w", err)
	}
	for key := range object.Metadata.Annotations {
		if Reserved(key) == onlyOnce {
			delete(object.Metadata.Annotations, key)
		}
	}
	return kube.Confirm(object, map[string]any{"metadata": shoot.ObjectMeta})
}
