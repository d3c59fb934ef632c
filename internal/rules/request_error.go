package rules

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/words"
)

// Reason classifies a RequestError; its text can be the summary of a diagnostic.
type Reason string

const (
	// ReasonUnknownPlan says that the plans table lacks the plan. Field is "plan".
	ReasonUnknownPlan Reason = "Unknown plan"
	// ReasonUnknownRegion says that the landscape does not have the platform region. Field is "platform_region".
	ReasonUnknownRegion Reason = "Unknown platform region"
	// ReasonNoEntry says that no entry of the set matches; there is no fallback (ADR 001). Field is the region
	// that is missing if every entry of the plan asks for it, else "plan".
	ReasonNoEntry Reason = "No rule entry matches"
	// ReasonHyperscalerRequired says that the plan runs on several hyperscalers and the request names none. Field is "hyperscaler".
	ReasonHyperscalerRequired Reason = "Hyperscaler required"
	// ReasonHyperscalerMismatch says that the plan does not run on the hyperscaler. Field is "hyperscaler".
	ReasonHyperscalerMismatch Reason = "Hyperscaler does not fit the plan"
	// ReasonRegionRequired says that the entry adds a region to the hyperscaler type, and the request has none. Field is that region.
	ReasonRegionRequired Reason = "Region required"
	// ReasonInvalidLabel says that a region of the request cannot be part of a label. Field is that region.
	ReasonInvalidLabel Reason = "Region cannot be part of a label"
)

// The values of RequestError.Field.
const (
	fieldPlan              = "plan"
	fieldPlatformRegion    = "platform_region"
	fieldHyperscalerRegion = "hyperscaler_region"
	fieldHyperscaler       = "hyperscaler"
)

// RequestError says why a rule set has no answer for a request.
type RequestError struct {
	Field   string // the part of the request at fault: "plan", "platform_region", "hyperscaler_region" or "hyperscaler"
	Reason  Reason // classifies the error
	Message string // in one or two sentences what is wrong and what to write instead
}

func (e *RequestError) Error() string { return e.Message }

// String returns the request for a message.
func (r Request) String() string {
	s := "plan " + shorten(r.Plan)
	for _, part := range [...][2]string{
		{"platform region", r.PlatformRegion}, {"hyperscaler region", r.HyperscalerRegion},
	} {
		switch {
		case part[1] == "":
			s += ", no " + part[0]
		case account.CheckLabelValue(part[1]) != nil: // a blank or worse would be lost in the sentence
			s += fmt.Sprintf(", %s %q", part[0], shorten(part[1]))
		default:
			s += ", " + part[0] + " " + part[1]
		}
	}
	if r.Hyperscaler != "" {
		s += ", hyperscaler " + shorten(r.Hyperscaler)
	}
	return s
}

func (s *Set) unknownPlan(r Request) error {
	message := "Unknown plan: " + s.plans.unknown(r.Plan)
	if r.Plan == "" {
		message = "No plan: the request names none. " + s.plans.known()
	}
	return &RequestError{fieldPlan, ReasonUnknownPlan, message}
}

func (s *Set) noEntry(p *plan, r Request) error {
	entries := p.index.entries
	if len(entries) == 0 {
		withEntry := make(map[string]bool)
		for i := range s.entries {
			withEntry[s.entries[i].Plan] = true
		}
		return &RequestError{fieldPlan, ReasonNoEntry, fmt.Sprintf(
			"No entry for plan %s: the rule set has entries for %s only. Add one, such as %q.",
			p.name, strings.Join(slices.Sorted(maps.Keys(withEntry)), ", "), p.name)}
	}
	field, remedy := fieldPlan, "Change the request, or add an entry that matches it."
	missing := func(has string, pattern func(*Entry) Pattern) bool {
		return has == "" && !slices.ContainsFunc(entries, func(e *Entry) bool { return pattern(e) == PatternNone })
	}
	switch {
	case missing(r.PlatformRegion, func(e *Entry) Pattern { return e.PlatformRegion }):
		field, remedy = fieldPlatformRegion, "Set platform_region, or add an entry that matches without it."
	case missing(r.HyperscalerRegion, func(e *Entry) Pattern { return e.HyperscalerRegion }):
		field, remedy = fieldHyperscalerRegion, "Set hyperscaler_region, or add an entry that matches without it."
	}
	return &RequestError{field, ReasonNoEntry, fmt.Sprintf(
		"No entry matches: the request has %v; the rule set has for this plan %s. %s", r, listEntries(entries), remedy)}
}

// listEntries names entries in a message, the first ones if there are many.
func listEntries(entries []*Entry) string {
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.String()
	}
	return words.First(10, names)
}

func wrongHyperscaler(p *plan, r Request) error {
	if r.Hyperscaler == "" {
		return &RequestError{fieldHyperscaler, ReasonHyperscalerRequired, fmt.Sprintf(
			"Hyperscaler required: %s runs on %s; set hyperscaler to one of them.", p.name, p.runsOn())}
	}
	remedy := "Set hyperscaler to one of them."
	if len(p.hyperscalers) == 1 {
		remedy = "Leave hyperscaler out."
	}
	return &RequestError{fieldHyperscaler, ReasonHyperscalerMismatch, fmt.Sprintf(
		"Hyperscaler does not fit: %s runs on %s, not on %q. %s", p.name, p.runsOn(), shorten(r.Hyperscaler), remedy)}
}

// misfit says why the request makes no valid hyperscaler type with the entry.
func (e *Entry) misfit(hyperscaler string, r Request) error {
	type part struct{ field, name, value string }
	var longest part
	for _, p := range [...]struct {
		part
		property     int
		added, fixed bool
	}{
		{part{fieldPlatformRegion, "platform region", r.PlatformRegion}, legacyPlatform, e.addPlatformRegion, e.PlatformRegion.literal()},
		{
			part{fieldHyperscalerRegion, "hyperscaler region", r.HyperscalerRegion}, legacyCluster,
			e.addHyperscalerRegion, e.HyperscalerRegion.literal(),
		},
	} {
		if !p.added || p.fixed {
			continue
		}
		cause := e.String()
		if e.legacy {
			cause = legacyNames[p.property]
		}
		if p.value == "" {
			return &RequestError{p.field, ReasonRegionRequired, fmt.Sprintf(
				"Region required: %s adds the %s to the hyperscaler type, and the request has none. Set %s.", cause, p.name, p.field)}
		}
		if err := account.CheckLabelValue(p.value); err != nil {
			return &RequestError{p.field, ReasonInvalidLabel, fmt.Sprintf(
				"Invalid %s: %s adds %q to the label hyperscalerType, where it is invalid: %v.", p.name, cause, shorten(p.value), err)}
		}
		if len(p.value) > len(longest.value) {
			longest = p.part
		}
	}
	label := e.typeOn(hyperscaler, r.PlatformRegion, r.HyperscalerRegion)
	return &RequestError{longest.field, ReasonInvalidLabel, fmt.Sprintf(
		"Invalid %s: with %q the hyperscaler type of %v is %q, %d characters; a label value has %d at most.",
		longest.name, shorten(longest.value), e, shorten(label), len(label), account.MaxLabelValueLength)}
}
