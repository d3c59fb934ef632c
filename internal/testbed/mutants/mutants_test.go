package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
)

// A bug that cannot be planted any more, because the code has changed, has to be noticed with the change.
func TestEachBugCanBePlanted(t *testing.T) {
	t.Parallel()
	root, err := local.RepositoryRoot()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range mutants() {
		source, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(m.File)))
		if err != nil {
			t.Errorf("%s: %v", m.Name, err)
			continue
		}
		if _, err := m.slip(string(source)); err != nil {
			t.Errorf("%s: %v", m.Name, err)
		}
	}
}

func TestBugsAreDescribed(t *testing.T) {
	t.Parallel()
	all := mutants()
	if len(all) < 20 {
		t.Errorf("only %d bugs are left", len(all))
	}
	names, whats := map[string]bool{}, map[string]bool{}
	for _, m := range all {
		if names[m.Name] || whats[m.What] {
			t.Errorf("%s (%s) is there twice", m.Name, m.What)
		}
		names[m.Name], whats[m.What] = true, true
		if m.Name == "" || m.Old == "" || m.Tests.Package == "" || m.Tests.Run == "" || !strings.HasSuffix(m.What, ".") {
			t.Errorf("%q lacks something: %+v", m.Name, m)
		}
	}
}

func TestChoose(t *testing.T) {
	t.Parallel()
	all := []Mutant{{Name: "a"}, {Name: "b"}, {Name: "c"}}
	for _, test := range []struct{ names, want string }{{"", "a b c"}, {"c a", "c a"}, {"b", "b"}} {
		chosen, err := choose(all, strings.Fields(test.names))
		if err != nil {
			t.Fatal(err)
		}
		got := make([]string, len(chosen))
		for i, m := range chosen {
			got[i] = m.Name
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%q chooses %v, want %s", test.names, got, test.want)
		}
	}
	if _, err := choose(all, []string{"a", "d"}); err == nil || !strings.Contains(err.Error(), `no bug is named "d"; there are a, b, c`) {
		t.Errorf("an unknown name: %v", err)
	}
}
