package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/overview"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
)

func repository(t *testing.T) string {
	t.Helper()
	root, err := local.RepositoryRoot()
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// Each summary that the code has is the title of one entry, and each title is a summary, or the kind of a problem of a pool: what a user
// pastes into a search box is found.
func TestTroubleshooting_everySummaryHasAnEntry(t *testing.T) {
	t.Parallel()
	summaries := codeSummaries(t)
	if len(summaries) < 200 {
		t.Fatalf("only %d summaries found: %q", len(summaries), slices.Sorted(maps.Keys(summaries)))
	}
	titles := map[string]bool{}
	for _, g := range groups() {
		for _, e := range g.entries {
			if titles[e.title] {
				t.Errorf("two entries are called %q", e.title)
			}
			if titles[e.title] = true; summaries[e.title] == "" {
				t.Errorf("%q has an entry, and no message has this summary", e.title)
			}
		}
	}
	for summary, constant := range summaries {
		if !titles[summary] {
			t.Errorf("%q (%s) has no entry: add one with its cause, and its remedy unless the table of diagnose has it", summary, constant)
		}
	}
}

// An entry is short, and has a cause and a remedy. What the table of the messages says is not written twice.
func TestTroubleshooting_everyEntryHasCauseAndRemedy(t *testing.T) {
	t.Parallel()
	const most = 260 // of the characters of a cause or a remedy that is written here
	for _, g := range groups() {
		for _, e := range g.entries {
			if e.cause == "" || e.next() == "" {
				t.Errorf("%q has no cause or no remedy", e.title)
			}
			if e.remedy != "" && diagnose.Remedy(e.title) != "" {
				t.Errorf("%q has a remedy, and the messages have one: %q", e.title, diagnose.Remedy(e.title))
			}
			if g.title != problems().title && (len(e.cause) > most || len(e.remedy) > most) {
				t.Errorf("%q is too long: %d and %d characters", e.title, len(e.cause), len(e.remedy))
			}
			if strings.Contains(e.next(), "%") {
				t.Errorf("%q has a verb in its remedy: %s", e.title, e.next())
			}
		}
	}
	for _, kind := range overview.ProblemKinds() {
		if causes[kind] == "" {
			t.Errorf("the problem %s has no cause", kind)
		}
	}
}

// What is typed becomes code, once; plain words do not.
func TestMarkup(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Take it out with `state rm`.": "Take it out with `state rm`.",
		"Go on: kubectl annotate %s -n %s %s %s-.": "Go on: `kubectl annotate <shoots or clusters> -n <namespace> <name> " +
			"hap-project.io/deletion-protection-`.",
		"Take it out of the state with state rm.":     "Take it out of the state with `state rm`.",
		`Set on_destroy = "keep", and apply.`:         "Set `on_destroy = \"keep\"`, and apply.",
		"Check pool.kind, the built-in one.":          "Check `pool.kind`, the built-in one.",
		"Run it with -refresh=false (or -target).":    "Run it with `-refresh=false` (or `-target`).",
		"Correct %s in namespace %q: see HAP_URL_X.":  "Correct … in namespace …: see `HAP_URL_X`.",
		"%sThen run it, by its name, %s.":             "Then run it, by its name.",
		"Import it as %s/%s/%s.":                      "Import it as `<global_account>/<binding_name>/<name>`.",
		"A file a_b/c.yaml: where it is.":             "A file `a_b/c.yaml`: where it is.",
		"A project is garden-<project>, of openMCP.":  "A project is `garden-<project>`, of openMCP.",
		"See PGHOST and PG*, and the tenantName then": "See `PGHOST` and `PG*`, and the `tenantName` then",
	} {
		if got := markup(text); got != want {
			t.Errorf("%s\n%s, want\n%s", text, got, want)
		}
	}
}

// The pages have what the tables and the Roles say: a change of either needs make generate.
func TestPagesAreGenerated(t *testing.T) {
	t.Parallel()
	root := repository(t)
	for _, page := range pages {
		name := filepath.Base(page)
		template, err := os.ReadFile(filepath.Join(root, "templates", "guides", name+".tmpl"))
		if err != nil {
			t.Fatal(err)
		}
		content, err := os.ReadFile(filepath.Join(root, page))
		if err != nil {
			t.Fatal(err)
		}
		parts := part.FindAllString(string(template), -1)
		if len(parts) == 0 {
			t.Errorf("%s has no generated part", name)
		}
		for _, found := range parts {
			text, err := expand(found, root)
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if !strings.Contains(string(content), text) {
				t.Errorf("%s is not what %s says now: run make generate", page, found)
			}
		}
	}
}

// codeSummaries are the summaries that a diagnostic can have, each with where it comes from: the constants Summary... of package diagnose,
// and the reasons why rules have no answer. The kinds of problems of a pool have entries, too.
func codeSummaries(t *testing.T) map[string]string {
	t.Helper()
	root := repository(t)
	found := map[string]string{}
	for name, value := range constants(t, filepath.Join(root, "internal", "provider", "diagnose")) {
		if strings.HasPrefix(name, "Summary") {
			found[value] = name
		}
	}
	for _, kind := range overview.ProblemKinds() {
		found[string(kind)] = "overview.ProblemKinds"
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
