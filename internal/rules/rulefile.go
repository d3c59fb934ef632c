package rules

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// ID returns a hash of what the set means: 32 hexadecimal digits, the same for sets that answer every request alike
// because they differ only in blanks, order, other names or written-out defaults. Required plans do not count.
func (s *Set) ID() string {
	h := sha256.New()
	write(h, "hap rule set, version 1", string(s.syntax))
	canonical := make([]string, len(s.entries))
	for i := range s.entries {
		canonical[i] = s.entries[i].Canonical()
	}
	slices.Sort(canonical)
	write(h, canonical...)
	for _, name := range s.plans.names {
		write(h, append([]string{name}, slices.Sorted(slices.Values(s.plans.byName[name].hyperscalers))...)...)
	}
	write(h, slices.Sorted(maps.Keys(s.euAccessRegions))...)
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// write adds a list to a hash, with its length, so that no two sequences of lists look alike.
func write(h hash.Hash, values ...string) {
	fmt.Fprintln(h, len(values))
	for _, v := range values {
		fmt.Fprintf(h, "%q\n", v)
	}
}

// RuleFile returns the entries as the broker reads them: a YAML document with the key rule (seed 002, Rule Configuration).
// The entries stand as they were written, but the plan by its own name, as the broker has no aliases.
func (s *Set) RuleFile() string {
	var b strings.Builder
	b.WriteString("rule:\n")
	for i := range s.entries {
		b.WriteString("  - " + yamlString(s.entries[i].withPlanName()) + "\n")
	}
	return b.String()
}

// withPlanName returns the text of the entry with the plan's own name in place of an alias.
func (e *Entry) withPlanName() string {
	text := strings.TrimSpace(e.Text)
	first := lex(text, nil)[0]
	return e.Plan + text[len(first.text):]
}

// yamlString returns a YAML double-quoted scalar; the escapes of Go are among those of YAML. Without the quotes YAML would
// read an entry such as "free" as text but others, such as a plan named "null" or "on", as something else.
func yamlString(s string) string {
	return strconv.QuoteToASCII(s)
}
