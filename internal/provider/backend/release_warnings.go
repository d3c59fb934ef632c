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
	// deleteGap is how long the last delete in flight waits for another one to begin, where Terraform was seen to run several
	// at once. Between the answer to one and the request for the next it only writes the state.
	deleteGap = 2 * time.Second
	// loneDeleteGap is the same where deletes came one by one: there is only one, or -parallelism=1.
	loneDeleteGap = 100 * time.Millisecond
)

// ReleaseWarnings collects what the deletes of one run warn of, so that claims which meet the same fate are told of once.
// Terraform shows the first of many warnings with the same summary and only counts the others: of forty accounts it would
// name one.
//
// A delete that ends leaves its warnings to those still in flight, and the last one in flight tells them all. Nothing is
// lost: a warning waits only while a delete is in flight, and each delete looks at its end whether it is the last, after an
// error or Ctrl-C as well.
type ReleaseWarnings struct {
	mu       sync.Mutex
	inFlight int
	several  bool          // two deletes were in flight at the same time
	begun    chan struct{} // closed and replaced when a delete begins
	waiting  []ReleaseWarning
}

// ReleaseWarning is what one delete warns of.
type ReleaseWarning struct {
	Summary string
	// One is the whole text where it is alone.
	One string
	// Many follows the number of those that say the same, and item is this one in their list.
	Many, Item string
}

// NewReleaseWarnings returns the warnings of a run, none yet.
func NewReleaseWarnings() *ReleaseWarnings {
	return &ReleaseWarnings{begun: make(chan struct{})}
}

// Begin notes that a delete begins.
func (w *ReleaseWarnings) Begin() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.inFlight++
	w.several = w.several || w.inFlight > 1
	close(w.begun)
	w.begun = make(chan struct{})
}

// Add leaves a warning to the last delete in flight.
func (w *ReleaseWarnings) Add(warning ReleaseWarning) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.waiting = append(w.waiting, warning)
}

// End notes that a delete ends. The last one in flight tells all warnings; it waits a moment for another one to begin,
// unless the run is interrupted.
func (w *ReleaseWarnings) End(ctx context.Context, diags *diag.Diagnostics) {
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

// leave takes a delete from those in flight. It does not where the delete is the last, has something to tell, and has not
// waited for others.
func (w *ReleaseWarnings) leave(waited bool, diags *diag.Diagnostics) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	last := w.inFlight == 1
	if last && len(w.waiting) > 0 && !waited {
		return false
	}
	w.inFlight--
	if last {
		tellReleases(diags, w.waiting)
		w.waiting = nil
	}
	return true
}

// next returns what is closed when a delete begins, and how long that may take.
func (w *ReleaseWarnings) next() (begun <-chan struct{}, gap time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.several {
		return w.begun, deleteGap
	}
	return w.begun, loneDeleteGap
}

// tellReleases makes one diagnostic of all warnings with the same summary, and in it one list of all that say the same.
func tellReleases(diags *diag.Diagnostics, warnings []ReleaseWarning) {
	var summaries []string
	paragraphs := map[string][]string{} // by summary
	for len(warnings) > 0 {
		first := warnings[0]
		var alike, others []ReleaseWarning
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
		paragraphs[first.Summary] = append(paragraphs[first.Summary], listReleases(alike))
		warnings = others
	}
	for _, summary := range summaries {
		diags.AddWarning(summary, strings.Join(paragraphs[summary], "\n\n"))
	}
}

// listReleases tells warnings that say the same. The program breaks no line that is indented.
func listReleases(alike []ReleaseWarning) string {
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
