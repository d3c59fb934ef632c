package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Each decision that code or documentation cites as "ADR NNN" is a record in docs/adr, and the index lists all records.
func TestDecisionsAreRecorded(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	records := map[string]bool{}
	index := read(t, filepath.Join(root, "docs", "adr", "README.md"))
	files, err := filepath.Glob(filepath.Join(root, "docs", "adr", "[0-9]*.md"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no records: %v", err)
	}
	for _, file := range files {
		name := filepath.Base(file)
		number, _, _ := strings.Cut(name, "-")
		title, _, _ := strings.Cut(read(t, file), "\n")
		records[number] = true
		line := "| [" + number + "](" + name + ") | " + strings.TrimPrefix(title, "# ADR "+number+": ") + " |"
		if !strings.Contains(index, line) {
			t.Errorf("docs/adr/README.md has no line %q", line)
		}
	}
	cited := regexp.MustCompile(`\bADR (\d{3}(?:(?:,| and) (?:ADR )?\d{3})*)\b`)
	number := regexp.MustCompile(`\d{3}`)
	for _, folder := range []string{"internal", "docs", "templates"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, ".md") && !strings.HasSuffix(path, ".tmpl") {
				return err
			}
			text := read(t, path)
			for _, citation := range cited.FindAllString(text, -1) {
				for _, n := range number.FindAllString(citation, -1) {
					if !records[n] {
						t.Errorf("%s cites %q, and there is no record %s", path, citation, n)
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
