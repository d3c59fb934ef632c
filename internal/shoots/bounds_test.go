package shoots_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/shoots"
)

// A template or a list of extensions whose YAML aliases become gigabytes is refused, with the bound, before they are written out.
func TestAliasesAreBounded(t *testing.T) { //nolint:paralleltest // counts all that is allocated
	long, aliases := "&n "+strings.Repeat("x", 700_000), strings.Repeat(", *n", 5_000)
	for what, read := range map[string]func() error{
		"template": func() error {
			_, err := shoots.ReadTemplate("metadata: {annotations: {a: " + long + "}}\nspec: {purpose: [a" + aliases + "]}")
			return err
		},
		"extensions": func() error {
			_, err := shoots.ReadExtensions("- type: " + long + "\n- providerConfig: [a" + aliases + "]")
			return err
		},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := read()
		runtime.ReadMemStats(&after)
		if err == nil || !strings.Contains(err.Error(), "expand to more than 1048576 bytes") || len(err.Error()) > 1_000 {
			t.Errorf("%s: %.500v", what, err)
		}
		if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 64<<20 {
			t.Errorf("%s: %d MB", what, allocated>>20)
		}
	}
}
