package provider

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/overview"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
)

// subcategories are the groups of the pages, as a registry lists them.
var subcategories = []string{"Accounts and claims", "Rules", "Clusters in Gardener", "Clusters through openMCP", "Functions"}

// maxPage is the largest page that the registries take.
const maxPage = 500_000

// docs are the generated pages, by their paths in docs/.
func docs(t *testing.T) map[string]string {
	t.Helper()
	root := filepath.Join(repository(t), "docs")
	found := map[string]string{}
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		switch {
		case entry != nil && entry.IsDir() && entry.Name() == "adr": // for contributors
			return filepath.SkipDir
		case err != nil || entry.IsDir() || filepath.Ext(file) != ".md":
			return err
		}
		content, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, file)
		found[name] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(found) < 30 {
		t.Fatalf("%d pages", len(found))
	}
	return found
}

var (
	frontMatter = regexp.MustCompile(`(?s)^---\n(.*?)\n---\n`)
	pageLink    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading     = regexp.MustCompile(`(?m)^#+ +(.*)$`)
	anchorTag   = regexp.MustCompile(`<a id="([^"]+)"></a>`)
	fenced      = regexp.MustCompile("(?ms)^ *```.*?\n *```$")
)

// What the registries ask of a page: front matter with a title, a description and one of our groups; a size; links that lead somewhere.
func TestDocs_pagesAsTheRegistriesWantThem(t *testing.T) {
	t.Parallel()
	acceptance.OneByOne(t)
	all := docs(t)
	for name, text := range all {
		front := frontMatter.FindStringSubmatch(text)
		if front == nil {
			t.Errorf("%s: it has no front matter", name)
			continue
		}
		if !strings.Contains(front[1], "page_title: \"") || !strings.Contains(front[1], "description: |-\n  ") {
			t.Errorf("%s: the front matter lacks a title or a description", name)
		}
		_, group, _ := strings.Cut(front[1], "subcategory: \"")
		if group, _, _ = strings.Cut(group, "\""); name != "index.md" && !slices.Contains(subcategories, group) {
			t.Errorf("%s: the subcategory is %q", name, group)
		}
		if len(text) > maxPage {
			t.Errorf("%s: %d bytes", name, len(text))
		}
		for _, link := range pageLink.FindAllStringSubmatch(fenced.ReplaceAllString(text, ""), -1) {
			if err := leads(all, name, link[1]); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// leads says why a link of a page leads nowhere.
func leads(all map[string]string, from, link string) error {
	if strings.Contains(link, "://") {
		return nil
	}
	file, anchor, _ := strings.Cut(link, "#")
	target := from
	if file != "" {
		target = filepath.Join(filepath.Dir(from), file)
	}
	text, there := all[target]
	if !there {
		return fmt.Errorf("the link %s leads to no page", link)
	}
	if anchor == "" {
		return nil
	}
	for _, found := range anchorTag.FindAllStringSubmatch(text, -1) {
		if found[1] == anchor {
			return nil
		}
	}
	for _, found := range heading.FindAllStringSubmatch(fenced.ReplaceAllString(text, ""), -1) {
		if slug(found[1]) == anchor {
			return nil
		}
	}
	return fmt.Errorf("the link %s leads to no heading", link)
}

var noSlug = regexp.MustCompile(`[^a-z0-9 _-]`)

// slug is the anchor of a heading, as the registries and GitHub make it.
func slug(heading string) string {
	return strings.ReplaceAll(noSlug.ReplaceAllString(strings.ToLower(strings.TrimSpace(heading)), ""), " ", "-")
}

// Each class and verdict has its entry on the page of words, and no entry is of a word that is gone. Those of the kinds of problems are on
// the page Troubleshooting.
func TestDocs_wordsHaveTheirEntries(t *testing.T) {
	t.Parallel()
	_, page, _ := strings.Cut(docs(t)["guides/words.md"], "\n## Classes\n")
	want := map[string]bool{}
	for _, class := range account.Classes() {
		want[string(class)] = true
	}
	for _, verdict := range []account.Verdict{account.VerdictChosen, account.VerdictAvailable, account.VerdictFull, account.VerdictMoved} {
		want[string(verdict)] = true
	}
	got := map[string]bool{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\| [A-Z]").FindAllStringSubmatch(page, -1) {
		got[row[1]] = true
		if !want[row[1]] {
			t.Errorf("the page of words explains %q, which is none", row[1])
		}
	}
	for word := range want {
		if !got[word] {
			t.Errorf("the page of words does not explain %q", word)
		}
	}
	for _, kind := range overview.ProblemKinds() {
		if !strings.Contains(docs(t)["guides/troubleshooting.md"], "\n### "+string(kind)+"\n") {
			t.Errorf("Troubleshooting does not explain %q", kind)
		}
	}
}
