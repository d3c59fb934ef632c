package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// tiny is a module with one function and its tests.
var tiny = map[string]string{
	"go.mod":     "module example.com/tiny\n\ngo 1.26\n",
	"sum/sum.go": "package sum\n\nfunc Sum(a, b int) int { return a + b }\n\nfunc Unseen() bool { return true }\n",
	"sum/sum_test.go": `package sum

import (
	"os"
	"testing"
)

func TestSum(t *testing.T) {
	t.Run("of one and two", func(t *testing.T) {
		if Sum(1, 2) != 3 {
			t.Error("wrong")
		}
	})
}

func TestAcceptance(t *testing.T) {
	if os.Getenv("TF_ACC") == "" {
		t.Skip("TF_ACC")
	}
	if Sum(1, 2) != 3 {
		t.Error("wrong")
	}
}

func TestBroken(t *testing.T) { t.Error("always") }
`,
}

// tinyBench returns a bench over the module, and what it prints.
func tinyBench(t *testing.T) (*bench, *bytes.Buffer) {
	t.Helper()
	root := t.TempDir()
	for name, content := range tiny {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out := &bytes.Buffer{}
	return newBench(root, out), out
}

func bug(name, old, with, run string) Mutant {
	return Mutant{Name: name, What: "Bug " + name + ".", File: "sum/sum.go", Old: old, New: with, Tests: Tests{"sum", "^" + run + "$"}}
}

// acceptance makes it a bug for acceptance tests.
func acceptance(m Mutant) Mutant { m.Acceptance = true; return m }

func TestBench(t *testing.T) {
	t.Parallel()
	const wrong = "a + b + 1"
	for name, test := range map[string]struct {
		mutants []Mutant
		lines   []string // patterns of the lines, in any order
		sum     string
		err     string // "" = none
	}{
		"caught": {
			[]Mutant{bug("one", "a + b", wrong, "TestSum")},
			[]string{`  1  Bug one\.  caught by TestSum/of_one_and_two`}, "1 planted, 1 caught", "",
		},
		"caught by an acceptance test": {
			[]Mutant{acceptance(bug("one", "a + b", wrong, "TestAcceptance"))},
			[]string{`  1  Bug one\.  caught by TestAcceptance`}, "1 planted, 1 caught", "",
		},
		"caught by a program that dies": {
			[]Mutant{bug("one", "return a + b", "if a < b { go func() { panic(a) }(); select {} }; return a + b", "TestSum")},
			[]string{`  1  Bug one\.  caught by TestSum/of_one_and_two(, which did not end)?`}, "1 planted, 1 caught", "",
		},
		"one survives": {
			[]Mutant{bug("one", "a + b", wrong, "TestSum"), bug("two", "true", "false", "TestSum")},
			[]string{`  1  Bug one\.  caught by TestSum/of_one_and_two`, `  2  Bug two\.  two: SURVIVED`},
			"2 planted, 1 caught", "1 survived, 0 could not be planted",
		},
		"one does not compile": {
			[]Mutant{bug("one", "a + b", "a + c", "TestSum"), bug("two", "a + b", wrong, "TestSum")},
			[]string{`  1  Bug one\.  one: ERROR: it does not compile: .*sum\.go:3:\d+: undefined: c`, `  2  Bug two\.  caught by TestSum/of_one_and_two`},
			"1 planted, 1 caught", "0 survived, 1 could not be planted",
		},
		"what is to be replaced is gone": {
			[]Mutant{bug("one", "a - b", wrong, "TestSum")},
			[]string{`  1  Bug one\.  one: ERROR: sum/sum.go: what is to be replaced stands there 0 times`}, "0 planted, 0 caught", "1 could not be planted",
		},
		"what is to be replaced is there twice": {
			[]Mutant{bug("one", "return", "panic(1)", "TestSum")},
			[]string{`  1  Bug one\.  one: ERROR: sum/sum.go: what is to be replaced stands there 2 times`}, "0 planted, 0 caught", "1 could not be planted",
		},
		"no such test": {
			[]Mutant{bug("one", "a + b", wrong, "TestDifference")},
			[]string{`  1  Bug one\.  one: ERROR: no test ran`}, "0 planted, 0 caught", "1 could not be planted",
		},
		"an acceptance test that is skipped": {
			[]Mutant{bug("one", "a + b", wrong, "TestAcceptance")},
			[]string{`  1  Bug one\.  one: ERROR: no test ran`}, "0 planted, 0 caught", "1 could not be planted",
		},
		"tests that fail anyway": {
			[]Mutant{bug("one", "a + b", wrong, "TestBroken")},
			[]string{`  1  Bug one\.  one: ERROR: TestBroken fails in sum without any bug`}, "0 planted, 0 caught", "1 could not be planted",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, out := tinyBench(t)
			err := b.run(t.Context(), test.mutants)
			if (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
				t.Errorf("got error %v, want %q", err, test.err)
			}
			for _, line := range test.lines {
				if !regexp.MustCompile("(?m)^" + line).MatchString(out.String()) {
					t.Errorf("no line %q in\n%s", line, out)
				}
			}
			if !strings.Contains(out.String(), "\n\n"+test.sum+" (") {
				t.Errorf("no sum %q in\n%s", test.sum, out)
			}
			for name, content := range tiny {
				if now, err := os.ReadFile(filepath.Join(b.root, filepath.FromSlash(name))); err != nil || string(now) != content {
					t.Errorf("%s was changed: %s (%v)", name, now, err)
				}
			}
		})
	}
}

// A bug by which a test never ends is caught when the tests run out of time.
func TestBenchDoesNotWaitForEver(t *testing.T) {
	t.Parallel()
	b, out := tinyBench(t)
	b.forTests = 2 * time.Second
	endless := bug("one", "return a + b", "for a < 9 { b = -b }; return a + b", "TestSum")
	if err := b.run(t.Context(), []Mutant{endless}); err != nil {
		t.Error(err)
	}
	if !strings.Contains(out.String(), "caught by TestSum/of_one_and_two, which did not end") {
		t.Error(out)
	}
	b.forTests, b.forAll = time.Hour, 5*time.Second
	got := b.try(t.Context(), endless)
	if got.err == nil || !strings.Contains(got.err.Error(), "ended by force") {
		t.Errorf("got %v", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.run(ctx, []Mutant{bug("one", "a + b", "a", "TestSum")}); err == nil {
		t.Error("an interrupted run went well")
	}
}
