package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// The figures that the repository shows: what was measured, the page of the documentation and the chart that are made of it.
const (
	figuresFile = "assets/performance.json"
	pageFile    = "templates/guides/performance.md.tmpl"
	chartFile   = "assets/performance.svg"
	chartURL    = "https://raw.githubusercontent.com/hap-project/terraform-provider-hap/main/" + chartFile
)

// publish makes page and chart of the figures in a source tree.
func publish(root string) error {
	content, err := os.ReadFile(filepath.Join(root, figuresFile))
	if err != nil {
		return err
	}
	var r report
	if err := json.Unmarshal(content, &r); err != nil {
		return fmt.Errorf("%s: %w", figuresFile, err)
	}
	for file, text := range map[string]string{pageFile: r.page(), chartFile: r.chart()} {
		if err := os.WriteFile(filepath.Join(root, file), []byte(text), 0o644); err != nil { //nolint:gosec // files of the source tree
			return err
		}
	}
	return nil
}

// section is a table of the page.
type section struct {
	title, text string
	has         func(row) bool
}

// sections are the tables of the page, in their order. A row is in the first that has it.
var sections = []section{
	{"Counting and selecting", "One count serves all claims of a run. Its floor is the same bytes read and dropped; two other ways to do it " +
		"are measured too: the typed decoder with protobuf, and the dynamic client with JSON, as the broker's own code does.",
		func(r row) bool {
			return r.ProviderCPU == 0 && strings.Contains(r.What, "Shoots") && !commanded(r) || r.What == "The program itself"
		}},
	{"The broker's database", "The floor is `count(*)` in `psql`.",
		func(r row) bool { return strings.Contains(r.What, "rows of the broker's table") }},
	{"Claims", "The claims are made by `for_each` over a map in a `local`. The floor is as many `terraform_data`, which OpenTofu keeps by " +
		"itself.",
		func(r row) bool {
			return strings.Contains(r.What, "terraform_data") || strings.Contains(r.What, "claim")
		}},
	{"Clusters", "The floor is a plain client that makes the same Shoots and waits as long. A stand-in for the gardenlet brings each " +
		"cluster up at once; most of the time is its own and Gardener's.",
		func(r row) bool { return strings.Contains(r.What, "clusters") }},
	{"Requests through openMCP", "The floor is a plain client that sends the same writes and waits as long. Scheduler and cluster provider " +
		"answer at once: the real operator limits its own rate, and grants 100 requests in more than a minute. Users may list no Secrets, so " +
		"the Secret of each access is read by itself.",
		func(row) bool { return true }},
}

// commanded reports whether a row is a command of tofu, or the floor of one.
func commanded(r row) bool {
	for _, step := range []string{": apply", ": plan without changes", ": destroy"} {
		if strings.HasSuffix(r.What, step) {
			return true
		}
	}
	return false
}

// column is one of a table; it is left out where no row has anything in it.
type column struct {
	title string
	of    func(row) string
}

var columns = []column{
	{"Wall", func(r row) string { return seconds(r.Wall) }},
	{"CPU", func(r row) string { return seconds(r.CPU) }},
	{"Of it the provider", func(r row) string { return seconds(r.ProviderCPU) }},
	{"Requests", func(r row) string { return or(r.Requests > 0, thousands(r.Requests)) }},
	{"Received", func(r row) string { return megabytes(r.Received) }},
	{"Wire", func(r row) string { return megabytes(r.Wire) }},
	{"Allocated", func(r row) string { return megabytes(r.Allocated) }},
	{"Peak", func(r row) string { return megabytes(r.PeakMemory) }},
}

// page is the page of the documentation with all figures.
func (r report) page() string {
	var b strings.Builder
	fmt.Fprintf(&b, `---
page_title: "Performance"
subcategory: "Accounts and claims"
description: |-
  What counting, selecting, claiming, clusters and requests cost, each beside its floor: the same work without the provider.
---

# Performance

Each figure is beside its floor, which is the same work without the provider, measured in the same run.

![Seconds and requests of the provider and of its floors](%s)

Best of %d (commands of `+"`tofu`"+`: of %d), each in a process of its own, with nothing else running, on %s.
`+"`make bench`"+` measures again and writes this page and the chart.
`, chartURL, r.Rounds, min(r.Rounds, tofuRounds), r.Machine)
	left := r.Rows
	for _, s := range sections {
		var own, others []row
		for _, row := range left {
			if s.has(row) {
				own = append(own, row)
			} else {
				others = append(others, row)
			}
		}
		left = others
		if len(own) > 0 {
			fmt.Fprintf(&b, "\n## %s\n\n%s\n\n%s", s.title, s.text, table(own))
		}
	}
	return b.String()
}

func table(rows []row) string {
	var used []column
	for _, c := range columns {
		for _, row := range rows {
			if c.of(row) != "" {
				used = append(used, c)
				break
			}
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
			fmt.Fprintf(&b, " %s |", c.of(row))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// pair is a command of tofu and its floor.
type pair struct {
	what        string
	floor, ours row
}

// pairs are the commands for a hundred objects, each with its floor, which comes right before it.
func (r report) pairs() (all []pair) {
	for i := 1; i < len(r.Rows); i++ {
		floor, ours := r.Rows[i-1], r.Rows[i]
		_, step, isFloor := strings.Cut(floor.What, " (the floor): ")
		what, isOurs := strings.CutSuffix(ours.What, ": "+step)
		if isFloor && isOurs && strings.HasPrefix(what, "100 ") {
			what, _, _ = strings.Cut(what, ",")
			all = append(all, pair{what + ": " + step, floor, ours})
		}
	}
	return all
}

// The chart: two panels side by side, a bar for ours and one for the floor in each row. The colours can be read on white and on black.
const (
	chartLeft, chartPanel, chartGap = 250, 280, 100
	chartTop, chartRow, chartBar    = 64, 34, 12
	chartWidth                      = chartLeft + 2*chartPanel + 2*chartGap
	oursColour, floorColour         = "#3b82f6", "#9ca3af"
	textColour                      = "#6b7280"
)

func (r report) chart() string {
	pairs := r.pairs()
	height := chartTop + chartRow*len(pairs) + 16
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="system-ui, sans-serif" font-size="12"
  fill="%s" role="img">
<title>Seconds and requests of the provider and of its floors</title>
`, chartWidth, height, textColour)
	for i, panel := range []struct {
		title string
		value func(row) float64
		text  func(row) string
	}{
		{"Seconds", func(r row) float64 { return r.Wall.Seconds() }, func(r row) string { return seconds(r.Wall) }},
		{"Requests", func(r row) float64 { return float64(r.Requests) }, func(r row) string { return thousands(r.Requests) }},
	} {
		x := chartLeft + i*(chartPanel+chartGap)
		fmt.Fprintf(&b, "<text x=\"%d\" y=\"24\" font-weight=\"600\">%s</text>\n", x, panel.title)
		for k, legend := range []struct{ colour, text string }{{oursColour, "the provider"}, {floorColour, "the floor"}} {
			at := x + 110*k
			fmt.Fprintf(&b, "<rect x=\"%d\" y=\"36\" width=\"10\" height=\"10\" fill=\"%s\"/><text x=\"%d\" y=\"45\">%s</text>\n",
				at, legend.colour, at+15, legend.text)
		}
		most := 1e-9
		for _, p := range pairs {
			most = max(most, panel.value(p.ours), panel.value(p.floor))
		}
		for n, p := range pairs {
			y := chartTop + n*chartRow
			if i == 0 {
				fmt.Fprintf(&b, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n", chartLeft-10, y+chartBar+4, p.what)
			}
			for k, of := range []struct {
				row    row
				colour string
			}{{p.ours, oursColour}, {p.floor, floorColour}} {
				width := max(1, int(panel.value(of.row)/most*chartPanel))
				top := y + k*(chartBar+1)
				fmt.Fprintf(&b, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"/><text x=\"%d\" y=\"%d\" font-size=\"10\">%s</text>\n",
					x, top, width, chartBar, of.colour, x+width+5, top+chartBar-2, panel.text(of.row))
			}
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}
