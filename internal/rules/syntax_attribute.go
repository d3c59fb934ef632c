package rules

import (
	"fmt"
	"math/bits"
	"slices"
)

// The attributes of SyntaxAttribute (ADR 001).
const (
	attributePR = iota
	attributeCR
	attributeShared
	attributeEUAccess
	attributeCount
)

// attributeNames are the names of each attribute.
var attributeNames = [attributeCount][]string{
	{"PR", "platformRegion"}, {"CR", "HR", "clusterRegion", "hyperscalerRegion"}, {"shared"}, {"euAccess"},
}

// attributeText returns the normal form of an entry of SyntaxAttribute.
func attributeText(e *Entry) string {
	attributes := make([]string, 0, attributeCount)
	if e.PlatformRegion != PatternNone {
		attributes = append(attributes, "PR="+string(e.PlatformRegion))
	}
	if e.HyperscalerRegion != PatternNone {
		attributes = append(attributes, "CR="+string(e.HyperscalerRegion))
	}
	if e.Shared {
		attributes = append(attributes, "shared")
	}
	switch e.EUAccess {
	case EUAccessAlways:
		attributes = append(attributes, "euAccess")
	case EUAccessOnRequest:
		attributes = append(attributes, "euAccess=*")
	}
	return e.Plan + parenthesized(attributes)
}

func sameLabels(a, b *Entry) bool { return a.Shared == b.Shared && a.EUAccess == b.EUAccess }

// countAllAttributes gives priority by matchers and labels (ADR 001).
func countAllAttributes(regions int, l labels) int {
	return regions + bits.OnesCount8(uint8(l&(withShared|withEUAccess)))
}

// readAttributeEntry reads an entry of SyntaxAttribute.
func (r *entryReader) readAttributeEntry() {
	if !r.readPlan() {
		return
	}
	afterItems := r.peek().kind == openToken
	if afterItems {
		var seen [attributeCount]token
		r.readItems(func(it item) { r.useAttribute(it, &seen) })
	}
	switch t := r.peek(); t.kind {
	case endToken:
	case arrowToken:
		r.fail(t, "Arrow in attribute syntax: found \"->\", which belongs to the other syntax. Set syntax = %q.", SyntaxArrow)
	case otherArrowToken:
		r.fail(t, "Not an arrow: found %v. Did you mean \"->\"? It belongs to the other syntax: then set syntax = %q, too.", t, SyntaxArrow)
	default:
		r.failRest(t, afterItems)
	}
}

func (r *entryReader) useAttribute(it item, seen *[attributeCount]token) {
	attribute := slices.IndexFunc(attributeNames[:], func(names []string) bool { return slices.Contains(names, it.name.text) })
	if attribute < 0 {
		r.fail(it.name, "Unknown attribute: found %v; expected PR, CR, shared or euAccess.%s", it.name, attributeHint(it.name.text))
		return
	}
	if first := seen[attribute]; first.kind == wordToken {
		r.fail(it.name, "Attribute twice: %s%s is at column %d already. Remove one of the two.",
			first.text, alias(first.text, it.name.text), first.column)
		return
	}
	seen[attribute] = it.name
	switch attribute {
	case attributePR:
		r.draft.platform = r.regionOf(it)
		r.draft.platform.suffix = true
	case attributeCR:
		r.draft.hyperscaler = r.regionOf(it)
		r.draft.hyperscaler.suffix = true
	case attributeShared:
		r.draft.shared = true
		r.checkFlag(it, "")
	case attributeEUAccess:
		r.draft.euAccess = EUAccessAlways
		if it.value.text == EUAccessOnRequest {
			r.draft.euAccess = EUAccessOnRequest
		}
		r.checkFlag(it, EUAccessOnRequest)
	}
}

// checkFlag checks the value of shared or euAccess: none, true, or the one that is allowed besides.
func (r *entryReader) checkFlag(it item, besides string) {
	name, value := it.name.text, it.value
	expected := fmt.Sprintf("expected %s or %s=true", name, name)
	if besides != "" {
		expected = fmt.Sprintf("expected %s, %s=true or %s=%s", name, name, name, besides)
	}
	switch value.text {
	case "", "true", besides:
	case "false":
		r.fail(value, "Invalid value: found %q; %s. To have no such label, leave %s out.", name+"=false", expected, name)
	default:
		r.fail(value, "Invalid value: found %q; %s.", name+"="+value.text, expected)
	}
}

// alias explains how a second name can be a repetition of the first.
func alias(first, second string) string {
	if first == second {
		return ""
	}
	return fmt.Sprintf(", the same attribute as %s,", second)
}

func attributeHint(name string) string {
	switch name {
	case "S":
		return " Did you mean \"shared\"? S is an output of the arrow syntax."
	case "EU":
		return " Did you mean \"euAccess\"? EU is an output of the arrow syntax."
	}
	return DidYouMean(name, slices.Concat(attributeNames[:]...))
}
