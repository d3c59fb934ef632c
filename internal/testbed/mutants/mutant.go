package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Mutant is one bug: a piece of one file, and what a slip makes of it.
type Mutant struct {
	// Name says which one is meant, in a word or two.
	Name string
	// What says in one plain sentence what goes wrong.
	What string
	// File is where, from the root of the repository.
	File string
	// Old stands in the file exactly once, and New in its place is the bug.
	Old, New string
	// Tests are those that have to notice.
	Tests Tests
	// Acceptance says that they need the local Garden.
	Acceptance bool
}

// Tests names tests as go test does.
type Tests struct {
	// Package is the package's path from the root of the repository, Run the pattern of their names.
	Package, Run string
}

// slip returns the source with the bug in it.
func (m Mutant) slip(source string) (string, error) {
	if n := strings.Count(source, m.Old); n != 1 {
		return "", fmt.Errorf("%s: what is to be replaced stands there %d times instead of once:\n%s", m.File, n, m.Old)
	}
	if m.New == m.Old {
		return "", fmt.Errorf("%s: nothing would change", m.File)
	}
	return strings.Replace(source, m.Old, m.New, 1), nil
}

// plant writes the file with the bug, and the overlay by which go test reads it in place of the real one, to the
// folder. It returns the path of the overlay.
func (m Mutant) plant(root, folder string) (overlay string, err error) {
	path := filepath.Join(root, filepath.FromSlash(m.File))
	source, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	text, err := m.slip(string(source))
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
