package main

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
)

// digest hides what a reader skips in the output of `tofu apply` or `terraform apply`: several hundred lines of a plan that
// say "known after apply", what is being read, and the warning that the provider is the one just built. Should either
// program word them differently one day, they are simply shown.
type digest struct {
	out  io.Writer
	rest []byte
	skip *section
}

// section begins with a line and ends where the next line begins like one of ends.
type section struct {
	begin string
	ends  []string
}

var hidden = []section{
	{"Warning: Provider development overrides are in effect", []string{"OpenTofu ", "Terraform ", "hap_", "data.hap_"}},
	{"OpenTofu used the selected providers to generate", []string{"Plan:", "No changes"}},
	{"Terraform used the selected providers to generate", []string{"Plan:", "No changes"}},
	{"Changes to Outputs:", []string{"hap_", "data.hap_", "Apply complete", "Destroy complete"}},
	// The last of the outputs of each landscape, shown by itself afterwards.
	{"report = ", nil},
	{"operator_config = ", nil},
}

// reading are lines of which there are many and which say nothing. The two programs word some of them differently.
var reading = []string{
	": Reading...", ": Read complete after", ": Refreshing state...", ": Opening...", ": Closing...", ": Closing complete", ": Close complete",
	": Configuration unknown, deferring...", ": Deferred due to",
}

// Write takes the output as it comes.
func (d *digest) Write(p []byte) (int, error) {
	d.rest = append(d.rest, p...)
	for {
		line, rest, complete := bytes.Cut(d.rest, []byte("\n"))
		if !complete {
			return len(p), nil
		}
		d.rest = rest
		d.line(string(line))
	}
}

// flush shows a last line without an end.
func (d *digest) flush() {
	if len(d.rest) > 0 {
		d.line(string(d.rest))
		d.rest = nil
	}
}

func (d *digest) line(line string) {
	startsWith := func(prefix string) bool { return strings.HasPrefix(line, prefix) }
	if d.skip != nil && (startsWith("Error:") || startsWith("Warning:") || slices.ContainsFunc(d.skip.ends, startsWith)) {
		d.skip = nil
	}
	if begun := slices.IndexFunc(hidden, func(s section) bool { return startsWith(s.begin) }); begun >= 0 {
		d.skip = &hidden[begun]
	}
	says := func(words string) bool { return strings.Contains(line, words) }
	if d.skip == nil && !slices.ContainsFunc(reading, says) {
		fmt.Fprintln(d.out, line)
	}
}
