package shoots

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/words"
)

// Status is how far Gardener is with a Shoot.
type Status struct {
	// Ready: Gardener has done all that the Shoot's spec says now, and every condition holds.
	Ready bool
	// Tended: Gardener reconciles the Shoot, and all holds. It does so once a day and after each of its own updates; whether its spec has
	// changed as well, the generation says.
	Tended bool
	// Operation is what Gardener does last, such as "Create"; empty = it has not begun.
	Operation   string
	Percent     int    // how far the operation is, 0 to 100
	Description string // what Gardener says of it
	Failures    []Failure
	Failing     []Condition // the conditions that do not hold, by name
	// GivenUp: Gardener does nothing more for the spec as it is. It acts again on a change of the spec, or where it is asked to retry.
	GivenUp bool
	// Held are the finalizers of a Shoot that is being deleted.
	Held []string
}

// Failure is an error that Gardener met at its last try. [Status].GivenUp says whether it tries again.
type Failure struct {
	Codes []string // Gardener's own, such as ERR_INFRA_QUOTA_EXCEEDED
	Text  string
}

// Condition is one that Gardener watches.
type Condition struct{ Type, Status, Reason, Message string }

// StatusOf reads the status of a Shoot.
func StatusOf(shoot *gardencore.Shoot) Status {
	var s Status
	last := shoot.Status.LastOperation
	if last != nil {
		s.Operation, s.Percent, s.Description = string(last.Type), int(last.Progress), kube.Clean(last.Description)
	}
	s.GivenUp = isGivenUp(shoot)
	if shoot.DeletionTimestamp != nil {
		s.Held = shoot.Finalizers
	}
	for _, e := range shoot.Status.LastErrors {
		f := Failure{Text: kube.Clean(e.Description)}
		for _, code := range e.Codes {
			f.Codes = append(f.Codes, string(code))
		}
		s.Failures = append(s.Failures, f)
	}
	for _, c := range shoot.Status.Conditions {
		if c.Status != gardencore.ConditionTrue {
			s.Failing = append(s.Failing, Condition{string(c.Type), string(c.Status), c.Reason, kube.Clean(c.Message)})
		}
	}
	slices.SortFunc(s.Failing, func(a, b Condition) int { return cmp.Compare(a.Type, b.Type) })
	holds := last != nil && shoot.Status.ObservedGeneration == shoot.Generation && shoot.DeletionTimestamp == nil && len(s.Failing) == 0 &&
		(len(shoot.Status.Conditions) > 0 || shoot.Status.IsHibernated)
	s.Ready = holds && last.State == gardencore.LastOperationStateSucceeded && last.Type != gardencore.LastOperationTypeDelete
	s.Tended = holds && last.Type == gardencore.LastOperationTypeReconcile && len(s.Failures) == 0 &&
		(last.State == gardencore.LastOperationStateProcessing || last.State == gardencore.LastOperationStatePending)
	return s
}

// isGivenUp reports whether Gardener has ended its tries for this generation. After rate limits of the cloud provider its
// controller-manager asks for the retry by itself. (Gardener compares its own version as well, which no client knows: after an update of
// it a Shoot that it has given up goes on by itself.)
func isGivenUp(shoot *gardencore.Shoot) bool {
	last := shoot.Status.LastOperation
	return last != nil && last.State == gardencore.LastOperationStateFailed && shoot.Status.ObservedGeneration == shoot.Generation &&
		!slices.ContainsFunc(shoot.Status.LastErrors, func(e gardencore.LastError) bool {
			return slices.Contains(e.Codes, gardencore.ErrorInfraRateLimitsExceeded)
		})
}

// String says in one line how far Gardener is.
func (s Status) String() string {
	text := "Gardener has not begun"
	if s.Operation != "" {
		text = fmt.Sprintf("%s %d %%", s.Operation, s.Percent)
	}
	if s.Description != "" {
		text += ": " + s.Description
	}
	if len(s.Failing) > 0 {
		types := make([]string, len(s.Failing))
		for i, c := range s.Failing {
			types[i] = fmt.Sprintf("%s is %s", c.Type, c.Status)
		}
		text += " (" + words.List(types) + ")"
	}
	if held := kube.HeldBy(s.Held); held != "" {
		text = strings.TrimSuffix(text, ".") + "; it is " + held
	}
	return text
}

// Brief says how far Gardener is by what it calls things alone: an operation, its progress, and the codes of its errors.
func (s Status) Brief() string {
	text := fmt.Sprintf("%s %d %%", s.Operation, s.Percent)
	var codes []string
	for _, f := range s.Failures {
		codes = append(codes, f.Codes...)
	}
	if len(codes) > 0 {
		text += ", " + words.List(codes)
	}
	return text
}

// Troubles says what keeps a Shoot from being ready, each with what to do about it where that is known; none = time alone.
func (s Status) Troubles() (all []string) {
	for _, f := range s.Failures {
		text := f.Text
		if len(f.Codes) > 0 {
			text = strings.Join(f.Codes, ", ") + ": " + text
		}
		for _, code := range f.Codes {
			if remedy, known := remedies[gardencore.ErrorCode(code)]; known {
				text = strings.TrimSuffix(text, ".") + ". " + remedy
			}
		}
		all = append(all, text)
	}
	for _, c := range s.Failing {
		all = append(all, strings.TrimSpace(fmt.Sprintf("%s is %s: %s %s", c.Type, c.Status, c.Reason, c.Message)))
	}
	return all
}

// remedies say what to do about Gardener's error codes.
var remedies = map[gardencore.ErrorCode]string{
	gardencore.ErrorInfraUnauthenticated:          "The credentials of the account are not accepted: renew them in its Secret.",
	gardencore.ErrorInfraUnauthorized:             "The credentials of the account lack rights: grant what Gardener asks for.",
	gardencore.ErrorInfraQuotaExceeded:            "A quota of the cloud account is used up: have it raised, take less, or use another claim.",
	gardencore.ErrorInfraRateLimitsExceeded:       "The cloud provider turns requests away: Gardener goes on by itself.",
	gardencore.ErrorInfraDependencies:             "Something in the cloud account is in the way: remove it there.",
	gardencore.ErrorInfraResourcesDepleted:        "The cloud provider has no such machines left there: take another zone or machine type.",
	gardencore.ErrorRetryableInfraDependencies:    "Gardener tries again by itself.",
	gardencore.ErrorCleanupClusterResources:       "Objects in the cluster cannot be deleted: look for finalizers there.",
	gardencore.ErrorConfigurationProblem:          "The template asks for what cannot be done: correct it.",
	gardencore.ErrorRetryableConfigurationProblem: "Something in the cluster is in the way, such as a disruption budget: correct it.",
	gardencore.ErrorProblematicWebhook:            "A webhook in the cluster is in the way: correct or remove it there.",
}
