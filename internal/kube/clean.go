package kube

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxText is how much of a text of a server is shown, in bytes.
const maxText = 1000

// Clean makes a text that a server has sent fit to be shown or logged: in one line, without control characters, of at most 1 kB.
func Clean(text string) string {
	if len(text) > 4*maxText { // what is left of the rest would be cut off anyway
		text = text[:4*maxText]
	}
	fit := strings.Join(strings.FieldsFunc(text, unicode.IsSpace), " ")
	if strings.ContainsFunc(fit, unfit) || !utf8.ValidString(fit) {
		fit = strings.Map(func(r rune) rune {
			if unfit(r) {
				return utf8.RuneError
			}
			return r
		}, fit)
	}
	return cut(fit, maxText)
}

// unfit reports whether a character moves the cursor of a terminal, turns the direction of writing, or cannot be seen.
func unfit(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Co, r)
}

// cut cuts a text, between two characters, and says so.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	const mark = " … (cut)"
	for most -= len(mark); most > 0 && !utf8.RuneStart(text[most]); most-- { // not within a character
	}
	return text[:most] + mark
}

// cleanError is an error whose text is fit to be shown.
type cleanError struct {
	text string
	err  error
}

func (e *cleanError) Error() string { return e.text }

// Unwrap returns the error as it was.
func (e *cleanError) Unwrap() error { return e.err }

// cleaned returns an error without credentials and fit to be shown; see [Clean]. One that is so already is returned as it is.
func cleaned(err error, credentials own) error {
	if err == nil {
		return nil
	}
	for _, plain := range []error{asError[*RedirectError](err), asError[*ForeignAnswerError](err), asError[*TooLargeError](err)} {
		if plain != nil { // client-go puts texts of its own around it, such as "please retry"
			return plain
		}
	}
	was := err.Error()
	if text := Clean(credentials.blank(was)); text != was {
		return &cleanError{text, err}
	}
	return err
}

// asError returns the error of a type that is in an error; nil = none is.
func asError[E error](err error) error {
	if found, ok := errors.AsType[E](err); ok {
		return found
	}
	return nil
}
