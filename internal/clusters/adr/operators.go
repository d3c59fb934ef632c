package adr

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Operator says how the traits of a group are put together. The values are those of the proposal.
type Operator string

const (
	// Or asks for one of the traits at least.
	Or Operator = "or"
	// And asks for all of them.
	And Operator = "and"
	// Xor asks for exactly one of them; of three or more, too [choice].
	Xor Operator = "xor"
)

// group returns the names of a group and how they are put together; no names where the trait is none.
func (t Trait) group() (names []string, op Operator) {
	switch {
	case len(t.AnyOf) > 0:
		return t.AnyOf, Or
	case len(t.AllOf) > 0:
		return t.AllOf, And
	case len(t.OneOf) > 0:
		return t.OneOf, Xor
	}
	return nil, ""
}

// met reports whether so many of n traits are enough.
func (op Operator) met(present, n int) bool {
	switch op {
	case And:
		return present == n
	case Xor:
		return present == 1
	}
	return present > 0
}

// possible reports whether a group of n traits can be met, of which a source asks for so many by themselves and negates so many: any of the
// others may be there or not.
func (op Operator) possible(asked, negated, n int, wanted bool) bool {
	for present := asked; present <= n-negated; present++ {
		if op.met(present, n) == wanted {
			return true
		}
	}
	return false
}

// apart reports whether a group is each of its traits by itself, so that the rules of aggregation find each of them: a negated or, and an
// and
// that is required [choice]. An optional and is one preference, which is met where all of them are there.
func (t Trait) apart() bool {
	_, op := t.group()
	return op == Or && t.Negated || op == And && !t.Negated && !t.Optional
}

// traitKey is what sources say the same thing about: a trait, or a group. It has canonical names, sorted.
type traitKey struct {
	op    Operator // empty for one trait
	names string   // with groupSeparator between them
}

// groupSeparator is between the names of a group in its key. No trait has it: checkTrait refuses control characters.
const groupSeparator = "\x00"

func (k traitKey) trait() AggregatedTrait {
	return AggregatedTrait{Names: strings.Split(k.names, groupSeparator), Op: k.op}
}

// traitKeys returns the keys of a trait, each with the name as it is written. A group of one name, or of several that mean the same, is
// that
// trait.
func traitKeys(t Trait, same equivalences) map[traitKey]string {
	names, op := t.group()
	if t.Name != "" {
		names = []string{t.Name}
	}
	keys, canonical := make(map[traitKey]string, len(names)), []string{}
	for _, name := range names {
		of := same.of(name)
		if key := (traitKey{names: of}); keys[key] == "" {
			keys[key], canonical = name, append(canonical, of)
		}
	}
	if t.apart() || len(keys) == 1 {
		return keys
	}
	slices.Sort(canonical)
	return map[traitKey]string{{op, strings.Join(canonical, groupSeparator)}: strings.Join(names, " "+string(op)+" ")}
}

// checkGroups returns an error for a group that a source makes impossible by what it says of its traits by themselves [choice].
func (s source) checkGroups(said map[traitKey]opinion) error {
	for i, t := range s.traits {
		key := slices.Collect(maps.Keys(traitKeys(t, s.same)))
		if len(key) != 1 || key[0].op == "" {
			continue
		}
		of := key[0].trait()
		asked, negated := 0, 0
		for _, name := range of.Names {
			switch o, alone := said[traitKey{names: name}]; {
			case alone && o.negated:
				negated++
			case alone:
				asked++
			}
		}
		if !of.Op.possible(asked, negated, len(of.Names), !t.Negated) {
			return wrong(elementOf(s.field, i), "%s; leave one of them out", impossible(said[key[0]].written, asked, negated))
		}
	}
	return nil
}

// impossible says why a group cannot be met.
func impossible(written string, asked, negated int) string {
	switch {
	case asked == 0:
		return contradiction(written, "")
	case negated == 0:
		return fmt.Sprintf("the traits %s cannot be so: the same source asks for %d of them by themselves", written, asked)
	}
	return fmt.Sprintf("the traits %s cannot be so: the same source asks for %d of them by themselves and negates %d", written, asked, negated)
}

// phrase names what is asked for, with a description of the names: "the trait a or b", "all of the traits a and b".
func (t AggregatedTrait) phrase(named []string) string {
	list := strings.Join(named, " "+string(t.joint())+" ")
	switch t.Op {
	case And:
		return "all of the traits " + list
	case Xor:
		return "exactly one of the traits " + list
	}
	return "the trait " + list
}

// requirement names what is required, for a denial.
func (t AggregatedTrait) requirement(named []string) string {
	switch phrase := t.phrase(named); {
	case !t.Negated:
		return phrase
	case t.Op == "":
		return "the absence of " + phrase
	default:
		return "other than " + phrase
	}
}

// joint is the operator between the names.
func (t AggregatedTrait) joint() Operator {
	if t.Op == "" {
		return Or
	}
	return t.Op
}
