package testbed_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
)

// The programs of the local Garden hold most packages of the provider and of the tests. These are compiled once, and not
// twice, as long as both modules name one version of each module that they share.
func TestGardenSharesTheVersionsOfTheProvider(t *testing.T) {
	t.Parallel()
	root, err := local.RepositoryRoot()
	if err != nil {
		t.Fatal(err)
	}
	const garden = "internal/tools/garden"
	own, shared := requirements(t, root), 0
	for module, version := range requirements(t, filepath.Join(root, garden)) {
		if own[module] == "" {
			continue
		}
		shared++
		if own[module] != version {
			t.Errorf("the provider has %[1]s %[2]s, and %[3]s has %[4]s: run go get -C %[3]s %[1]s@%[2]s and go mod tidy -e there, "+
				"or raise the provider's", module, own[module], garden, version)
		}
	}
	if shared < 50 {
		t.Errorf("only %d modules are shared", shared)
	}
}

// requirements are the modules of a go.mod and their versions.
func requirements(t *testing.T, folder string) map[string]string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(folder, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for line := range strings.Lines(string(content)) {
		if fields := strings.Fields(line); len(fields) > 1 && strings.HasPrefix(fields[1], "v") {
			found[fields[0]] = fields[1]
		}
	}
	return found
}
