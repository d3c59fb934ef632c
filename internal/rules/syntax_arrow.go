package rules

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// The outputs of SyntaxArrow, in the order of labels.
const (
	outputPR = iota
	outputHR
	outputShared
	outputEUAccess
	outputCount
)

var outputNames = []string{"PR", "HR", "S", "EU"}

// arrowText returns the normal form of an entry of SyntaxArrow.
func arrowText(e *Entry) string {
	matchers, outputs := make([]string, 0, 2), make([]string, 0, outputCount)
	if e.PlatformRegion != PatternNone {
		matchers = append(matchers, "PR="+string(e.PlatformRegion))
	}
	if e.HyperscalerRegion != PatternNone {
		matchers = append(matchers, "HR="+string(e.HyperscalerRegion))
	}
	l := e.labels(true)
	for output, name := range outputNames {
		if l&(1<<output) != 0 {
			outputs = append(outputs, name)
		}
	}
	text := e.Plan + parenthesized(matchers)
	if len(outputs) > 0 {
		text += " -> " + strings.Join(outputs, ",")
	}
	return text
}

// anyLabels is true: labels do not count, KEB refuses two entries that differ in nothing else.
func anyLabels(_, _ *Entry) bool { return true }

// countMatchers gives priority by what is in the parentheses.
func countMatchers(regions int, _ labels) int { return regions }

// readArrowEntry reads an entry of SyntaxArrow.
func (r *entryReader) readArrowEntry() {
	r.checkBlanks()
	if !r.readPlan() {
		return
	}
	afterItems := r.peek().kind == openToken
	if afterItems {
		if open := r.peek(); r.tokens[r.pos+1].kind == closeToken {
			r.notForKEB(open.column, "Parentheses refused by KEB: here \"()\" is nothing, but KEB wants an attribute in them and refuses the whole "+
				"list. Remove them, or give KEB the rule_file of this set.")
		}
		r.readItems(r.useMatcher)
	}
	switch t := r.peek(); t.kind {
	case endToken:
	case otherArrowToken:
		r.fail(t, "Not an arrow: found %v. Did you mean \"->\"?", t)
		r.readOutputs()
	case arrowToken:
		r.readOutputs()
	case wordToken:
		if slices.Contains(outputNames, t.text) && r.tokens[r.pos+1].kind != equalsToken || afterItems {
			r.fail(t, "Missing \"->\": found %v. Write \"->\" before the labels, as in gcp(PR=cf-eu11) -> PR, S.", t)
			return
		}
		r.failRest(t, afterItems)
	default:
		r.failRest(t, afterItems)
	}
}

// brokerBlanks are the characters that KEB drops, wherever they are in an entry. It keeps any other blank as a part of a name.
const brokerBlanks = " \t\n\r\f"

// checkBlanks warns of the first blank that KEB takes for a part of a name.
func (r *entryReader) checkBlanks() {
	column := 0
	for _, c := range r.text {
		column++
		if unicode.IsSpace(c) && !strings.ContainsRune(brokerBlanks, c) {
			r.notForKEB(column, fmt.Sprintf("Blank unknown to KEB: here %U is a blank, but KEB takes it for a part of a name and refuses or "+
				"misreads the entry. Write a space, or give KEB the rule_file of this set.", c))
			return
		}
	}
}

// useMatcher takes an attribute in the parentheses: PR or HR, each once and with a value.
func (r *entryReader) useMatcher(it item) {
	var target *region
	switch it.name.text {
	case "PR":
		target = &r.draft.platform
	case "HR":
		target = &r.draft.hyperscaler
	default:
		r.fail(it.name, "Unknown attribute: found %v; expected PR or HR.%s", it.name, matcherHint(it.name.text))
		return
	}
	if target.column != 0 {
		r.fail(it.name, "Attribute twice: %s has a value at column %d already. Remove one of the two.",
			it.name.text, target.column)
		return
	}
	if it.value.kind != wordToken {
		r.fail(it.name, "No value: %s needs one in the arrow syntax, as in %s=cf-eu11. "+
			"To add the region to the hyperscaler type, write \"-> %s\".", it.name.text, it.name.text, it.name.text)
		return
	}
	*target = r.regionOf(it)
	if target.pattern == PatternAny {
		// KEB's own default configuration writes this, and its parser takes * as the name of a region.
		target.suffix = true
		r.notForKEB(it.value.column, "Wildcard unknown to KEB: here "+it.name.text+"=* matches any region and adds it to the hyperscaler "+
			"type, but KEB reads * as the name of a region and never matches this entry. "+
			"Name the region, or leave it out and write \"-> "+it.name.text+"\".")
	}
}

// readOutputs reads "-> OUT, ...", each output once and without a value.
func (r *entryReader) readOutputs() {
	before := r.next() // the arrow
	var seen [outputCount]token
	for {
		switch t := r.next(); t.kind {
		case wordToken:
			r.useOutput(t, &seen)
		case commaToken:
			r.fail(t, "Empty label: found %v where a label belongs. Remove it.", t)
			before = token{}
			continue
		case endToken:
			switch before.kind {
			case arrowToken, otherArrowToken:
				r.fail(t, "Nothing after \"->\": expected PR, HR, S or EU. Write one of them, or remove \"->\".")
			case commaToken:
				r.fail(before, "Trailing comma: found no label after it. Remove the comma.")
			}
			return
		default:
			r.failOutput(t)
			return
		}
		switch t := r.peek(); t.kind {
		case commaToken:
			before = r.next()
		case endToken:
			return
		case equalsToken:
			r.fail(t, "Value of a label: found \"=\" after \"->\", where a label has no value. "+
				"Write what the entry matches in the parentheses.")
			r.skip()
			if r.peek().kind == commaToken {
				before = r.next()
				continue
			}
			return
		case wordToken:
			r.fail(t, "Missing comma: found %v. Write a comma between two labels.", t)
			before = token{}
		default:
			r.failOutput(t)
			return
		}
	}
}

// failOutput reports a token that is not allowed after the arrow.
func (r *entryReader) failOutput(t token) {
	if t.kind == arrowToken || t.kind == otherArrowToken {
		r.fail(t, "Second \"->\": an entry has one, and all labels after it. Write a comma instead.")
		return
	}
	r.fail(t, "Unexpected %v: only PR, HR, S and EU are allowed after \"->\". Write what the entry matches before it.", t)
}

func (r *entryReader) useOutput(t token, seen *[outputCount]token) {
	output := slices.Index(outputNames, t.text)
	if output < 0 {
		r.fail(t, "Unknown label: found %v; expected PR, HR, S or EU.%s", t, outputHint(t.text, outputNames...))
		return
	}
	if first := seen[output]; first.kind == wordToken {
		r.fail(t, "Label twice: %s is at column %d already. Remove one of the two.", t.text, first.column)
		return
	}
	seen[output] = t
	switch output {
	case outputPR:
		r.draft.platform.suffix = true
	case outputHR:
		r.draft.hyperscaler.suffix = true
	case outputShared:
		r.draft.shared = true
	case outputEUAccess:
		r.draft.euAccess = EUAccessAlways
	}
}

// arrowNames are the outputs by their names in SyntaxAttribute.
var arrowNames = map[string]string{
	"platformRegion": "PR", "CR": "HR", "clusterRegion": "HR", "hyperscalerRegion": "HR", "shared": "S", "euAccess": "EU",
}

// matcherHint helps with an attribute that the arrow syntax writes in another way.
func matcherHint(name string) string {
	const after = " Write labels after the arrow: \"-> %s\". Entries such as gcp(%s) belong to syntax = %q."
	switch cmp.Or(arrowNames[name], name) {
	case "S":
		return fmt.Sprintf(after, "S", "shared", SyntaxAttribute)
	case "EU":
		return fmt.Sprintf(after, "EU", "euAccess", SyntaxAttribute)
	}
	return outputHint(name, "PR", "HR")
}

// outputHint helps with a name that the arrow syntax writes in another way, or with the nearest of those that it knows.
func outputHint(name string, known ...string) string {
	if other := arrowNames[name]; other != "" {
		return " In the arrow syntax it is " + other + "."
	}
	return DidYouMean(name, known)
}
