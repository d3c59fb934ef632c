package report

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// table is a Markdown table whose columns are aligned in the text, too.
type table struct {
	titles []string
	right  []bool // the column is aligned to the right, as numbers are
	rows   [][]string
}

// newTable returns a table without rows. A title that ends in a colon makes a column that is aligned to the right.
func newTable(titles ...string) *table {
	t := &table{}
	for _, title := range titles {
		title, right := strings.CutSuffix(title, ":")
		t.titles, t.right = append(t.titles, title), append(t.right, right)
	}
	return t
}

// row adds a row of escaped texts, one per column.
func (t *table) row(cells ...string) { t.rows = append(t.rows, cells) }

// write writes the table. Rows behind so many are folded, in a table of their own.
func (t *table) write(out io.Writer, open int, more string) {
	if len(t.rows) <= open {
		t.part(out, t.rows)
		return
	}
	t.part(out, t.rows[:open])
	fmt.Fprintf(out, "\n<details><summary>%d %s</summary>\n\n", len(t.rows)-open, more)
	t.part(out, t.rows[open:])
	fmt.Fprint(out, "\n</details>\n")
}

// part writes some of the rows; the columns are as wide as in the whole table.
func (t *table) part(out io.Writer, rows [][]string) {
	widths, rules := make([]int, len(t.titles)), make([]string, len(t.titles))
	for i, title := range t.titles {
		widths[i] = max(len("--:"), utf8.RuneCountInString(title))
		for _, row := range t.rows {
			widths[i] = max(widths[i], utf8.RuneCountInString(row[i]))
		}
		rules[i] = strings.Repeat("-", widths[i])
		if t.right[i] {
			rules[i] = rules[i][1:] + ":"
		}
	}
	for _, row := range append([][]string{t.titles, rules}, rows...) {
		for i, cell := range row {
			space := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if t.right[i] {
				cell = space + cell
			} else {
				cell += space
			}
			fmt.Fprintf(out, "| %s ", cell)
		}
		fmt.Fprintln(out, "|")
	}
}

// escape makes a name from outside harmless in Markdown, in a table and on a terminal. Underscores stay as they are:
// within a word, as in the names of pools, they mean nothing.
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
