package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
)

// ServerError is an error of the platform cluster's API server: an error of [kube] that says which server it came from.
type ServerError struct{ Err error }

func (e *ServerError) Error() string { return e.Err.Error() }

// Unwrap returns the error of [kube].
func (e *ServerError) Unwrap() error { return e.Err }

// OfServer marks an error of [kube]; other errors stay as they are.
func OfServer(err error) error {
	if Reason(err) != "" && !errors.As(err, new(*ServerError)) {
		return &ServerError{err}
	}
	return err
}

// GoneError says that an object is gone, or that another one has its name.
type GoneError struct {
	Kind string
	Ref
	UID string // of the object that was searched; empty = any of the name
}

func (e *GoneError) Error() string {
	if e.UID == "" {
		return fmt.Sprintf("there is no %s %s", e.Kind, e.Ref)
	}
	return fmt.Sprintf("%s %s (UID %s) does not exist any more", e.Kind, e.Ref, e.UID)
}

// ExistsError says that there is an object of the name already, which this configuration has not made.
type ExistsError struct {
	Kind string
	Ref
	Deleting bool // it is being deleted
}

func (e *ExistsError) Error() string {
	if e.Deleting {
		return fmt.Sprintf("%s %s is being deleted", e.Kind, e.Ref)
	}
	article := "a"
	if e.Kind == KindAccess {
		article = "an"
	}
	return fmt.Sprintf("there is %s %s %s already, and it does not bear the mark of this very configuration", article, e.Kind, e.Ref)
}

// NotGrantedError says that a request was not granted in time. The operator never says why; what could be seen is in Seen.
type NotGrantedError struct {
	Ref
	Kind  string
	Phase string   // of the request, as it was seen last; empty = none
	Seen  []string // each one thing that may keep it from being granted
	Err   error    // why the wait has ended
}

func (e *NotGrantedError) Error() string {
	phase := e.Phase
	if phase == "" {
		phase = "without a phase"
	}
	text := fmt.Sprintf("%s %s is not granted, it is %s (%s)", e.Kind, e.Ref, phase, Ended(e.Err))
	if len(e.Seen) > 0 {
		text += ". Seen on the platform cluster: " + strings.Join(e.Seen, "; ")
	}
	return text
}

// Unwrap returns why the wait has ended.
func (e *NotGrantedError) Unwrap() error { return e.Err }

// Denied reports whether the request was denied: time alone does not help.
func (e *NotGrantedError) Denied() bool { return errors.Is(e.Err, ErrDenied) }

// UntilGone is what a wait for a deletion waits for.
const UntilGone = "it is gone"

// WaitError says that a wait has ended before what it waited for. Controllers go on all the same.
type WaitError struct {
	Kind string
	Ref
	For     string   // what was waited for, such as "it is ready"
	Phase   string   // as it was seen last; empty = none
	Failing []string // the conditions that did not hold
	Err     error    // why it ended
}

func (e *WaitError) Error() string {
	text := fmt.Sprintf("the wait for %s %s until %s has ended (%s)", e.Kind, e.Ref, e.For, Ended(e.Err))
	if e.Phase != "" {
		text += ". Its phase is " + e.Phase
	}
	if len(e.Failing) > 0 {
		text += ". " + strings.Join(e.Failing, ". ")
	}
	return text
}

// Unwrap returns why it ended.
func (e *WaitError) Unwrap() error { return e.Err }

// Ended says why a wait has ended, in one line.
func Ended(err error) string {
	if err == nil {
		return "for no reason that is known"
	}
	return strings.NewReplacer(context.DeadlineExceeded.Error(), "the time is over", context.Canceled.Error(), "interrupted", "\n", "; ").
		Replace(err.Error())
}

// Reason is why a request to the server failed; empty = it did not, or not by the server. Where a gateway has lost the path the server was
// not reached, whatever the gateway answers.
func Reason(err error) kube.Reason {
	if errors.As(err, new(*kube.LostPathError)) {
		return kube.Unreachable
	}
	if failed, ok := errors.AsType[*kube.Error](err); ok {
		return failed.Reason
	}
	return ""
}

// AlsoLost adds to the error of a request that the answer to a write before it was lost: that write may yet come.
func AlsoLost(write, then error) error {
	if Reason(write) == kube.UnknownOutcome && Reason(then) != kube.UnknownOutcome {
		return errors.Join(write, then)
	}
	return then
}

// IsGone reports whether an object does not exist any more.
func IsGone(err error) bool { return errors.As(err, new(*GoneError)) }

// Encode is what is sent of a body.
func Encode(body any) ([]byte, error) {
	content, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("encoding what is sent: %w", err)
	}
	return content, nil
}
