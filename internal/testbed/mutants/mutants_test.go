package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
)

// most is how many bugs there are at most: one for a promise, not one for a line.
const most = 60

// A bug that cannot be planted any more, because the code has changed, has to be noticed with the change. The file with the bug is checked
// as the compiler does.
func TestEachBugCanBePlanted(t *testing.T) {
	t.Parallel()
	root, err := local.RepositoryRoot()
	if err != nil {
		t.Fatal(err)
	}
	build := newBuild(t, root)
	for _, m := range mutants() {
		path, text, err := m.slip(root)
		if err == nil {
			err = build.check(path, text)
		}
		if err != nil {
			t.Errorf("%s: %v", m.Name, err)
		}
	}
}

// build knows how the packages of the repository are compiled.
type build struct {
	files    *token.FileSet
	packages map[string]*compiled // by folder
	exports  map[string]string    // the file with what a package exports, by its path
	imports  types.Importer
}

// compiled is one package, as go list has it.
type compiled struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
	parsed                  map[string]*ast.File
}

func newBuild(t *testing.T, root string) *build {
	t.Helper()
	var folders []string
	for _, m := range mutants() {
		if folder := "./" + m.In; !slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
	}
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"list", "-deps", "-export", "-json=ImportPath,Dir,Export,GoFiles"}, folders...)...)
	cmd.Dir = root
	output, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	b := &build{files: token.NewFileSet(), packages: map[string]*compiled{}, exports: map[string]string{}}
	for decoder := json.NewDecoder(bytes.NewReader(output)); ; {
		var p compiled
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		b.packages[p.Dir], b.exports[p.ImportPath] = &p, p.Export
	}
	b.imports = importer.ForCompiler(b.files, "gc", func(path string) (io.ReadCloser, error) { return os.Open(b.exports[path]) })
	return b
}

// check says what the compiler would say of a package with this text in place of one of its files.
func (b *build) check(path, text string) error {
	p := b.packages[filepath.Dir(path)]
	if p == nil {
		return fmt.Errorf("%s is in no package", path)
	}
	var files []*ast.File
	for _, name := range p.GoFiles {
		file, err := p.parsed[name], error(nil)
		if mutated := name == filepath.Base(path); mutated {
			file, err = parser.ParseFile(b.files, path, text, parser.SkipObjectResolution)
		} else if file == nil {
			file, err = parser.ParseFile(b.files, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if p.parsed == nil {
				p.parsed = map[string]*ast.File{}
			}
			p.parsed[name] = file
		}
		if err != nil {
			return err
		}
		files = append(files, file)
	}
	_, err := (&types.Config{Importer: b.imports}).Check(p.ImportPath, b.files, files, nil)
	return err
}

func TestBugsAreDescribed(t *testing.T) {
	t.Parallel()
	all := mutants()
	if len(all) > most {
		t.Errorf("%d bugs, want at most %d", len(all), most)
	}
	seen := map[string]bool{}
	for _, m := range all {
		place := fmt.Sprintf("%s %s %s %d", m.In, m.Func, m.Slip.says, m.Slip.nth)
		if seen[m.Name] || seen[m.Breaks] || seen[place] {
			t.Errorf("%s (%s) is there twice", m.Name, m.Breaks)
		}
		seen[m.Name], seen[m.Breaks], seen[place] = true, true, true
		if m.Name == "" || m.Tests.Package == "" || m.Tests.Run == "" || !strings.HasSuffix(m.Breaks, ".") {
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
