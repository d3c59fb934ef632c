package shoots

import (
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/strict"
)

// RefusedError says what Gardener refuses about a Shoot, field by field as its admission says it.
type RefusedError struct {
	Name     string
	Problems []Problem
	Err      error // the answer
}

func (e *RefusedError) Error() string {
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
		return &RefusedError{name, problems, err}
	}
	return err
}

// refusals returns what Gardener refuses about a Shoot; none where the error is no refusal.
func refusals(err error) []Problem {
	failed, ok := errors.AsType[*kube.Error](err)
	if !ok || failed.Reason != kube.Rejected && failed.Reason != kube.Forbidden {
		return nil
	}
	var answer apierrors.APIStatus
	if !errors.As(failed.Err, &answer) {
		return nil
	}
	status := answer.Status()
	var found []Problem
	if status.Details != nil {
		for _, c := range status.Details.Causes {
			if c.Message != "" {
				found = append(found, Problem{Path: c.Field, Text: c.Message})
			}
		}
	}
	// Admission plug-ins answer 403 for a Shoot that is wrong, with the fields in the text alone; so does the server where the user
	// may not make Shoots, and that is no refusal of the Shoot.
	if len(found) == 0 && (failed.Reason == kube.Rejected || strings.Contains(status.Message, "[") || namesField(status)) {
		found = append(found, Problem{Text: status.Message})
	}
	return found
}

// namesField reports whether a refusal tells a field of the spec.
func namesField(status metav1.Status) bool {
	return strings.Contains(status.Message, "spec.")
}
