package shoots

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
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
	// Attribute is the attribute of hap_shoot that says all that is refused; empty = the template says it, or several say a part of it.
	Attribute string
	Err       error // the answer
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

// Immutable returns the fields of the refusal that cannot be changed in a live Shoot, or what is said of one that is not named; only = the
// refusal has no other problem.
func (e *RefusedError) Immutable() (fields []string, only bool) {
	only = true
	for _, p := range e.Problems {
		for _, one := range apart(p) {
			if strings.Contains(quoted.ReplaceAllString(one.Text, ""), "immutable") {
				fields = append(fields, cmp.Or(one.Path, one.Text))
			} else {
				only = false
			}
		}
	}
	slices.Sort(fields)
	return slices.Compact(fields), only
}

// quoted is a value of the user's that an answer repeats.
var quoted = regexp.MustCompile(`"[^"]*"`)

// Beyond takes the problems of a refusal apart: those that another one has as well, and those that are new.
func (e *RefusedError) Beyond(was *RefusedError) (added, old []Problem) {
	var stood []Problem
	for _, p := range was.Problems {
		stood = append(stood, apart(p)...)
	}
	for _, p := range e.Problems {
		for _, one := range apart(p) {
			if slices.Contains(stood, one) {
				old = append(old, one)
			} else {
				added = append(added, one)
			}
		}
	}
	return added, old
}

// What an admission plug-in says of several fields is one sentence: `shoots "s" is forbidden: [spec.a: …, spec.b: …]`.
var (
	pluginHead = regexp.MustCompile(`^\S+ "[^"]*" is forbidden: `)
	nextField  = regexp.MustCompile(`, (?:spec|metadata)\.[A-Za-z]`)
)

// apart takes the sentence of an admission plug-in apart, field by field. Any other problem stays as it is.
func apart(p Problem) (all []Problem) {
	head := pluginHead.FindString(p.Text)
	if p.Path != "" || head == "" {
		return []Problem{p}
	}
	rest := p.Text[len(head):]
	if list, ok := strings.CutPrefix(rest, "["); ok {
		rest = strings.TrimSuffix(list, "]")
	}
	for _, at := range slices.Backward(nextField.FindAllStringIndex(rest, -1)) {
		all = append(all, ofField(rest[at[0]+len(", "):]))
		rest = rest[:at[0]]
	}
	all = append(all, ofField(rest))
	slices.Reverse(all)
	return all
}

// ofField is what is said of a field, with its path where it begins with that.
func ofField(text string) Problem {
	if field, rest, ok := strings.Cut(text, ": "); ok && !strings.ContainsAny(field, ` "`) {
		return Problem{Path: field, Text: rest}
	}
	return Problem{Text: text}
}

// refused makes a RefusedError of an answer that refuses the Shoot itself; other errors stay as they are.
func (w Wanted) refused(err error) error {
	if problems := refusals(err); len(problems) > 0 {
		return &RefusedError{Name: w.Name, Problems: problems, Attribute: w.attributeOf(problems), Err: err}
	}
	return err
}

// attributeOf returns the attribute beside the template that says all of this; empty = there is none.
func (w Wanted) attributeOf(problems []Problem) string {
	var attributes []string
	for _, p := range problems {
		for _, one := range apart(p) {
			attributes = append(attributes, w.saidBy(one))
		}
	}
	if attributes = slices.Compact(attributes); len(attributes) == 1 {
		return attributes[0]
	}
	return ""
}

// saidBy returns the attribute beside the template that says what is wrong. Labels and annotations come from the template as well: an
// attribute has said the one that the answer quotes.
func (w Wanted) saidBy(p Problem) string {
	switch {
	case p.Path == "metadata.name", p.Path == "name": // the second is that of an admission plug-in
		return "name"
	case strings.HasPrefix(p.Path, "metadata.labels") && quotes(p, w.Labels):
		return "labels"
	case strings.HasPrefix(p.Path, "metadata.labels") && w.ClusterName != "" &&
		quotes(p, map[string]string{clusterNameLabel: w.ClusterName, clusterNamespaceLabel: w.ClusterNamespace}):
		return "cluster_ref"
	case strings.HasPrefix(p.Path, "metadata.annotations") && quotes(p, w.Annotations):
		return "annotations"
	}
	return ""
}

// quotes reports whether a problem quotes a key or a value of these labels or annotations.
func quotes(p Problem, texts map[string]string) bool {
	for key, value := range texts {
		for _, text := range []string{key, value} {
			if text != "" && strings.Contains(p.Text, kube.Clean(strconv.Quote(text))) {
				return true
			}
		}
	}
	return false
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
