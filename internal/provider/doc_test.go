package provider

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The documentation of this package names each of its packages, and the borders of lint allow the families those that it lists as shared,
// and no other family.
func TestDoc_namesEachPackage(t *testing.T) {
	t.Parallel()
	read := func(name string) string {
		text, err := os.ReadFile(filepath.FromSlash(name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	families, shared, ok := strings.Cut(read("doc.go"), "What the families share:")
	if !ok {
		t.Fatal("doc.go does not say what the families share")
	}
	names := func(list, pattern string) (all []string) {
		for _, found := range regexp.MustCompile(pattern).FindAllStringSubmatch(list, -1) {
			all = append(all, regexp.MustCompile(`\w+`).FindAllString(found[1], -1)...)
		}
		slices.Sort(all)
		return all
	}
	const listed = `(?m)^//\t([\w, ]+?)  `
	documented := slices.Concat(names(families, listed), names(shared, listed))
	slices.Sort(documented)
	var folders []string
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() {
			folders = append(folders, e.Name())
		}
	}
	if !slices.Equal(documented, folders) {
		t.Errorf("doc.go names %q, and the packages are %q", documented, folders)
	}

	lint := read("../../.golangci.yml")
	_, rule, _ := strings.Cut(lint, "families-are-known-to-the-provider-alone:")
	rule, _, _ = strings.Cut(rule, "deny:")
	if allowed := names(rule, `internal/provider/(\w+)\$`); !slices.Equal(allowed, names(shared, listed)) {
		t.Errorf("lint allows the families %q, and doc.go says that they share %q", allowed, names(shared, listed))
	}
	_, borders, _ := strings.Cut(lint, "# Within provider:")
	borders, _, _ = strings.Cut(borders, "depguard:")
	for _, name := range names(shared, listed) {
		if !regexp.MustCompile(`\b` + name + `\b`).MatchString(borders) {
			t.Errorf("the opening comment of the borders does not name %s", name)
		}
	}
}
