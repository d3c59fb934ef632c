package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Mutant is one planted bug: a slip in one function.
type Mutant struct {
	// Name says which one is meant, in a word or two.
	Name string
	// Breaks is the promise that the bug breaks: what a user may rely on, in one plain sentence.
	Breaks string
	// In is where the function is: the path of a package from the root of the repository, or of a folder of packages (internal/pool/...).
	In string
	// Func is the function, the method (Type.method), or the constant or variable of a package, in which the slip is.
	Func string
	Slip Slip
	// Tests are those that have to notice.
	Tests Tests
}

// Tests names tests as go test does.
type Tests struct {
	// Package is the package's path from the root of the repository, Run the pattern of their names.
	Package, Run string
	// Garden says that they need the local Garden.
	Garden bool
}

// declaration is one that was found by its name.
type declaration struct {
	file string
	node ast.Node
}

// slip returns the path of the file with the function, and the file's source with the bug in it.
func (m Mutant) slip(root string) (path, source string, err error) {
	files := token.NewFileSet()
	found, err := m.declarations(files, root)
	switch {
	case err != nil:
		return "", "", err
	case len(found) != 1:
		return "", "", fmt.Errorf("%s has %d functions %s instead of one", m.In, len(found), m.Func)
	}
	place, err := m.Slip.find(found[0].node)
	if err != nil {
		return "", "", fmt.Errorf("%s in %s cannot have the bug: %w", m.Func, m.In, err)
	}
	text, err := os.ReadFile(found[0].file)
	return found[0].file, place.apply(files, text), err
}

// declarations finds the declarations of the name, without those of tests.
func (m Mutant) declarations(files *token.FileSet, root string) (found []declaration, err error) {
	folder, below := strings.CutSuffix(m.In, "/...")
	folder = filepath.Join(root, filepath.FromSlash(folder))
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != folder && !below:
			return fs.SkipDir
		case entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, decl := range file.Decls {
			if node := m.declares(decl); node != nil {
				found = append(found, declaration{path, node})
			}
		}
		return nil
	})
	return found, err
}

// declares returns the node of the declaration that has the name; nil = none does.
func (m Mutant) declares(decl ast.Decl) ast.Node {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		if fullName(decl) == m.Func {
			return decl
		}
	case *ast.GenDecl:
		for _, spec := range decl.Specs {
			if value, ok := spec.(*ast.ValueSpec); ok && value.Names[0].Name == m.Func {
				return value
			}
		}
	}
	return nil
}

// fullName is the name of a function, or that of a method after its type and a dot.
func fullName(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	of := f.Recv.List[0].Type
	if pointer, ok := of.(*ast.StarExpr); ok {
		of = pointer.X
	}
	return last(of) + "." + f.Name.Name
}

// plant writes the file with the bug, and the overlay by which go test reads it in place of the real one, to the
// folder. It returns the path of the overlay.
func (m Mutant) plant(root, folder string) (overlay string, err error) {
	path, text, err := m.slip(root)
	if err != nil {
		return "", err
	}
	with := filepath.Join(folder, filepath.Base(path))
	if err := os.WriteFile(with, []byte(text), 0o600); err != nil {
		return "", err
	}
	content, err := json.Marshal(map[string]any{"Replace": map[string]string{path: with}})
	if err != nil {
		return "", err
	}
	overlay = filepath.Join(folder, "overlay.json")
	return overlay, os.WriteFile(overlay, content, 0o600)
}
