package family_test

import (
	"encoding/json"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/configs"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
)

// A Cluster is kept by its own annotation, or by that of a Shoot that goes with it, and by neither once it is being deleted.
func TestKeeps(t *testing.T) {
	t.Parallel()
	protected := map[string]string{kube.ProtectionAnnotation: "true"}
	shoot := configs.BoundShoot{Namespace: "garden-a", Name: "blue", Protected: true}
	for name, test := range map[string]struct {
		annotations map[string]string
		behind      []configs.BoundShoot
		deleting    bool
		kept        string
	}{
		"neither":                       {nil, []configs.BoundShoot{{Name: "blue"}}, false, ""},
		"another value":                 {map[string]string{kube.ProtectionAnnotation: "false"}, nil, false, ""},
		"the Cluster":                   {protected, []configs.BoundShoot{shoot}, false, "Cluster"},
		"its Shoot":                     {nil, []configs.BoundShoot{{Name: "red"}, shoot}, false, "Shoot"},
		"both, and it is being deleted": {protected, []configs.BoundShoot{shoot}, true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := &api.Cluster{}
			c.Namespace, c.Name, c.Annotations = "team", "one", test.annotations
			if test.deleting {
				if err := json.Unmarshal([]byte(`{"metadata":{"deletionTimestamp":"2026-03-01T12:00:00Z"}}`), c); err != nil {
					t.Fatal(err)
				}
			}
			kept := ""
			if err, is := family.Keeps(c, test.behind).(*kube.ProtectedError); is { //nolint:errorlint // it is this type itself
				kept = err.Kind
			}
			if kept != test.kept {
				t.Errorf("it is kept by %q, want %q", kept, test.kept)
			}
		})
	}
}

// What lacks the protection of its state gets it again, unless it is being deleted.
func TestLacksProtection(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		state               types.Bool
		protected, deleting bool
		lacks               bool
	}{
		"it has it":                 {types.BoolValue(true), true, false, false},
		"it has lost it":            {types.BoolValue(true), false, false, true},
		"it is being deleted":       {types.BoolValue(true), false, true, false},
		"the state wants none":      {types.BoolValue(false), false, false, false},
		"another party protects it": {types.BoolValue(false), true, false, false},
	} {
		if lacks := family.LacksProtection(test.state, test.protected, test.deleting); lacks != test.lacks {
			t.Errorf("%s: it lacks the protection: %t, want %t", name, lacks, test.lacks)
		}
	}
}
