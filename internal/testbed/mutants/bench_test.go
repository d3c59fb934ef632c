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

// bug is a slip in the sum, or in another function.
func bug(name string, slip Slip, run string) Mutant {
	return Mutant{name, "Bug " + name + ".", "sum", "Sum", slip, unit("sum", run)}
}

func in(function string, m Mutant) Mutant { m.Func = function; return m }

// inGarden makes it a bug for tests that need the local Garden.
func inGarden(m Mutant) Mutant { m.Tests.Garden = true; return m }

func TestBench(t *testing.T) {
	t.Parallel()
	wrong := returns("a + b + 1")
	for name, test := range map[string]struct {
		mutants []Mutant
		lines   []string // patterns of the lines, in any order
		sum     string
		err     string // "" = none
	}{
		"caught": {
			[]Mutant{bug("one", wrong, "TestSum")},
			[]string{`  1  Bug one\.  caught by TestSum/of_one_and_two`}, "1 planted, 1 caught", "",
		},
		"caught by an acceptance test": {
			[]Mutant{inGarden(bug("one", wrong, "TestAcceptance"))},
			[]string{`  1  Bug one\.  caught by TestAcceptance`}, "1 planted, 1 caught", "",
		},
		"caught by a program that dies": {
			[]Mutant{bug("one", instead("a", "func() int { go func() { panic(a) }(); select {} }()").at(2), "TestSum")},
			[]string{`  1  Bug one\.  caught by TestSum/of_one_and_two(, which did not end)?`}, "1 planted, 1 caught", "",
		},
		"one survives": {
			[]Mutant{bug("one", wrong, "TestSum"), in("Unseen", bug("two", instead("true", "false"), "TestSum"))},
			[]string{`  1  Bug one\.  caught by TestSum/of_one_and_two`, `  2  Bug two\.  two: SURVIVED`},
			"2 planted, 1 caught", "1 survived, 0 could not be planted",
		},
		"one does not compile": {
			[]Mutant{bug("one", returns("a + c"), "TestSum"), bug("two", wrong, "TestSum")},
			[]string{`  1  Bug one\.  one: ERROR: it does not compile: .*sum\.go:3:\d+: undefined: c`, `  2  Bug two\.  caught by TestSum/of_one_and_two`},
			"1 planted, 1 caught", "0 survived, 1 could not be planted",
		},
		"what it is about is gone": {
			[]Mutant{bug("one", never("a"), "TestSum")},
			[]string{`  1  Bug one\.  one: ERROR: Sum in sum cannot have the bug: it has a condition with a 0 times`}, "0 planted, 0 caught", "1 could not be planted",
		},
		"the function is gone": {
			[]Mutant{in("Difference", bug("one", wrong, "TestSum"))},
			[]string{`  1  Bug one\.  one: ERROR: sum has 0 functions Difference instead of one`}, "0 planted, 0 caught", "1 could not be planted",
		},
		"no such test": {
			[]Mutant{bug("one", wrong, "TestDifference")},
			[]string{`  1  Bug one\.  one: ERROR: no test ran`}, "0 planted, 0 caught", "1 could not be planted",
		},
		"an acceptance test that is skipped": {
			[]Mutant{bug("one", wrong, "TestAcceptance")},
			[]string{`  1  Bug one\.  one: ERROR: no test ran`}, "0 planted, 0 caught", "1 could not be planted",
		},
		"tests that fail anyway": {
			[]Mutant{bug("one", wrong, "TestBroken")},
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
	endless := bug("one", instead("a", "func() int { for a < 9 { b = -b }; return a }()").at(2), "TestSum")
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
	if err := b.run(ctx, []Mutant{bug("one", returns("a"), "TestSum")}); err == nil {
		t.Error("an interrupted run went well")
	}
}
