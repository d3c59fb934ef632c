package report

// MaxBytes is the most bytes of a report. The summary page of a step takes 1 MiB on GitHub, and refuses more as a whole; the rest is for
// what else the step writes there.
const MaxBytes = 900_000

// The shares of the parts, in bytes. What remains of [MaxBytes] is for the title, the totals, the chart, and the sentences between.
const (
	poolsShare    = 150_000
	problemsShare = 400_000
	tenantsShare  = 130_000
	accountsShare = 180_000
	kindShare     = 6_000 // of each kind of problems, whatever the kinds before it take; they take the rest of the share of all
)

// The most characters of a name, and of a text about one account. Names of Kubernetes fit; a text that others write, such as an owner, may
// not.
const (
	maxCell   = 253
	maxReason = 100
	maxText   = 1200
)

// cut cuts a text short to so many characters.
func cut(text string, most int) string {
	n, last := 0, 0
	for at := range text {
		if n++; n == most {
			last = at
		}
		if n > most {
			return text[:last] + "…"
		}
	}
	return text
}

// cell is the text of a cell, harmless and of a bounded length.
func cell(text string) string { return escape(cut(text, maxCell)) }

// listed is a list in which the first few of what is found are named, and the rest is counted.
func listed(texts []string, most int) (some []string, more int) {
	if len(texts) <= most {
		return texts, 0
	}
	return texts[:most], len(texts) - most
}
