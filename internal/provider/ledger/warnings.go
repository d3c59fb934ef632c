package ledger

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

const (
	// severalGap is how long the last operation in flight waits for another one to begin, where Terraform was seen to run several at once.
	// Between the answer to one and the request for the next it only writes the state.
	severalGap = 2 * time.Second
	// loneGap is the same where operations came one by one: there is only one, or -parallelism=1.
	loneGap = 100 * time.Millisecond
)

// Warnings gathers what the operations of one kind in a run warn of, such as its deletes, so that objects which meet the same fate are
// reported once, each by name. Terraform shows the first of many warnings with the same summary and only counts the others: of forty
// accounts it would name one.
//
// An operation that ends leaves its warnings to those still in flight, and the last one in flight reports them all. That one alone waits,
// where there is something to report. Nothing is lost: each operation checks at its end whether it is the last, after an error or Ctrl-C as
// well. The zero value is ready.
type Warnings struct {
	mu       sync.Mutex
	inFlight int
	several  bool      // two operations were in flight at the same time
	moved    time.Time // when the last operation began or ended
	gathered []Warning
	ended    map[string]bool
}

// Warning is what one operation warns of.
type Warning struct {
	Summary string
	One     string // the whole text where it is alone
	// Many follows the number of those that say the same, and item is this one in their list.
	Many, Item string
	// Unless drops the warning where this run has ended what has this key; empty = it stays.
	Unless string
}

// Begin notes that an operation begins.
func (w *Warnings) Begin() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.inFlight++
	w.several, w.moved = w.several || w.inFlight > 1, time.Now()
}

// Add leaves a warning to the last operation in flight. What is alike in all is one.
func (w *Warnings) Add(warning Warning) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !slices.Contains(w.gathered, warning) {
		w.gathered = append(w.gathered, warning)
	}
}

// Ended notes that this run has ended what has this key, see [Warning].
func (w *Warnings) Ended(key string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended == nil {
		w.ended = map[string]bool{}
	}
	w.ended[key] = true
}

// End notes that an operation ends. The last one in flight reports all warnings; it waits a moment for another one to begin, unless the run
// is interrupted.
func (w *Warnings) End(ctx context.Context, diags *diag.Diagnostics) {
	w.mu.Lock()
	w.moved = time.Now()
	w.mu.Unlock()
	for ; !w.leave(ctx.Err() != nil, diags); time.Sleep(pause) {
	}
}

// leave takes an operation from those in flight. It does not where it is the last, has something to report, and has not waited for others.
func (w *Warnings) leave(interrupted bool, diags *diag.Diagnostics) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	gap := loneGap
	if w.several {
		gap = severalGap
	}
	pending := slices.DeleteFunc(slices.Clone(w.gathered), func(g Warning) bool { return w.ended[g.Unless] })
	switch {
	case w.inFlight > 1: // another one reports them
	case len(pending) > 0 && !interrupted && time.Since(w.moved) < gap:
		return false
	default:
		w.gathered = nil
		report(diags, pending)
	}
	w.inFlight--
	return true
}

// report makes one diagnostic of all warnings with the same summary, and in it one list of all that say the same.
func report(diags *diag.Diagnostics, warnings []Warning) {
	var summaries []string
	paragraphs := map[string][]string{} // by summary
	for len(warnings) > 0 {
		first := warnings[0]
		var alike, others []Warning
		for _, w := range warnings {
			if w.Summary == first.Summary && w.Many == first.Many {
				alike = append(alike, w)
			} else {
				others = append(others, w)
			}
		}
		if paragraphs[first.Summary] == nil {
			summaries = append(summaries, first.Summary)
		}
		paragraphs[first.Summary] = append(paragraphs[first.Summary], list(alike))
		warnings = others
	}
	for _, summary := range summaries {
		diags.AddWarning(summary, strings.Join(paragraphs[summary], "\n\n"))
	}
}

// list writes warnings that say the same. The program breaks no line that is indented.
func list(alike []Warning) string {
	if len(alike) == 1 {
		return alike[0].One
	}
	items := make([]string, len(alike))
	for i, w := range alike {
		items[i] = "\n  " + w.Item
	}
	slices.Sort(items)
	return fmt.Sprintf("%d %s\n%s", len(alike), alike[0].Many, strings.Join(items, ""))
}
