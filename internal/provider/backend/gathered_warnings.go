package backend

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
	// gatherGap is how long the last operation in flight waits for another one to begin, where Terraform was seen to run several
	// at once. Between the answer to one and the request for the next it only writes the state.
	gatherGap = 2 * time.Second
	// loneGatherGap is the same where operations came one by one: there is only one, or -parallelism=1.
	loneGatherGap = 100 * time.Millisecond
)

// GatheredWarnings collects what the operations of one kind in a run warn of, such as its deletes, so that objects which meet the same fate
// are reported once. Terraform shows the first of many warnings with the same summary and only counts the others: of forty accounts it
// would name one.
//
// An operation that ends leaves its warnings to those still in flight, and the last one in flight reports them all. Nothing is
// lost: a warning waits only while an operation is in flight, and each checks at its end whether it is the last, after an
// error or Ctrl-C as well.
type GatheredWarnings struct {
	mu       sync.Mutex
	inFlight int
	several  bool          // two operations were in flight at the same time
	begun    chan struct{} // closed and replaced when an operation begins
	waiting  []GatheredWarning
	kept     keptAccounts
}

// GatheredWarning is what one operation warns of.
type GatheredWarning struct {
	Summary string
	// One is the whole text where it is alone.
	One string
	// Many follows the number of those that say the same, and item is this one in their list.
	Many, Item string
}

// NewGatheredWarnings returns the warnings of a run, none yet.
func NewGatheredWarnings() *GatheredWarnings {
	return &GatheredWarnings{begun: make(chan struct{})}
}

// Begin notes that an operation begins.
func (w *GatheredWarnings) Begin() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.inFlight++
	w.several = w.several || w.inFlight > 1
	close(w.begun)
	w.begun = make(chan struct{})
}

// Add leaves a warning to the last operation in flight.
func (w *GatheredWarnings) Add(warning GatheredWarning) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.waiting = append(w.waiting, warning)
}

// End notes that an operation ends. The last one in flight reports all warnings; it waits a moment for another one to begin,
// unless the run is interrupted.
func (w *GatheredWarnings) End(ctx context.Context, diags *diag.Diagnostics) {
	for waited := false; !w.leave(waited || ctx.Err() != nil, diags); {
		begun, gap := w.next()
		select {
		case <-begun:
			waited = false
		case <-time.After(gap):
			waited = true
		case <-ctx.Done():
		}
	}
}

// leave takes an operation from those in flight. It does not where it is the last, has something to report, and has not
// waited for others.
func (w *GatheredWarnings) leave(waited bool, diags *diag.Diagnostics) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	last, kept := w.inFlight == 1, w.kept.warnings()
	if last && len(w.waiting)+len(kept) > 0 && !waited {
		return false
	}
	w.inFlight--
	if last {
		tellGathered(diags, append(w.waiting, kept...))
		w.waiting, w.kept.accounts = nil, nil
	}
	return true
}

// next returns what is closed when an operation begins, and how long that may take.
func (w *GatheredWarnings) next() (begun <-chan struct{}, gap time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.several {
		return w.begun, gatherGap
	}
	return w.begun, loneGatherGap
}

// tellGathered makes one diagnostic of all warnings with the same summary, and in it one list of all that say the same.
func tellGathered(diags *diag.Diagnostics, warnings []GatheredWarning) {
	var summaries []string
	paragraphs := map[string][]string{} // by summary
	for len(warnings) > 0 {
		first := warnings[0]
		var alike, others []GatheredWarning
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
		paragraphs[first.Summary] = append(paragraphs[first.Summary], listGathered(alike))
		warnings = others
	}
	for _, summary := range summaries {
		diags.AddWarning(summary, strings.Join(paragraphs[summary], "\n\n"))
	}
}

// listGathered writes warnings that say the same. The program breaks no line that is indented.
func listGathered(alike []GatheredWarning) string {
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
