package main

import (
	"fmt"
	"slices"
	"strings"
)

// section is a table of the page: what some parts have measured.
type section struct {
	title, text string
	parts       []string
}

// sections are the tables of the page, in their order.
var sections = []section{
	{"Counting and selecting", "One count serves all claims of a run. Its floor is the same bytes read and dropped; two other ways to do it " +
		"are measured too: the typed decoder with protobuf, and the dynamic client with JSON, as the broker's own code does.",
		[]string{"shoots", "selection"}},
	{"The status of a pool", "All that `hap_pool_status` has. The floor is to list the accounts and to count the clusters, and to make " +
		"nothing of them.",
		[]string{"status"}},
	{"The broker's database", "The floor is `count(*)` in `psql`. The count reads the view of `examples/rbac/database.sql`: PostgreSQL runs " +
		"the function behind it in one process, and looks for suspended clusters in the parameters of each row.",
		[]string{"database"}},
	{"Claims", "The claims are made by `for_each` over a map in a `local`. The floor is as many `terraform_data`, which OpenTofu keeps by " +
		"itself, and in a large landscape its lists beside them, read once and dropped. A release writes twice, and needs a list that begins " +
		"after its first write: one for all releases that the CLI has begun by then, ten by default (`-parallelism`).",
		[]string{"claims"}},
	{"Claims where Gardener checks references", "As in production, gardener-apiserver sends two requests of its own for each write of a " +
		"binding, five a second: see [How long many claims take](claims.md#how-long-many-claims-take). The floor is a plain client with as " +
		"many writes.",
		[]string{"references"}},
	{"Clusters", "The floor is a plain client that makes the same Shoots and waits as long. A stand-in for the gardenlet brings each " +
		"cluster up at once; most of the time is its own and Gardener's.",
		[]string{"clusters"}},
	{"Requests through openMCP", "The floor is a plain client that sends the same writes and waits as long. Scheduler and cluster provider " +
		"answer at once: the real operator limits its own rate, and grants 100 requests in more than a minute. Users may list no Secrets, so " +
		"the Secret of each access is read by itself.",
		[]string{"platform"}},
}

// aboutRival is said of the claims where another provider was measured beside them.
const aboutRival = " " + rivalLabels + " sets one label on each of as many accounts, which its configuration names: it chooses none, and " +
	"counts no clusters."

// column is one of a table; it is left out where no row has anything in it.
type column struct {
	title string
	of    func(r, floor row) string
}

var columns = []column{
	{"Wall", func(r, _ row) string { return seconds(r.Wall) }},
	{"Of the floor", func(r, floor row) string { return times(r.Wall, floor.Wall) }},
	{"CPU", func(r, _ row) string { return seconds(r.CPU) }},
	{"Of it the provider", func(r, _ row) string { return seconds(r.ProviderCPU) }},
	{"Requests", func(r, _ row) string { return or(r.Requests > 0, thousands(r.Requests)) }},
	{"Received", func(r, _ row) string { return megabytes(r.Received) }},
	{"Wire", func(r, _ row) string { return megabytes(r.Wire) }},
	{"Allocated", func(r, _ row) string { return megabytes(r.Allocated) }},
	{"Peak", func(r, _ row) string { return megabytes(r.PeakMemory) }},
}

// caption says how and on what all of it was measured.
func (r report) caption() string {
	tofu := fmt.Sprintf("of %d", timed(r.Rounds, 1))
	if slices.ContainsFunc(r.Rows, func(row row) bool { return row.Objects > manyObjects }) {
		tofu += fmt.Sprintf(", with more than %d objects of %d, which counts requests too", manyObjects, timed(r.Rounds, manyObjects+1))
	}
	return fmt.Sprintf("Best of %d (commands of `tofu`: %s), each in a process of its own, with nothing else running, on %s.",
		r.Rounds, tofu, r.Machine)
}

// text is all that was measured, a table for each section.
func (r report) text() string {
	var b strings.Builder
	b.WriteString(r.caption() + "\n")
	for _, s := range sections {
		var own []row
		for _, row := range r.Rows {
			if slices.Contains(s.parts, row.Part) {
				own = append(own, row)
			}
		}
		if len(own) == 0 {
			continue
		}
		if strings.Contains(fmt.Sprint(own), rivalLabels) {
			s.text += aboutRival
		}
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n%s", s.title, s.text, table(own))
	}
	return b.String()
}

// pageText is the page around the chart and the tables. Its quotes are made grave accents.
const pageText = `---
page_title: "Performance"
subcategory: "Accounts and claims"
description: |-
  What counting, selecting, claiming, clusters and requests cost, each beside its floor: the same work without the provider.
---

# Performance

Each figure is beside its floor, which is the same work without the provider, measured in the same run.

![Seconds and requests of the provider and of its floors](%s)

%s

## Measuring again

'make bench KUBERNETES_PROVIDER=<path>' measures all of it again in one run, with the program of hashicorp/kubernetes at that path, and
leaves hashicorp/kubernetes out where no path is given. It writes 'bench/latest.json', and makes this page, the chart and the figures of
the README of that file. 'make figures RESULTS=bench/latest.json' makes them of the results of an earlier run.
'make bench BENCH="-only claims -claims 500 -rounds 1"' measures a part alone, and prints it.

A run keeps what the Go benchmarks print in 'bench/benchmarks.txt', in the form that 'benchstat' reads. 'make bench-compare BASE=<commit>'
runs the Go benchmarks of a commit and of the working tree, and compares them by 'benchstat'.
`

// page is the page of the documentation with all figures.
func (r report) page() string {
	return fmt.Sprintf(strings.ReplaceAll(pageText, "'", "`"), chartURL, strings.TrimSpace(r.text()))
}

func table(rows []row) string {
	floors := map[string]row{}
	for _, r := range rows {
		floors[r.What] = r
	}
	var used []column
	for _, c := range columns {
		if slices.ContainsFunc(rows, func(r row) bool { return c.of(r, floors[r.Floor]) != "" }) {
			used = append(used, c)
		}
	}
	var b strings.Builder
	b.WriteString("| What |")
	for _, c := range used {
		fmt.Fprintf(&b, " %s |", c.title)
	}
	b.WriteString("\n|---|" + strings.Repeat("--:|", len(used)) + "\n")
	for _, row := range rows {
		fmt.Fprintf(&b, "| %s |", row.What)
		for _, c := range used {
			fmt.Fprintf(&b, " %s |", c.of(row, floors[row.Floor]))
		}
		b.WriteString("\n")
	}
	return b.String()
}
