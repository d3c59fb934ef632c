package pool

import (
	"fmt"
	"strings"
	"time"
)

// TimeoutError says that a claim, update or release ran out of time, or that its caller has given up. What is recorded then
// is found by the same call.
type TimeoutError struct {
	After time.Duration // how long the operation had gone on
	Steps []string      // say where the time went
	Last  error         // the last answer to a write that was lost on the way; nil = none was
	// Refusal is the server's answer where the last write was refused; nil = it was not.
	Refusal error
	Err     error // what ended it
}

func (e *TimeoutError) Error() string {
	text := fmt.Sprintf("not done after %s", e.After.Round(time.Millisecond))
	if len(e.Steps) > 0 {
		text += " (" + strings.Join(e.Steps, ", ") + ")"
	}
	if e.Last != nil {
		text += fmt.Sprintf(": %v", e.Last)
	}
	if e.Refusal != nil {
		text += fmt.Sprintf(": %v", e.Refusal)
	}
	return fmt.Sprintf("%s: %v", text, e.Err)
}

// Unwrap returns what ended the operation, and the last answer that was lost.
func (e *TimeoutError) Unwrap() []error {
	if e.Last == nil {
		return []error{e.Err}
	}
	return []error{e.Err, e.Last}
}

// WaitError says that the time for a wait was over, and that the last read had failed.
type WaitError struct {
	For    string        // what the operation waited for
	Waited time.Duration // how long it did
	Err    error         // why the last read failed
}

func (e *WaitError) Error() string {
	return fmt.Sprintf("waited %s for %s; the last look failed: %v", e.Waited.Round(time.Second), e.For, e.Err)
}

func (e *WaitError) Unwrap() error { return e.Err }

// MaybeAddedError says that an account may have been put into the pool: the answer to the write was lost, and no read has shown it.
type MaybeAddedError struct {
	Account string
	Err     error // has the [account.UnknownOutcomeError]
}

func (e *MaybeAddedError) Error() string { return e.Err.Error() }

func (e *MaybeAddedError) Unwrap() error { return e.Err }
