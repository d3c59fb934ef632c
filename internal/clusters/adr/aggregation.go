package adr

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/hap-project/terraform-provider-hap/internal/words"
)

// SourceRequest is the source of what a request asks for itself. No purpose can have this name [choice].
const SourceRequest = "request"

// Aggregated is what a request and its purposes ask for together (ADR 015).
type Aggregated struct {
	Dedicated bool
	// DedicatedBy says who makes it dedicated: SourceRequest, or the purposes that are, by name. Empty where it is not.
	DedicatedBy []string
	// Traits are sorted by name, each once.
	Traits []AggregatedTrait
	// TenancyCount is the most requests that may hold a shared Cluster with this one; 0: any number, or the Cluster is dedicated.
	TenancyCount int
	// TenancyCountBy are the purposes that say so, by name.
	TenancyCountBy []string
	// Warnings name traits that one source asks for and another one negates, of 20 at most, and then of how many more.
	Warnings []string
}

// UnknownPurposeError says that a request has purposes that are not defined.
type UnknownPurposeError struct {
	// Unknown are the purposes, in the order of the request, Known those that are defined, by name.
	Unknown, Known []string
}

func (e *UnknownPurposeError) Error() string {
	defined := "No purpose is defined."
	if len(e.Known) > 0 {
		defined = "Defined " + words.Verb(len(e.Known), "are") + " " + words.List(e.Known) + "."
	}
	return fmt.Sprintf("The %s %s %s not defined. %s", words.Noun(len(e.Unknown), "purpose"), words.List(e.Unknown),
		words.Verb(len(e.Unknown), "are"), defined)
}

// Aggregate puts together what a request and its purposes ask for. Equivalences are groups of traits with the same meaning.
//
//   - dedicated: the request's own value counts alone; else it is true if one purpose says so. The proposal writes that the values
//     are ANDed, "meaning that the request will result in a dedicated cluster if at least one" says so: the meaning counts,
//     not the word [choice].
//   - optional of one trait: ANDed over all sources, so a request cannot weaken the requirement of a purpose [choice].
//   - negated of one trait: the request's own counts, else that of the first purpose in the list. Where sources disagree, the
//     AND of optional goes over both meanings, as written, with a warning [choice].
//   - tenancy count: the smallest of the purposes' [choice].
//
// A purpose that is listed twice counts once [choice]. Errors are an [*InputError], or an [*UnknownPurposeError].
func Aggregate(r Request, purposes map[string]Purpose, same [][]string) (Aggregated, error) {
	if err := r.check(); err != nil {
		return Aggregated{}, err
	}
	return aggregate(r, purposes, newEquivalences(same))
}

// source is one of those who ask: the request or a purpose.
type source struct {
	name, field string
	traits      []Trait
	same        equivalences
}

func aggregate(r Request, purposes map[string]Purpose, same equivalences) (Aggregated, error) {
	if _, reserved := purposes[SourceRequest]; reserved {
		return Aggregated{}, wrong("purposes."+SourceRequest, "the name means the request itself; the purpose needs another one")
	}
	var unknown UnknownPurposeError
	sources := []source{{SourceRequest, "request.traits", r.Traits, same}} // the first one decides about negated
	var wanted Aggregated
	seen := make(map[string]bool, len(r.Purposes))
	for _, name := range r.Purposes {
		if seen[name] {
			continue
		}
		seen[name] = true
		p, ok := purposes[name]
		if !ok {
			unknown.Unknown = append(unknown.Unknown, name)
			continue
		}
		if err := p.check(name); err != nil {
			return Aggregated{}, err
		}
		if p.Dedicated {
			wanted.DedicatedBy = append(wanted.DedicatedBy, name)
		}
		wanted.limit(p.TenancyCount, name)
		sources = append(sources, source{name, "purposes." + name + ".traits", p.Traits, same})
	}
	if len(unknown.Unknown) > 0 {
		unknown.Known = slices.Sorted(maps.Keys(purposes))
		return Aggregated{}, &unknown
	}
	slices.Sort(wanted.DedicatedBy)
	if r.Dedicated != nil {
		wanted.DedicatedBy = nil
		if *r.Dedicated {
			wanted.DedicatedBy = []string{SourceRequest}
		}
	}
	slices.Sort(wanted.TenancyCountBy)
	if wanted.Dedicated = len(wanted.DedicatedBy) > 0; wanted.Dedicated {
		wanted.TenancyCount, wanted.TenancyCountBy = 0, nil // it has one request anyway
	}
	err := wanted.addTraits(sources)
	return wanted, err
}

// limit adds the tenancy count of a purpose: the smallest counts [choice].
func (a *Aggregated) limit(count int, by string) {
	switch {
	case count == 0 || a.TenancyCount > 0 && count > a.TenancyCount:
	case count == a.TenancyCount:
		a.TenancyCountBy = append(a.TenancyCountBy, by)
	default:
		a.TenancyCount, a.TenancyCountBy = count, []string{by}
	}
}

// check returns an error for a tenancy count that is none, or that of a dedicated purpose, which the operator refuses too.
func (p Purpose) check(name string) error {
	at := "purposes." + name + ".tenancy_count"
	switch {
	case p.TenancyCount < 0:
		return wrong(at, "it is less than 0; leave it out where any number of requests may share a Cluster")
	case p.TenancyCount > 0 && p.Dedicated:
		return wrong(at, "a dedicated Cluster has one request; leave it out, or take dedicated away")
	}
	return nil
}

// opinion is what one source says about a trait.
type opinion struct {
	source            string
	optional, negated bool
	written           string // the name, as the source has it
}

// addTraits collects what each source says about each trait, and settles it.
func (a *Aggregated) addTraits(sources []source) error {
	opinions := map[traitKey][]opinion{}
	for _, s := range sources {
		said, err := s.opinions()
		if err != nil {
			return err
		}
		for key, o := range said {
			opinions[key] = append(opinions[key], o)
		}
	}
	for key, said := range opinions {
		t := key.trait()
		t.Negated, t.Optional = said[0].negated, true
		for _, o := range said {
			t.Optional = t.Optional && o.optional
			t.Sources = append(t.Sources, o.source)
		}
		slices.SortFunc(t.Sources, bySource)
		a.Traits = append(a.Traits, t)
		if warning := disagreement(t, said); warning != "" {
			a.Warnings = append(a.Warnings, warning)
		}
	}
	slices.SortFunc(a.Traits, func(x, y AggregatedTrait) int {
		return cmp.Or(slices.Compare(x.Names, y.Names), cmp.Compare(x.Op, y.Op))
	})
	slices.Sort(a.Warnings)
	a.Warnings = bounded(a.Warnings)
	return nil
}

// opinions returns what a source says about each trait, by key. One source that asks for a trait and negates it is an error
// [choice], also under two names of one meaning, and also a group that cannot be met with what it says of its traits.
func (s source) opinions() (map[traitKey]opinion, error) {
	if err := checkTraits(s.field, s.traits, s.name == SourceRequest); err != nil {
		return nil, err
	}
	said := map[traitKey]opinion{}
	for i, t := range s.traits {
		for key, written := range traitKeys(t, s.same) {
			o, again := said[key]
			if again && o.negated != t.Negated {
				return nil, wrong(elementOf(s.field, i), "%s; leave one of the two out", contradiction(o.written, written))
			}
			o.optional = t.Optional && (o.optional || !again)
			if !again {
				o.source, o.negated, o.written = s.name, t.Negated, written
			}
			said[key] = o
		}
	}
	return said, s.checkGroups(said)
}

// contradiction says that a source asks for a trait and negates it, under one name or under two.
func contradiction(name, other string) string {
	if other == "" || other == name {
		return fmt.Sprintf("the trait %s is asked for and negated at once", name)
	}
	return fmt.Sprintf("the traits %s and %s have the same meaning, and one is asked for and the other one negated", name, other)
}

// bySource orders sources: the request, then purposes by name.
func bySource(x, y string) int {
	switch {
	case x == y:
		return 0
	case x == SourceRequest:
		return -1
	case y == SourceRequest:
		return 1
	}
	return cmp.Compare(x, y)
}

// disagreement returns a warning where sources disagree about negated, else nothing.
func disagreement(t AggregatedTrait, said []opinion) string {
	var winners, losers, strict []string
	required := false // by one of the winners
	for _, o := range said {
		switch {
		case o.negated == t.Negated:
			winners, required = append(winners, o.source), required || !o.optional
		case o.optional:
			losers = append(losers, o.source)
		default:
			losers, strict = append(losers, o.source), append(strict, o.source)
		}
	}
	if len(losers) == 0 {
		return ""
	}
	is, isNot := "present", "absent"
	if t.Negated {
		is, isNot = isNot, is
	}
	slices.SortFunc(winners, bySource)
	slices.SortFunc(losers, bySource)
	why := "the first purpose in the list counts"
	if said[0].source == SourceRequest {
		why = "the request counts"
	}
	text := fmt.Sprintf("Trait %v: %s %s it %s, %s %s: %s.", t, words.List(winners), words.Verb(len(winners), "want"), is, words.List(losers),
		isNot, why)
	if len(strict) > 0 && !required {
		slices.SortFunc(strict, bySource)
		text += fmt.Sprintf(" It is required to be %s, because %s %s the opposite: one requirement makes the trait required, whichever way it "+
			"points.", is, words.List(strict), words.Verb(len(strict), "require"))
	}
	return text
}
