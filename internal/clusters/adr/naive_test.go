package adr_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/clusters"
	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
)

// The semantics of the proposal once more, as slowly and plainly as its text: what the package decides is compared with them.
// Versions are three numbers of one or two digits here.

// naiveSame returns all names with the meaning of a trait, itself among them: groups are followed until nothing new comes.
func naiveSame(trait string, groups [][]string) []string {
	names := []string{trait}
	for range len(groups) + 1 {
		for _, group := range groups {
			if slices.ContainsFunc(group, func(n string) bool { return slices.Contains(names, n) }) {
				names = append(names, group...)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// naiveTrait is a trait with every name that means it.
type naiveTrait struct {
	names             string // each between blanks
	optional, negated bool
}

func (n naiveTrait) met(has []string) bool {
	found := false
	for _, t := range has {
		found = found || strings.Contains(n.names, " "+t+" ")
	}
	return found != n.negated
}

// naiveNames returns every name that meets a trait of a request or a purpose.
func naiveNames(t adr.Trait, groups [][]string) string {
	var names []string
	for _, name := range append(slices.Clone(t.AnyOf), t.Name) {
		if name != "" {
			names = append(names, naiveSame(name, groups)...)
		}
	}
	slices.Sort(names)
	return " " + strings.Join(slices.Compact(names), " ") + " "
}

// naiveAlone writes a negated group as what it means: none of its traits may be there, each for itself.
func naiveAlone(list []adr.Trait) (alone []adr.Trait) {
	for _, t := range list {
		if !t.Negated || t.Name != "" {
			alone = append(alone, t)
			continue
		}
		for _, name := range t.AnyOf {
			alone = append(alone, adr.Trait{Name: name, Optional: t.Optional, Negated: true})
		}
	}
	return alone
}

// naiveTraits puts traits together. It reports whether one source contradicts itself.
func naiveTraits(r adr.Request, l adr.Landscape) (all []naiveTrait, torn bool) {
	lists := [][]adr.Trait{naiveAlone(r.Traits)}
	for i, name := range r.Purposes {
		if !slices.Contains(r.Purposes[:i], name) {
			lists = append(lists, naiveAlone(l.Purposes[name].Traits))
		}
	}
	for i, list := range lists {
		for _, t := range list {
			names := naiveNames(t, l.Equivalences)
			open := slices.ContainsFunc(append(slices.Clone(t.AnyOf), t.Name), func(name string) bool {
				return name != "" && !slices.ContainsFunc(list, func(o adr.Trait) bool {
					return o.Negated && slices.Contains(naiveSame(name, l.Equivalences), o.Name)
				})
			})
			torn = torn || !t.Negated && !open // each trait that would do is negated
			for _, other := range list {
				torn = torn || naiveNames(other, l.Equivalences) == names && other.Negated != t.Negated
			}
			earlier := false
			for _, before := range lists[:i] {
				earlier = earlier || slices.ContainsFunc(before, func(o adr.Trait) bool { return naiveNames(o, l.Equivalences) == names })
			}
			if earlier || slices.ContainsFunc(all, func(n naiveTrait) bool { return n.names == names }) {
				continue // the first list that has it decides about negated
			}
			optional := true
			for _, o := range slices.Concat(lists...) {
				if naiveNames(o, l.Equivalences) == names {
					optional = optional && o.Optional
				}
			}
			all = append(all, naiveTrait{names, optional, t.Negated})
		}
	}
	return all, torn
}

func naiveDedicated(r adr.Request, l adr.Landscape) bool {
	if r.Dedicated != nil {
		return *r.Dedicated
	}
	return slices.ContainsFunc(r.Purposes, func(name string) bool { return l.Purposes[name].Dedicated })
}

// naiveFull reports whether a Cluster has as many requests as one of the purposes allows.
func naiveFull(r adr.Request, l adr.Landscape, c adr.Cluster) bool {
	holders := slices.DeleteFunc(slices.Clone(c.Grants), func(g adr.Grant) bool { return g.Left })
	return slices.ContainsFunc(r.Purposes, func(name string) bool {
		count := l.Purposes[name].TenancyCount
		return count > 0 && len(holders) >= count
	})
}

// naiveMeans reports whether a version is one of those that a request asks for.
func naiveMeans(asked, version string) bool {
	return asked == "" || asked == version || strings.HasPrefix(version, asked+".")
}

// naiveVersion returns the version that a profile would take.
func naiveVersion(asked string, p adr.Profile) (taken adr.Version, ok bool) {
	padded := func(v string) string {
		var text string
		for part := range strings.SplitSeq(v, ".") {
			text += fmt.Sprintf("%5s", part)
		}
		return text
	}
	for _, v := range p.Versions {
		if !naiveMeans(asked, v.Version) || v.Deprecated && asked != v.Version {
			continue
		}
		better := !v.Deprecated && taken.Deprecated || v.Deprecated == taken.Deprecated && padded(v.Version) > padded(taken.Version)
		if !ok || better {
			taken, ok = v, true
		}
	}
	return taken, ok || asked == "" && len(p.Versions) == 0
}

func naiveCollides(a, b string) bool { return strings.HasPrefix(a, b) || strings.HasPrefix(b, a) }

// naivePrefix says which prefix a proposal comes to; "random" for a random one.
func naivePrefix(proposal string, granted []adr.Grant) string {
	if len(proposal) < 4 || slices.ContainsFunc(granted, func(g adr.Grant) bool { return naiveCollides(g.Prefix, proposal) }) {
		return "random"
	}
	return proposal
}

// naiveKey is what decides between two that fit: the lowest wins.
type naiveKey struct {
	optionalUnmet, deprecated, grants int
	version                           string // the newest wins
	name                              string
}

func (k naiveKey) before(o naiveKey) bool {
	a := fmt.Sprintf("%03d %03d %05d", k.optionalUnmet, k.deprecated, k.grants)
	b := fmt.Sprintf("%03d %03d %05d", o.optionalUnmet, o.deprecated, o.grants)
	switch {
	case a != b:
		return a < b
	case k.version != o.version:
		_, newer := naiveVersion("", adr.Profile{Versions: []adr.Version{{Version: k.version}, {Version: o.version}}})
		taken, _ := naiveVersion("", adr.Profile{Versions: versions(k.version + " " + o.version)})
		return newer && taken.Version == k.version
	}
	return k.name < o.name
}

// naiveSchedule decides as the text says: "<action> <what> <version> <prefix>", "deny", or "error".
func naiveSchedule(r adr.Request, l adr.Landscape) string {
	held := 0
	answer := ""
	for _, c := range l.Clusters {
		for _, g := range c.Grants {
			if g.Request == r.Ref && !g.Left {
				held++
				answer = fmt.Sprintf("reuse %v %q", c.Ref, g.Prefix)
			}
		}
	}
	switch {
	case held > 1:
		return "error"
	case held == 1:
		return answer
	}
	for _, name := range r.Purposes {
		if _, ok := l.Purposes[name]; !ok {
			return "deny"
		}
	}
	wanted, torn := naiveTraits(r, l)
	if torn {
		return "error"
	}
	alone := naiveDedicated(r, l)
	best, chosen := naiveKey{}, ""
	for _, c := range l.Clusters {
		i := slices.IndexFunc(l.Profiles, func(p adr.Profile) bool { return p.Name == c.Profile })
		if alone || c.Dedicated || i < 0 || !naiveMeans(r.KubernetesVersion, c.Version) {
			continue
		}
		if slices.ContainsFunc(r.Purposes, func(p string) bool { return !slices.Contains(c.Purposes, p) }) {
			continue
		}
		if slices.ContainsFunc(c.Grants, func(g adr.Grant) bool { return g.Prefix == "" }) {
			continue
		}
		if naiveFull(r, l, c) {
			continue
		}
		unmet, violated := naiveJudge(wanted, l.Profiles[i].Traits)
		key := naiveKey{optionalUnmet: unmet, grants: len(c.Grants), name: c.Ref.String()}
		if !violated && (chosen == "" || key.before(best)) {
			best, chosen = key, fmt.Sprintf("reuse %v %q", c.Ref, naivePrefix(r.Prefix, c.Grants))
		}
	}
	if chosen != "" {
		return chosen
	}
	for _, p := range l.Profiles {
		v, ok := naiveVersion(r.KubernetesVersion, p)
		unmet, violated := naiveJudge(wanted, p.Traits)
		if !ok || violated {
			continue
		}
		key := naiveKey{optionalUnmet: unmet, version: v.Version, name: p.Name}
		if v.Deprecated {
			key.deprecated = 1
		}
		prefix := naivePrefix(r.Prefix, nil)
		if alone {
			prefix = ""
		}
		if chosen == "" || key.before(best) {
			best, chosen = key, fmt.Sprintf("create %s %s %q", p.Name, v.Version, prefix)
		}
	}
	if chosen == "" {
		return "deny"
	}
	return chosen
}

// naiveJudge counts the optional traits that are not met, and reports whether a required one is not.
func naiveJudge(wanted []naiveTrait, has []string) (unmet int, violated bool) {
	for _, t := range wanted {
		switch {
		case t.met(has):
		case t.optional:
			unmet++
		default:
			violated = true
		}
	}
	return unmet, violated
}

// naiveMeets reports whether a profile meets all requirements of a denial.
func naiveMeets(p adr.Profile, l adr.Landscape, requirements ...adr.Requirement) bool {
	for _, q := range requirements {
		if len(q.Trait.Names) == 0 {
			if _, ok := naiveVersion(q.Version, p); !ok {
				return false
			}
			continue
		}
		names := naiveNames(adr.Trait{AnyOf: q.Trait.Names}, l.Equivalences)
		if !(naiveTrait{names: names, negated: q.Trait.Negated}).met(p.Traits) {
			return false
		}
	}
	return true
}

// decided writes a decision as naiveSchedule does.
func decided(d adr.Decision, err error) string {
	prefix := d.Prefix
	if d.PrefixRule.Kind == adr.PrefixRandom {
		prefix = "random"
	}
	switch {
	case err != nil:
		return "error"
	case d.Action == clusters.Reuse:
		return fmt.Sprintf("reuse %v %q", d.Cluster, prefix)
	case d.Action == clusters.Create:
		return fmt.Sprintf("create %s %s %q", d.Profile, d.Version, prefix)
	}
	return "deny"
}
