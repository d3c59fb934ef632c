package ledger

import (
	"maps"
	"slices"

	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
)

// profiles are the profiles that a plan has published, by their names.
type profiles struct {
	known map[string]adr.Profile
	vague bool // it is not known of all of them what they offer
}

// PlanProfile notes a profile that this plan has published, or changes; one without a name is not known yet.
func (l *Ledger) PlanProfile(p adr.Profile) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if p.Name == "" {
		l.profiles.vague = true
		return
	}
	if l.profiles.known == nil {
		l.profiles.known = map[string]adr.Profile{}
	}
	l.profiles.known[p.Name] = p
}

// PlannedProfiles returns the profiles that this plan has published, as far as it is known by now. whole = it is known of all of them what
// they offer.
func (l *Ledger) PlannedProfiles() (all []adr.Profile, whole bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Collect(maps.Values(l.profiles.known)), !l.profiles.vague
}

// Changes reports whether this plan makes, changes or destroys an object of a type, as far as it is known by now.
func (l *Ledger) Changes(kind string) bool { return l.has(changing, Object{Type: kind}) }
