package rules

import (
	"slices"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// Request is what is known of a cluster before its account is chosen. Empty means not given.
type Request struct {
	Plan              string // the plan, or the alias of one; required
	PlatformRegion    string // the BTP subaccount region, such as cf-eu11
	HyperscalerRegion string // where the cluster runs, such as eu-central-1
	Hyperscaler       string // needed where the plan runs on several; elsewhere it must fit the plan if given
	EUAccess          *bool  // whether the request has EU access; nil means that PlatformRegion decides
}

// Match is what a rule set says about a request: the entry that applies and the labels of its pool.
type Match struct {
	entry             *Entry
	hyperscaler       string
	platformRegion    string
	hyperscalerRegion string
	euAccess          bool
}

// Match finds the entry that applies to a request (ADR 001): of those that match, the one
// with the most attributes. Every error is a *RequestError. Match does not allocate if it succeeds.
func (s *Set) Match(r Request) (Match, error) {
	p := s.plans.byName[r.Plan]
	if p == nil {
		return Match{}, s.unknownPlan(r)
	}
	if r.PlatformRegion != "" && s.outside(r.PlatformRegion) {
		return Match{}, &RequestError{fieldPlatformRegion, ReasonUnknownRegion, s.unknownRegion(r.PlatformRegion)}
	}
	e := p.index.best(p.index.platformRegions.find(r.PlatformRegion), p.index.hyperscalerRegions.find(r.HyperscalerRegion))
	if e == nil {
		return Match{}, s.noEntry(p, r)
	}
	m := Match{entry: e, hyperscaler: r.Hyperscaler, platformRegion: r.PlatformRegion, hyperscalerRegion: r.HyperscalerRegion}
	switch {
	case r.Hyperscaler == "" && len(p.hyperscalers) == 1:
		m.hyperscaler = p.hyperscalers[0]
	case r.Hyperscaler == "" || !slices.Contains(p.hyperscalers, r.Hyperscaler):
		return Match{}, wrongHyperscaler(p, r)
	}
	if !e.fits(m.hyperscaler, r) {
		return Match{}, e.misfit(m.hyperscaler, r)
	}
	switch e.EUAccess {
	case EUAccessAlways:
		m.euAccess = true
	case EUAccessOnRequest:
		if r.EUAccess != nil {
			m.euAccess = *r.EUAccess
		} else {
			m.euAccess = s.euAccessRegions[r.PlatformRegion]
		}
	}
	return m, nil
}

// fits reports whether the hyperscaler type for the request is a valid label value. The literals of the entry and the
// hyperscaler are known to be valid.
func (e *Entry) fits(hyperscaler string, r Request) bool {
	length := len(hyperscaler)
	if e.addPlatformRegion {
		if !e.PlatformRegion.literal() && account.CheckLabelValue(r.PlatformRegion) != nil {
			return false
		}
		length += 1 + len(r.PlatformRegion)
	}
	if e.addHyperscalerRegion {
		if !e.HyperscalerRegion.literal() && account.CheckLabelValue(r.HyperscalerRegion) != nil {
			return false
		}
		length += 1 + len(r.HyperscalerRegion)
	}
	return length <= account.MaxLabelValueLength
}

// Entry returns the entry that applies. It belongs to the set and is read only.
func (m Match) Entry() *Entry { return m.entry }

// HyperscalerType returns the value of the label hyperscalerType: <hyperscaler>[_<platform region>][_<hyperscaler region>].
// It is always a valid label value.
func (m Match) HyperscalerType() string {
	return m.entry.typeOn(m.hyperscaler, m.platformRegion, m.hyperscalerRegion)
}

// Shared reports whether the pool has the label shared=true.
func (m Match) Shared() bool { return m.entry.Shared }

// EUAccess reports whether the pool has the label euAccess=true.
func (m Match) EUAccess() bool { return m.euAccess }

// Target returns the pool.
func (m Match) Target() account.Target {
	return account.Target{HyperscalerType: m.HyperscalerType(), Shared: m.Shared(), EUAccess: m.EUAccess()}
}

// Entries returns the entries of the set in their order.
func (s *Set) Entries() []Entry { return slices.Clone(s.entries) }
