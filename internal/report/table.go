package report

import (
	"fmt"
	"io"
	"regexp"
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

// fit drops the last rows until the table has at most so many bytes, and returns how many it has dropped.
func (t *table) fit(share, open int, more string) (dropped int) {
	all := len(t.rows)
	const least = len("| --: ") // of a cell
	t.rows = t.rows[:max(0, min(all, share/(least*len(t.titles))))]
	for len(t.rows) > 0 {
		var text strings.Builder
		if t.write(&text, open, more); text.Len() <= share {
			break
		}
		t.rows = t.rows[:len(t.rows)*3/4]
	}
	return all - len(t.rows)
}

// write writes the table. Rows beyond open are folded, in a table of their own.
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
	text = strings.Map(visible, text)
	for last := 0; ; {
		at := address.FindStringIndex(text[last:])
		if at == nil {
			escaper.WriteString(&out, text[last:]) //nolint:errcheck // a strings.Builder takes everything
			return out.String()
		}
		escaper.WriteString(&out, text[last:last+at[0]])                        //nolint:errcheck // as above
		fmt.Fprintf(&out, "`%s`", encoder.Replace(text[last+at[0]:last+at[1]])) // pages make no link of code
		last += at[1]
	}
}

// address is what a page makes a link of, without any brackets: a scheme with slashes after it, or a host that begins with www.
var address = regexp.MustCompile(`(?i)(?:[a-z][a-z0-9+.-]*:/|www\.)[^ ]*`)

var (
	escaper = strings.NewReplacer(`\`, `\\`, "|", `\|`, "`", "\\`", "*", `\*`, "~", `\~`, "<", `\<`, ">", `\>`, "[", `\[`, "]", `\]`)
	// encoder writes an address in code: there a backslash escapes nothing, so what would end the code, or the cell, is encoded.
	encoder = strings.NewReplacer("`", "%60", "|", "%7C", `\`, "%5C")
)

// visible is the character that is shown for one of a name: a space for white space and control characters, and U+FFFD for what cannot be
// seen, turns the direction of writing, or has no form of its own.
func visible(r rune) rune {
	switch {
	case r == ' ' || unicode.IsSpace(r) || unicode.IsControl(r):
		return ' '
	case !unicode.IsPrint(r), r == brailleBlank, unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector):
		return utf8.RuneError
	}
	return r
}

// brailleBlank is a pattern without dots.
const brailleBlank = '\u2800'
