package provider

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
)

// The guide has each choice of the engine, as it is written there.
func TestExamples_guideHasEachChoice(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(repository(t), "templates", "guides", "purposes-traits-prefixes.md.tmpl"))
	if err != nil {
		t.Fatal(err)
	}
	guide := strings.Join(strings.Fields(string(text)), " ")
	all := adr.Choices()
	if len(all) < 15 {
		t.Errorf("only %d choices found", len(all))
	}
	for _, c := range all {
		if !strings.Contains(guide, "- "+c.Text) {
			t.Errorf("the guide does not have the choice about %s: - %s", c.About, c.Text)
		}
	}
	if listed := strings.Count(string(text), "\n- "); listed < len(all) {
		t.Errorf("the guide has %d points, and the engine %d choices", listed, len(all))
	}
}
