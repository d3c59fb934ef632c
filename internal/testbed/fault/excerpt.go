package fault

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
)

const (
	// excerptLines bounds an excerpt of a log.
	excerptLines = 80
	// besideOffending is how many requests about an account are shown on either side of one that offends.
	besideOffending = 12
)

// String is the request in one line: number, time, client, what on which version, and what became of it.
func (e Exchange) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "#%d %s", e.Number, e.Began.Format("15:04:05.000"))
	if !e.Ended.IsZero() {
		fmt.Fprintf(&b, " +%s", e.Ended.Sub(e.Began).Round(time.Millisecond))
	}
	fmt.Fprintf(&b, " %s %s %s", e.Client, e.Verb, e.Resource)
	if e.Name != "" {
		fmt.Fprintf(&b, "/%s", e.Name)
	}
	if e.Writes() {
		fmt.Fprintf(&b, " at version %s", cmp.Or(e.Version, "(any)"))
	}
	if e.Verb == "patch" { // an update names all that it keeps
		b.WriteString(changes(e.Labels) + changes(e.Annotations))
	}
	if e.Fault != "" {
		fmt.Fprintf(&b, " [%s]", e.Fault)
	}
	switch {
	case e.Code == 0 && e.Sent == 0:
		b.WriteString(" -> no answer")
	case e.Code == 0:
		fmt.Fprintf(&b, " -> the Garden was not asked, the client got %d", e.Sent)
	default:
		fmt.Fprintf(&b, " -> %d", e.Code)
		if e.Result != "" {
			fmt.Fprintf(&b, ", version %s", e.Result)
		}
		if e.Sent != e.Code {
			fmt.Fprintf(&b, ", the client got %s", cmp.Or(strings.TrimPrefix(fmt.Sprint(e.Sent), "0"), "nothing"))
		}
	}
	return b.String()
}

// changes lists what a patch asks for.
func changes(values map[string]*string) string {
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(values)) {
		value := ShortRecord(key, values[key])
		if key = ShortKey(key); value == nil {
			fmt.Fprintf(&b, " -%s", key)
		} else {
			fmt.Fprintf(&b, " %s=%q", key, *value)
		}
	}
	return b.String()
}

// ShortKey is the key of a label or an annotation; of the key of a record the part that differs from others.
func ShortKey(key string) string {
	if hash, is := strings.CutPrefix(key, testbed.RecordPrefix); is {
		return "claim-" + hash[:min(len(hash), 8)]
	}
	return key
}

// ShortRecord is the value of a label or an annotation; of a record the claim, and whether it is being released.
func ShortRecord(key string, text *string) *string {
	var r struct {
		Name           string `json:"name"`
		GlobalAccount  string `json:"globalAccount"`
		ReleasingSince string `json:"releasingSince"`
	}
	if !strings.HasPrefix(key, testbed.RecordPrefix) || text == nil || json.Unmarshal([]byte(*text), &r) != nil {
		return text
	}
	named := r.Name + " of " + r.GlobalAccount
	if r.ReleasingSince != "" {
		named += ", releasing"
	}
	return &named
}

// Excerpt shows the requests of a log that are picked, one a line; of more than 80 the last.
func Excerpt(log []Exchange, picks func(Exchange) bool) string {
	return ExcerptAt(log, len(log), picks)
}

// ExcerptAt is Excerpt that shows, of more than 80, those on either side of the request with a number.
func ExcerptAt(log []Exchange, number int, picks func(Exchange) bool) string {
	var lines []string
	middle := 0
	for _, x := range log {
		if !picks(x) {
			continue
		}
		lines = append(lines, x.String())
		if x.Number <= number {
			middle = len(lines)
		}
	}
	return LinesAround(lines, middle, excerptLines, "requests")
}

// Around shows the requests about an account that surround others, given by their numbers, and the lists of the clients that sent those.
func Around(log []Exchange, account string, numbers ...int) string {
	offends := func(x Exchange) bool { return slices.Contains(numbers, x.Number) }
	clients := map[string]bool{}
	var about []Exchange
	for _, x := range log {
		if offends(x) {
			clients[x.Client] = true
		}
	}
	for _, x := range log {
		if x.Resource == "credentialsbindings" && (x.Name == account || x.Name == "" && clients[x.Client]) {
			about = append(about, x)
		}
	}
	near := make([]bool, len(about))
	for i, x := range about {
		if offends(x) {
			for j := max(0, i-besideOffending); j < min(len(about), i+besideOffending+1); j++ {
				near[j] = true
			}
		}
	}
	var lines []string
	for i, x := range about {
		if near[i] {
			lines = append(lines, x.String())
		}
	}
	return LinesAround(lines, len(lines), excerptLines, "requests")
}

// LinesAround joins lines; of more than the most it shows those on either side of the middle, and says how many of what are left out.
func LinesAround(lines []string, middle, most int, what string) string {
	first := max(0, min(middle-most/2, len(lines)-most))
	last := min(first+most, len(lines))
	shown := slices.Clone(lines[first:last])
	if first > 0 {
		shown = slices.Insert(shown, 0, fmt.Sprintf("(%d %s before these are left out)", first, what))
	}
	if left := len(lines) - last; left > 0 {
		shown = append(shown, fmt.Sprintf("(%d %s after these are left out)", left, what))
	}
	return "  " + strings.Join(shown, "\n  ")
}
