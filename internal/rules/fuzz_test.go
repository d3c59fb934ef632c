package rules_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

// FuzzCompile feeds one entry in both syntaxes: no panic, every problem within the text, and the normal form of a valid
// entry means the same as the entry.
func FuzzCompile(f *testing.F) {
	for _, text := range []string{
		"gcp(PR=cf-sa30,HR=*,shared,euAccess=*)", "aws(PR=cf-eu11, HR=westeu) -> EU, S, PR, HR", "gcp(PR=", "-> S", "*:a;b",
		"gcp((=,)->", "ä(ö=ü)", "gcp(PR=a=b,,) x", "\xff(\x00)", "trial()", "openstack(CR)", "gcp(PR cf sa30)->->,",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, syntax := range []rules.Syntax{attribute, arrow} {
			set, problems := rules.Compile(rules.Source{Syntax: syntax, Entries: []string{text}})
			for _, p := range problems {
				if p.Column < 1 || p.Column > utf8.RuneCountInString(text)+1 || p.Entries[0] != 1 || p.Message == "" {
					t.Errorf("%s: Compile(%q) reports %+v", syntax, text, p)
				}
				if lines := strings.Split(p.Detail(), "\n"); len(lines) < 3 || len(lines) > 4 {
					t.Errorf("%s: Compile(%q) reports %d lines: %q", syntax, text, len(lines), p.Detail())
				}
			}
			if set == nil {
				if !problems.HasErrors() {
					t.Errorf("%s: Compile(%q) gives neither a set nor an error", syntax, text)
				}
				continue
			}
			canonical := set.Entries()[0].Canonical()
			again, problems := rules.Compile(rules.Source{Syntax: syntax, Entries: []string{canonical}})
			if again == nil {
				t.Fatalf("%s: the normal form %q of %q: %v", syntax, canonical, text, problems)
			}
			if got := again.Entries()[0].Canonical(); got != canonical || again.ID() != set.ID() {
				t.Errorf("%s: the normal form %q of %q has the normal form %q", syntax, canonical, text, got)
			}
		}
	})
}
