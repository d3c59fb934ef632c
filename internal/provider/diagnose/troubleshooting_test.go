package diagnose

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
)

const troubleshooting = "templates/guides/troubleshooting.md.tmpl"

func guideRoot(t *testing.T) string {
	t.Helper()
	root, err := local.RepositoryRoot()
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// Each summary that the code has is a heading of the guide, and each heading of the guide is a summary: what a user pastes
// into a search box is found.
func TestTroubleshooting_everySummaryHasAnEntry(t *testing.T) {
	t.Parallel()
	entries := guideEntries(t)
	summaries := codeSummaries(t)
	if len(summaries) < 50 {
		t.Fatalf("only %d summaries found: %q", len(summaries), slices.Sorted(maps.Keys(summaries)))
	}
	for summary, constant := range summaries {
		if _, ok := entries[summary]; !ok {
			t.Errorf("%s has no entry for %q (%s): add a heading \"### %s\" with cause and remedy", troubleshooting, summary, constant, summary)
		}
	}
	for heading := range entries {
		if summaries[heading] == "" {
			t.Errorf("%s has an entry %q, and no summary in the code says so", troubleshooting, heading)
		}
	}
}

// An entry has one remedy, and says before it what happened, or how to find out.
func TestTroubleshooting_everyEntryHasCauseAndRemedy(t *testing.T) {
	t.Parallel()
	for heading, text := range guideEntries(t) {
		cause, remedy, ok := strings.Cut(text, "**Remedy.**")
		if !ok || strings.Contains(remedy, "**Remedy.**") || strings.TrimSpace(cause) == "" || strings.TrimSpace(remedy) == "" {
			t.Errorf("%s: the entry %q has no cause, or not one **Remedy.**", troubleshooting, heading)
		}
	}
}

// The entry of a summary has the remedy of each row of the table with this summary, clause by clause: what differs from error
// to error is left out, and what several rows say alike stands there once.
func TestTroubleshooting_everyRemedyOfTheTable(t *testing.T) {
	t.Parallel()
	entries := guideEntries(t)
	for _, row := range table {
		entry := plain(entries[row.summary])
		for _, clause := range clauseEnd.Split(plain(row.remedy), -1) {
			if clause = strings.Trim(clause, " ."); !strings.Contains(entry, clause) {
				t.Errorf("%s: the entry %q lacks a clause of its remedy: %q", troubleshooting, row.summary, clause)
			}
		}
	}
}

var (
	// clauseEnd is a mark, or a verb such as %s.
	clauseEnd = regexp.MustCompile(`[,;:.] |%[sq]`)
	link      = regexp.MustCompile(`\[([^]]*)\]\([^)]*\)`)
)

// plain is a text of the guide without its Markdown, in one line, with small letters.
func plain(text string) string {
	text = link.ReplaceAllString(strings.ReplaceAll(text, "`", ""), "$1")
	return strings.ToLower(strings.Join(strings.Fields(text), " "))
}

var entryHeading = regexp.MustCompile(`(?m)^### (.+)$`)

// guideEntries are the entries of the guide: their text by their heading.
func guideEntries(t *testing.T) map[string]string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(guideRoot(t), troubleshooting))
	if err != nil {
		t.Fatal(err)
	}
	text := string(content)
	entries := map[string]string{}
	places := entryHeading.FindAllStringSubmatchIndex(text, -1)
	for i, place := range places {
		end := len(text)
		if i+1 < len(places) {
			end = places[i+1][0]
		}
		heading := text[place[2]:place[3]]
		if _, twice := entries[heading]; twice {
			t.Errorf("%s has two entries %q", troubleshooting, heading)
		}
		entries[heading] = text[place[1]:end]
	}
	return entries
}

// codeSummaries are the summaries that a diagnostic can have, each with where it comes from: the constants Summary... of
// this package, those of the problems of a rule set, and the reasons why rules have no answer.
func codeSummaries(t *testing.T) map[string]string {
	t.Helper()
	root := guideRoot(t)
	found := map[string]string{}
	for name, value := range constants(t, filepath.Join(root, "internal", "provider", "diagnose")) {
		if strings.HasPrefix(name, "Summary") {
			found[value] = name
		}
	}
	for kind, summary := range problemSummaries {
		found[summary] = "problemSummaries[" + string(kind) + "]"
	}
	for name, value := range constants(t, filepath.Join(root, "internal", "rules")) {
		if strings.HasPrefix(name, "Reason") {
			found[value] = "rules." + name
		}
	}
	return found
}

// constants are the text constants of a package, by name.
func constants(t *testing.T, folder string) map[string]string {
	t.Helper()
	found := map[string]string{}
	files, err := fs.Glob(os.DirFS(folder), "*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(folder, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(node ast.Node) bool {
			if declaration, ok := node.(*ast.GenDecl); ok && declaration.Tok == token.CONST {
				addConstants(t, found, declaration)
			}
			return true
		})
	}
	return found
}

func addConstants(t *testing.T, found map[string]string, declaration *ast.GenDecl) {
	t.Helper()
	for _, spec := range declaration.Specs {
		values, ok := spec.(*ast.ValueSpec)
		if !ok {
			continue
		}
		for i, name := range values.Names {
			if i >= len(values.Values) {
				continue
			}
			literal, ok := values.Values[i].(*ast.BasicLit)
			if !ok || literal.Kind != token.STRING {
				continue
			}
			text, err := strconv.Unquote(literal.Value)
			if err != nil {
				t.Fatal(err)
			}
			found[name.Name] = text
		}
	}
}

// No diagnostic has a summary of its own making: then it would have no entry in the guide.
func TestTroubleshooting_summariesAreConstants(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(guideRoot(t), "internal", "provider")
	files, err := filepath.Glob(filepath.Join(folder, "*", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	top, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	for _, name := range append(files, top...) {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(node ast.Node) bool {
			summary := SummaryOf(node)
			if summary == nil {
				return true
			}
			calls++
			if _, literal := summary.(*ast.BasicLit); literal {
				t.Errorf("%s: the summary is no constant: add one named Summary..., and an entry in %s", set.Position(summary.Pos()), troubleshooting)
			}
			return true
		})
	}
	if calls < 30 {
		t.Errorf("only %d diagnostics found", calls)
	}
}

// SummaryOf returns the summary of a call that adds a diagnostic; nil = it is something else.
func SummaryOf(node ast.Node) ast.Expr {
	call, ok := node.(*ast.CallExpr)
	if !ok {
		return nil
	}
	method, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	at, ok := map[string]int{"AddError": 0, "AddWarning": 0, "AddAttributeError": 1, "AddAttributeWarning": 1}[method.Sel.Name]
	if !ok || len(call.Args) <= at {
		return nil
	}
	return call.Args[at]
}
