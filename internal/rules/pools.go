package rules

import (
	"fmt"
	"slices"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/words"
)

// maxElements is how many elements of legacy properties a message names for one pool.
const maxElements = 5

// Wildcard reports whether the entry leads to pools that cannot be listed beforehand: it has the * of a region, or adds a region
// that it does not fix.
func (e *Entry) Wildcard() bool {
	return e.PlatformRegion == PatternAny || e.HyperscalerRegion == PatternAny ||
		e.addPlatformRegion && !e.PlatformRegion.literal() || e.addHyperscalerRegion && !e.HyperscalerRegion.literal()
}

// Implied reports whether no element of a legacy set names the entry: it is one of a plan that is named nowhere, one that an element
// for all plans makes, or one where two regions meet. Such an entry is exempt from the check that its pool exists.
func (e *Entry) Implied() bool { return e.implied }

// Targets returns the pools that an entry of the set leads claims to, one for each hyperscaler of its plan; with euAccess=* those
// with and without EU access, as far as a claim in a region of either kind gets the entry. None for a wildcard entry and an implied
// one.
func (s *Set) Targets(e *Entry) []account.Target {
	if e.Wildcard() || e.implied {
		return nil
	}
	var targets []account.Target
	for _, hyperscaler := range e.plan.hyperscalers {
		for _, access := range s.accesses(e) {
			targets = append(targets, account.Target{HyperscalerType: e.typeOn(hyperscaler, "", ""), Shared: e.Shared, EUAccess: access})
		}
	}
	return targets
}

// Need is a pool that an entry of a set needs, so that the requests it serves get an account; or any of several pools.
type Need struct {
	Entry *Entry
	// Pool is the pool. Of several it has the placeholders of [Entry.HyperscalerType].
	Pool  account.Target
	Any   bool                      // any pool that the entry reaches will do
	Meets func(account.Target) bool // reports whether a pool is the one, or one of the several
}

// Needs returns the needs of all entries, in their order: a pool for each hyperscaler of a plan; of an entry with a wildcard one pool at
// least; of an implied entry none.
func (s *Set) Needs() (needs []Need) {
	entries := s.Entries()
	for i := range entries {
		e := &entries[i]
		switch {
		case e.Implied():
		case e.Wildcard():
			target := account.Target{HyperscalerType: e.HyperscalerType, Shared: e.Shared, EUAccess: e.EUAccess == EUAccessAlways}
			needs = append(needs, Need{e, target, true, func(t account.Target) bool { return s.Reaches(e, t) }})
		default:
			for _, target := range s.Targets(e) {
				needs = append(needs, Need{e, target, false, func(t account.Target) bool { return t == target }})
			}
		}
	}
	return needs
}

// NameOf names an entry of the set in a message, as the user knows it: by its number and text, or by the elements of legacy properties
// that make it.
func (s *Set) NameOf(e *Entry) string {
	if e.legacy {
		_, text := s.Origin(e)
		return text
	}
	return e.Name()
}

// Name names the entry of a set in a message, by its number and text.
func (e *Entry) Name() string { return fmt.Sprintf("rule %d, %q", e.Number, e.Text) }

// accesses returns whether the claims that an entry serves have EU access: no, yes, or both.
func (s *Set) accesses(e *Entry) []bool {
	switch {
	case e.EUAccess != EUAccessOnRequest:
		return []bool{e.EUAccess == EUAccessAlways}
	case e.PlatformRegion.literal():
		return []bool{s.euAccessRegions[string(e.PlatformRegion)]}
	}
	// The entry serves claims of a region if it wins the hardest request there, see the package comment.
	for region := range s.euAccessRegions {
		ix := &e.plan.index
		if !s.outside(region) && ix.best(ix.platformRegions.find(region), e.hyperscaler).Number == e.Number {
			return []bool{false, true}
		}
	}
	return []bool{false}
}

// Origin says where an entry of legacy properties comes from: the property that makes it, as in "legacy.shared_rule", and all
// elements that do, for a message. The field is "legacy" where none does.
func (s *Set) Origin(e *Entry) (field, text string) {
	var names []string
	field = "legacy"
	add := func(el legacyElement, prefix string) {
		if field == "legacy" {
			field = "legacy." + legacyNames[el.property]
		}
		names = append(names, prefix+fmt.Sprintf("%q of %s", shorten(el.text), legacyNames[el.property]))
	}
	for _, el := range s.elements {
		if el.concerns(e.plan) && (el.region == "" || el.region == string(e.PlatformRegion) || el.region == string(e.HyperscalerRegion)) {
			add(el, "")
		}
	}
	if len(names) > 0 {
		return field, words.First(maxElements, names)
	}
	if i := slices.IndexFunc(s.elements, func(el legacyElement) bool { return el.plan == e.plan }); i >= 0 {
		add(s.elements[i], fmt.Sprintf("the requests of plan %s outside of ", e.Plan))
		return field, names[0]
	}
	return field, fmt.Sprintf("plan %s of required_plans", e.Plan)
}
