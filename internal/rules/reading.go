package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/words"
)

// maxReadings is how many entries the warning about another reading shows.
const maxReadings = 5

// otherReading warns of a list that has two readings: written for the broker it leads elsewhere. It is a list without "->" of
// which each entry can be read in the broker's syntax, too, where a named region is no part of the hyperscaler type. A set that
// says which syntax it is in is not doubted.
func (c *compiler) otherReading(src Source) Problems {
	if src.Syntax != "" || len(src.Entries) == 0 {
		return nil
	}
	broker, r := syntaxNamed(brokerSyntax), entryReader{}
	others := make(map[int]Entry) // by number
	for i, text := range src.Entries {
		if tooLong(text) {
			return nil
		}
		r.reset(text)
		broker.read(&r)
		if r.problems.HasErrors() || slices.ContainsFunc(r.tokens, func(t token) bool { return t.kind == arrowToken }) {
			return nil
		}
		if plan := c.set.plans.byName[r.draft.plan.text]; plan != nil {
			others[i+1] = newEntry(i+1, text, broker, plan, r.draft)
		}
	}
	var numbers []int
	var shown []string
	for i := range c.set.entries {
		e := &c.set.entries[i]
		other, ok := others[e.Number]
		if !ok || other.HyperscalerType == e.HyperscalerType {
			continue
		}
		numbers = append(numbers, e.Number)
		shown = append(shown, fmt.Sprintf("%v leads to %s, and as KEB reads it to %s", e, e.literalType(), other.literalType()))
	}
	if len(numbers) == 0 {
		return nil
	}
	return Problems{{
		Kind: KindOtherReading, Severity: SeverityWarning, Field: "rules", Entries: numbers[:1], Text: src.Entries[numbers[0]-1],
		Message: "Two readings: the list may be one of the Kyma Environment Broker (KEB), whose syntax is arrow, and syntax is not set. Here " +
			words.First(maxReadings, shown) + ". If the list is KEB's, set syntax = \"arrow\". If the entries mean what they mean here, set " +
			"syntax = \"attribute\", and this warning ends.",
	}}
}

// literalType is the hyperscaler type of the entry for a message, with the regions that it names.
func (e *Entry) literalType() string {
	return e.typeOn(strings.Join(e.plan.hyperscalers, " or "), "<platform_region>", "<hyperscaler_region>")
}
