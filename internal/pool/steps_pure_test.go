package pool

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
)

// The steps know no context, no lock and no clock: what they go by is handed to them.
func TestStepsArePure(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*_steps.go")
	if err != nil || len(files) < 4 {
		t.Fatalf("the steps are in %v, %v", files, err)
	}
	for _, file := range append(files, "view.go", "release_twins.go", "select.go", "places.go") {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range parsed.Imports {
			if path, _ := strconv.Unquote(i.Path.Value); slices.Contains([]string{"context", "sync", "math/rand/v2", "os"}, path) {
				t.Errorf("%s imports %s", file, path)
			}
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			call, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			of, named := call.X.(*ast.Ident)
			if named && of.Name == "time" && slices.Contains([]string{"Now", "Since", "Until", "After", "Sleep", "NewTimer"}, call.Sel.Name) &&
				!(file == "select.go" && call.Sel.Name == "Now") { // the entrance of those who are no operation
				t.Errorf("%s calls time.%s", file, call.Sel.Name)
			}
			return true
		})
	}
}
