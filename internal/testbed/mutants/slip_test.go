package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Each kind of slip changes what it names, and nothing else.
func TestSlip(t *testing.T) {
	t.Parallel()
	const source = `package p

const limit = 3

type T struct{ a, b int }

func (t *T) f(x int) (T, error) {
	if y := g(x); y > limit || x < 0 {
		t.a = y
	}
	switch {
	case x == limit && t.ok(x):
		t.log()
	}
	return T{a: x, b: limit}, nil
}

func twice[S any](s []S) int { return len(s) * 2 }
`
	for name, test := range map[string]struct {
		function string
		slip     Slip
		was, is  string // what is replaced, by what
		err      string
	}{
		"a function ends at once":        {"T.f", returns("T{}, nil"), "error) {", "error) { return T{}, nil;", ""},
		"an if":                          {"T.f", never("g"), "y > limit || x < 0", "false && (y > limit || x < 0)", ""},
		"a case":                         {"T.f", always("ok"), "x == limit && t.ok(x)", "true || (x == limit && t.ok(x))", ""},
		"one of two conditions":          {"T.f", never("limit").at(2), "x == limit && t.ok(x)", "false && (x == limit && t.ok(x))", ""},
		"which of two is not said":       {"T.f", never("limit"), "", "", "it has a condition with limit 2 times"},
		"an operand of an and":           {"T.f", forget("ok"), "&& t.ok(x)", "&& (true || t.ok(x))", ""},
		"an operand of an or":            {"T.f", forget("y"), "y > limit ||", "(false && y > limit) ||", ""},
		"a comparison":                   {"T.f", flip("y", ">", ">="), "y > limit", "y >= limit", ""},
		"a call":                         {"T.f", drop("log"), "t.log()", "if false { t.log() }", ""},
		"an assignment to a field":       {"T.f", drop("a"), "t.a = y", "if false { t.a = y }", ""},
		"a call in an expression":        {"T.f", instead("g", "0"), "g(x)", "0", ""},
		"a constant, and no key":         {"T.f", instead("limit", "9").at(3), "b: limit", "b: 9", ""},
		"the first element of a literal": {"T.f", omit("a"), "a: x, ", "", ""},
		"the last element of a literal":  {"T.f", omit("b"), ", b: limit", "", ""},
		"a constant of the package":      {"limit", instead("3", "4"), "limit = 3", "limit = 4", ""},
		"a generic function":             {"twice", instead("2", "3"), "* 2", "* 3", ""},
		"a function that is not there":   {"T.g", returns(""), "", "", "p has 0 functions T.g instead of one"},
		"a method without its type":      {"f", returns(""), "", "", "p has 0 functions f instead of one"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			file := filepath.Join(root, "p", "deep", "p.go")
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
				t.Fatal(err)
			}
			path, got, err := Mutant{In: "p/...", Func: test.function, Slip: test.slip}.slip(root)
			if test.err != "" {
				if err == nil || !strings.Contains(strings.ReplaceAll(err.Error(), "p/... has", "p has"), test.err) {
					t.Errorf("got error %v, want %q", err, test.err)
				}
				return
			}
			if want := strings.Replace(source, test.was, test.is, 1); err != nil || path != file || got != want || want == source {
				t.Errorf("got %v, %s:\n%s\nwant\n%s", err, path, got, want)
			}
		})
	}
}
