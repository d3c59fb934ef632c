package main

import (
	"fmt"
	"strings"
)

// bars are a command of tofu with its floor, and with hashicorp/kubernetes where it was measured.
type bars struct {
	what        string
	ours, floor row
	rival       *row
}

// chartLeast and chartMost are of how many objects the chart shows the commands: fewer take no time, and beside more the others would be
// too short to see.
const chartLeast, chartMost = 100, manyObjects

// bars are those of the chart, in the order of the rows.
func (r report) bars() (all []bars) {
	floors, rivals := map[string]row{}, map[string]*row{}
	for i, row := range r.Rows {
		floors[row.What] = row
		if strings.Contains(row.What, rivalLabels) {
			rivals[row.Floor] = &r.Rows[i]
		}
	}
	for _, row := range r.Rows {
		shown := row.Objects >= chartLeast && row.Objects <= chartMost && !strings.Contains(row.What, "-parallelism=")
		if !shown || row.Floor == "" || strings.Contains(row.What, rivalLabels) {
			continue
		}
		what, step, _ := strings.Cut(row.What, ": ")
		what, _, _ = strings.Cut(what, ", ")
		all = append(all, bars{what + ": " + step, row, floors[row.Floor], rivals[row.Floor]})
	}
	return all
}

// The chart: two panels side by side, in each row a bar for ours, one for the floor, and one for the rival where it was measured.
// The colours can be read on white and on black.
const (
	chartLeft, chartPanel, chartGap = 250, 280, 100
	chartTop, chartBar, chartSpace  = 64, 12, 9
	chartWidth                      = chartLeft + 2*chartPanel + 2*chartGap
	oursColour, floorColour         = "#3b82f6", "#9ca3af"
	rivalColour                     = "#d97706"
	textColour                      = "#6b7280"
)

// bar is one of a row of the chart.
type bar struct {
	row
	colour string
}

// each are the bars of a row, from top to bottom.
func (p bars) each() []bar {
	each := []bar{{p.ours, oursColour}, {p.floor, floorColour}}
	if p.rival != nil {
		each = append(each, bar{*p.rival, rivalColour})
	}
	return each
}

// panels are what the chart shows of each row.
var panels = []struct {
	title string
	value func(row) float64
	text  func(row) string
}{
	{"Seconds", func(r row) float64 { return r.Wall.Seconds() }, func(r row) string { return seconds(r.Wall) }},
	{"Requests", func(r row) float64 { return float64(r.Requests) }, func(r row) string { return thousands(r.Requests) }},
}

func (r report) chart() string {
	all, height := r.bars(), chartTop
	legend := []struct{ colour, text string }{{oursColour, "the provider"}, {floorColour, "the floor"}}
	for _, p := range all {
		height += len(p.each())*(chartBar+1) + chartSpace
		if p.rival != nil && len(legend) == 2 {
			legend = append(legend, struct{ colour, text string }{rivalColour, "hashicorp/kubernetes"})
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="system-ui, sans-serif" font-size="12"
  fill="%s" role="img">
<title>Seconds and requests of the provider and of its floors</title>
`, chartWidth, height+chartSpace, textColour)
	for i, panel := range panels {
		x, y, most := chartLeft+i*(chartPanel+chartGap), chartTop, 1e-9
		fmt.Fprintf(&b, "<text x=\"%d\" y=\"24\" font-weight=\"600\">%s</text>\n", x, panel.title)
		for k, of := range legend {
			at := x + 105*k
			fmt.Fprintf(&b, "<rect x=\"%d\" y=\"36\" width=\"10\" height=\"10\" fill=\"%s\"/><text x=\"%d\" y=\"45\">%s</text>\n",
				at, of.colour, at+15, of.text)
		}
		for _, p := range all {
			for _, of := range p.each() {
				most = max(most, panel.value(of.row))
			}
		}
		for _, p := range all {
			if i == 0 {
				fmt.Fprintf(&b, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n", chartLeft-10, y+chartBar+4, p.what)
			}
			for _, of := range p.each() {
				width := max(1, int(panel.value(of.row)/most*chartPanel))
				fmt.Fprintf(&b, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"/><text x=\"%d\" y=\"%d\" font-size=\"10\">%s</text>\n",
					x, y, width, chartBar, of.colour, x+width+5, y+chartBar-2, panel.text(of.row))
				y += chartBar + 1
			}
			y += chartSpace
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}
