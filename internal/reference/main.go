// Command reference writes the generated parts of the pages in docs/: the entries of Troubleshooting, from the table of the provider's
// messages, and the rights of each Role, from the comments of examples/rbac. A page names such a part by a comment of HTML.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
)

// pages are the pages with generated parts.
var pages = []string{"docs/guides/permissions.md", "docs/guides/troubleshooting.md"}

func main() {
	for _, page := range pages {
		if err := write(page); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

// write replaces the comments of a page by what they name.
func write(page string) error {
	content, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	text, err := expand(string(content), ".")
	if err != nil {
		return fmt.Errorf("%s: %w", page, err)
	}
	return os.WriteFile(page, []byte(text), 0o644) //nolint:gosec // a file of the source tree
}

// part is the comment that names a part: the entries, or a file of Roles.
var part = regexp.MustCompile(`<!-- generated: ([^ ]+) -->`)

// entriesPart is how the page names the entries.
const entriesPart = "entries"

// expand replaces the comments of a text by what they name. root is the folder of the repository.
func expand(text, root string) (string, error) {
	var failed error
	text = part.ReplaceAllStringFunc(text, func(found string) string {
		name := part.FindStringSubmatch(found)[1]
		if name == entriesPart {
			return troubleshooting()
		}
		table, err := rights(filepath.Join(root, "examples", "rbac", name))
		if err != nil && failed == nil {
			failed = fmt.Errorf("%s: %w", name, err)
		}
		return table
	})
	return text, failed
}
