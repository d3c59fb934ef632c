package strict

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
)

type object struct {
	Name  string            `json:"name"`
	Names []string          `json:"names"`
	Any   map[string]string `json:"any"`
}

// A text whose aliases become more than is allowed is refused before it is written out, and the error names the bound.
func TestReadIsBounded(t *testing.T) { //nolint:paralleltest // counts all that is allocated
	aliases := func(n int, name string) string { return strings.Repeat(", *"+name, n) }
	laughs := "l0: &l0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := range 9 {
		laughs += fmt.Sprintf("l%d: &l%d [%s]\n", i+1, i+1, strings.TrimPrefix(aliases(10, fmt.Sprintf("l%d", i)), ", "))
	}
	for name, tt := range map[string]struct{ text, want string }{
		"5,000 aliases of a long text": {
			"name: &n " + strings.Repeat("x", 700_000) + "\nnames: [a" + aliases(5_000, "n") + "]", "expand to more than 1048576 bytes"},
		"aliases of aliases": {laughs, "expand to more than 1048576 bytes"},
		"aliases as keys": {
			"a: &n " + strings.Repeat("x", 700_000) + "\nb: [{*n : 1}, {*n : 1}, {*n : 1}]", "expand to more than 1048576 bytes"},
		"merged objects": {
			"a: &n {k: " + strings.Repeat("x", 700_000) + "}\nb: {<<: *n}\nc: {<<: *n}", "expand to more than 1048576 bytes"},
		"a text above the bound":    {"name: " + strings.Repeat("x", MaxSize), "it has 1048582 bytes, and no more than 1048576 are read"},
		"an anchor within itself":   {"name: &n [*n]", "contains itself"},
		"an alias without anchor":   {"name: & *n", ""},
		"parentheses without end":   {"names: &a [*a, " + strings.Repeat("[", 100_000), "exceeded max depth"},
		"what is no YAML":           {"&a *b: [", ""},
		"a long unknown field":      {"? " + strings.Repeat("x", 500_000) + "\n: 1", "knows no such field"},
		"many unknown fields":       {manyFields(100_000), "more problems"},
		"a long value of a type":    {"names: {? " + strings.Repeat("x", 500_000) + " : 1}", "a JSON object"},
		"a long key twice":          {strings.Repeat("x: 1\n", 100_000), "already set in map"},
		"a long key that is double": {strings.Repeat("? "+strings.Repeat("x", 400_000)+"\n: 1\n", 2), `key "xxx`},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		written, problems := Read(tt.text, &object{}, Source{Owner: "Gardener", Shape: "it is no object"})
		said := InLines(problems)
		runtime.ReadMemStats(&after)
		if len(problems) == 0 || !strings.Contains(said, tt.want) {
			t.Errorf("%s: %d fields are read, %q, want %q", name, len(written), said, tt.want)
		}
		if len(said) > (MaxProblems+1)*3*MaxQuoted {
			t.Errorf("%s: %d bytes are said", name, len(said))
		}
		if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 256<<20 {
			t.Errorf("%s: %d MB", name, allocated>>20)
		}
	}
}

func manyFields(n int) string {
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, "f%d: 1\n", i)
	}
	return text.String()
}

// Aliases that people write are read, and so are the two characters in a text.
func TestReadTakesAliases(t *testing.T) {
	t.Parallel()
	var o object
	written, problems := Read("name: &n blue\nnames: [*n, *n]\nany: {note: 'salt & pepper, 2 * 3'}", &o, Source{Owner: "Gardener"})
	if len(problems) > 0 || len(written) != 3 || o.Names[1] != "blue" || o.Any["note"] != "salt & pepper, 2 * 3" {
		t.Errorf("read %+v, %v", o, problems)
	}
	if _, problems := ToJSON(`{"name": "a & b * c"}`); len(problems) > 0 {
		t.Error(problems)
	}
}

// The error says which of the two is too large.
func TestBounded(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]SizeError{
		"aaaaaaaaaaa":             {Bytes: 11, Most: 10},
		"&a b: [*a, *a]":          {},
		"a: &a xxxx\nb: [*a, *a]": {Bytes: 22, Most: 40, Aliases: true},
	} {
		most := max(want.Most, 10)
		if want == (SizeError{}) {
			most = 100
		}
		err := Bounded([]byte(text), most)
		var size *SizeError
		if errors.As(err, &size) != (want != SizeError{}) || size != nil && *size != want {
			t.Errorf("%q within %d: %v, want %+v", text, most, err, want)
		}
	}
}
