package diagnose

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
)

// No diagnostic has a summary of its own making: then it would have no entry on the page Troubleshooting.
func TestSummaries_areConstants(t *testing.T) {
	t.Parallel()
	root, err := local.RepositoryRoot()
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(root, "internal", "provider")
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
			summary := summaryOf(node)
			if summary == nil {
				return true
			}
			calls++
			if _, literal := summary.(*ast.BasicLit); literal {
				t.Errorf("%s: the summary is no constant: add one named Summary..., and an entry in internal/reference", set.Position(summary.Pos()))
			}
			return true
		})
	}
	if calls < 30 {
		t.Errorf("only %d diagnostics found", calls)
	}
}

// summaryOf returns the summary of a call that adds a diagnostic; nil = it is something else.
func summaryOf(node ast.Node) ast.Expr {
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
