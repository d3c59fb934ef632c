package shoots

import (
	"encoding/json"
	"fmt"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
)

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
