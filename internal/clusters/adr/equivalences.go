package adr

import (
	"maps"
	"slices"
)

// equivalences knows the one name under which traits of the same meaning are compared (ADR 015).
type equivalences struct {
	canonical map[string]string
	members   map[string][]string
}

// newEquivalences joins groups that share a name: equivalence is transitive [choice]. The canonical name of a
// group is its first by the alphabet [choice], so that it does not depend on how the groups are written.
func newEquivalences(groups [][]string) equivalences {
	leader := map[string]string{}
	find := func(name string) string {
		for leader[name] != "" && leader[name] != name {
			if above := leader[leader[name]]; above != "" {
				leader[name] = above // halves the path, so that long chains of groups stay short
			}
			name = leader[name]
		}
		return name
	}
	for _, group := range groups {
		for _, name := range group {
			a, b := find(group[0]), find(name)
			leader[max(a, b)] = min(a, b)
		}
	}
	same := equivalences{canonical: make(map[string]string, len(leader)), members: map[string][]string{}}
	for _, name := range slices.Sorted(maps.Keys(leader)) {
		first := find(name)
		same.canonical[name] = first
		same.members[first] = append(same.members[first], name)
	}
	return same
}

// of returns the name under which a trait is compared.
func (e equivalences) of(trait string) string {
	if name, ok := e.canonical[trait]; ok {
		return name
	}
	return trait
}

// set returns traits under the names by which they are compared.
func (e equivalences) set(traits []string) map[string]bool {
	set := make(map[string]bool, len(traits))
	for _, t := range traits {
		set[e.of(t)] = true
	}
	return set
}

// describe names traits, each with its other names: "a (also known as b)".
func (e equivalences) describe(canonical []string) []string {
	described := make([]string, len(canonical))
	for i, name := range canonical {
		described[i] = name
		if others := slices.DeleteFunc(slices.Clone(e.members[name]), func(other string) bool { return other == name }); len(others) > 0 {
			described[i] += " (also known as " + listed(others) + ")"
		}
	}
	return described
}
