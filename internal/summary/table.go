package summary

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// column is the head of one column of a table.
type column struct {
	title string
	right bool // aligned to the right, as numbers are
}

// table is a Markdown table whose columns are aligned in the text, too.
type table struct {
	columns []column
	rows    [][]string
}

// row adds a row of escaped texts, one per column.
func (t *table) row(cells ...string) { t.rows = append(t.rows, cells) }

func (t *table) write(out io.Writer) {
	widths := make([]int, len(t.columns))
	titles, rules := make([]string, len(t.columns)), make([]string, len(t.columns))
	for i, c := range t.columns {
		titles[i], widths[i] = c.title, max(len("--:"), utf8.RuneCountInString(c.title))
		for _, row := range t.rows {
			widths[i] = max(widths[i], utf8.RuneCountInString(row[i]))
		}
		rules[i] = strings.Repeat("-", widths[i])
		if c.right {
			rules[i] = rules[i][1:] + ":"
		}
	}
	for _, row := range append([][]string{titles, rules}, t.rows...) {
		for i, cell := range row {
			space := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if t.columns[i].right {
				cell = space + cell
			} else {
				cell += space
			}
			fmt.Fprintf(out, "| %s ", cell)
		}
		fmt.Fprintln(out, "|")
	}
}

// escape makes a text that somebody else has chosen harmless in Markdown, in a table and on a terminal. Underscores stay
// as they are: within a word, as in the names of pools, they mean nothing.
func escape(text string) string {
	var out strings.Builder
	for _, r := range text {
		switch {
		case unicode.IsControl(r):
			out.WriteByte(' ')
			continue
		case strings.ContainsRune("\\|`*~<>[]", r):
			out.WriteByte('\\')
		}
		out.WriteRune(r)
	}
	return out.String()
}
