package shoots

import (
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/strict"
)

// RefusedError says what Gardener refuses about a Shoot, field by field as its admission says it.
type RefusedError struct {
	Name     string
	Config   string // the ProviderConfig whose template is refused; empty = a Shoot by itself is
	Problems []Problem
	Err      error // the answer
}

func (e *RefusedError) Error() string {
	if e.Config != "" {
		return fmt.Sprintf("Gardener refuses Shoots of ProviderConfig %s: %s", e.Config, strict.InLines(e.Problems))
	}
	return fmt.Sprintf("Gardener refuses Shoot %s: %s", e.Name, strict.InLines(e.Problems))
}

// Unwrap returns the answer.
func (e *RefusedError) Unwrap() error { return e.Err }

// Fields returns the fields of the refusal, as far as Gardener has named them.
func (e *RefusedError) Fields() (fields []string) {
	for _, p := range e.Problems {
		if p.Path != "" {
			fields = append(fields, p.Path)
		}
	}
	return fields
}

// Immutable returns the fields of the refusal that cannot be changed in a live Shoot.
func (e *RefusedError) Immutable() (fields []string) {
	for _, p := range e.Problems {
		if strings.Contains(p.Text, "immutable") {
			fields = append(fields, p.Path)
		}
	}
	return fields
}

// refused makes a RefusedError of an answer that refuses the Shoot itself; other errors stay as they are.
func refused(name string, err error) error {
	if problems := refusals(err); len(problems) > 0 {
		return &RefusedError{Name: name, Problems: problems, Err: err}
	}
	return err
}

// refusals returns what Gardener refuses about a Shoot; none where the error is no refusal.
func refusals(err error) []Problem {
	if unknown := unknownFields(err); len(unknown) > 0 {
		return unknown
	}
	failed, ok := errors.AsType[*kube.Error](err)
	if !ok || failed.Reason != kube.Rejected && failed.Reason != kube.Denied && failed.Reason != kube.Failed {
		return nil
	}
	var answer apierrors.APIStatus
	if !errors.As(failed.Err, &answer) {
		return nil
	}
	status := answer.Status()
	var found []Problem
	if status.Details != nil && failed.Reason != kube.Failed { // there the cause is the message once more
		for _, c := range status.Details.Causes {
			if c.Message != "" && len(found) < maxProblems {
				found = append(found, Problem{Path: kube.Clean(c.Field), Text: kube.Clean(c.Message)})
			}
		}
	}
	// Admission plug-ins name the fields in the text alone: with 403, and with 500 what the Shoot names and they cannot find.
	if len(found) == 0 {
		found = append(found, Problem{Text: kube.Clean(strings.TrimPrefix(status.Message, ofAdmission))})
	}
	return found
}

// maxProblems is how many fields of a refusal are shown: who corrects these sees the next.
const maxProblems = 20
