package main

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
)

// group is a section of the page Troubleshooting.
type group struct {
	title   string
	intro   string // what holds for all entries; empty = nothing
	entries []entry
}

// entry is what the page says about one message, or about one problem of a pool.
type entry struct {
	title string // the first line of the message, or the kind of the problem
	cause string // what happened, or how to find out, in Markdown
	// remedy is what to do next, in Markdown; empty = what the message itself says, by the table of package diagnose.
	remedy string
}

// groups are the sections, in the order of the page.
func groups() []group {
	return []group{
		connection, settings, database, counting, selecting, identity, drift, destroying, imports, ruleSets, requests, supply, shoots, openMCP,
		credentials, faults, problems(),
	}
}

// troubleshooting is the part of the page that is written from the table.
func troubleshooting() string {
	sections := make([]string, 0, len(groups()))
	for _, g := range groups() {
		sections = append(sections, g.markdown())
	}
	return strings.Join(sections, "\n\n")
}

// markdown is a group with its heading.
func (g group) markdown() string {
	var text strings.Builder
	fmt.Fprintf(&text, "## %s\n", g.title)
	if g.intro != "" {
		fmt.Fprintf(&text, "\n%s\n", g.intro)
	}
	for _, e := range g.entries {
		fmt.Fprintf(&text, "\n### %s\n%s **Remedy.** %s", e.title, e.cause, e.next())
	}
	return text.String()
}

// next is the remedy of an entry.
func (e entry) next() string {
	if e.remedy != "" {
		return e.remedy
	}
	return markup(diagnose.Remedy(e.title))
}

var (
	// before is what a message puts before its remedy, or names beside what it says: the page leaves it out.
	before = regexp.MustCompile(`^%[sq]|, %[sq]`)
	// filled has what a message fills in, where an ellipsis would not say what it is: the ID of a claim, and a command.
	filled = strings.NewReplacer("%s/%s/%s", "`<global_account>/<binding_name>/<name>`",
		"Global Account/account/name", "`<global_account>/<binding_name>/<name>`",
		"kubectl annotate %s -n %s %s %s-", "`kubectl annotate <shoots or clusters> -n <namespace> <name> "+kube.ProtectionAnnotation+"-`")
	// verb is a place that differs from error to error.
	verb = regexp.MustCompile(`%[sq]`)
)

// typed is what a reader of a message types, or finds in a file: it becomes code.
var typed = regexp.MustCompile(strings.Join([]string{
	"`[^`]*`", // it is code already
	`\b[a-z][a-z_.]* = (?:\{[^}]*\}|"[^"]*"|\[\]|true|false|hap_[a-z_.…]*[a-z])`, // a setting
	`\bexport [A-Z_]+="[^"]*"`,
	`\bPG(?:[A-Z]+|\*)|\b[A-Z]+_[A-Z_]+[A-Z]`, // a variable
	`\B--?[a-z]+(?:[-=][a-z]+)*(?: scheduler\b)?`,
	`garden-<project>|yamlencode\(.*?\)\B|\bstate rm\b`,
	`\b[a-z.]+/operation: [a-z]+`,
	`\b[A-Za-z-]+(?:[._/]+[A-Za-z-]+)+(?:\.{3})?`, // a name, a file, an annotation
	`\b[a-z]+(?:Names?|Type|Access|Ref)\b`,        // a label, a field
}, "|"))

// markup is the plain text of a message as Markdown: what is typed as code, and what differs from error to error as an ellipsis.
func markup(text string) string {
	text = verb.ReplaceAllString(filled.Replace(before.ReplaceAllString(text, "")), "…")
	return typed.ReplaceAllStringFunc(text, func(found string) string {
		return "`" + strings.Trim(found, "`") + "`"
	})
}
