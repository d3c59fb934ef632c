package rules

import "fmt"

// reportShadowed warns of entries that can never apply. It is enough to check the hardest request of each (see the
// package comment): who takes that one takes all.
func (p *plan) reportShadowed() Problems {
	var problems Problems
	for _, e := range p.index.entries {
		winner := p.index.best(e.platform, e.hyperscaler)
		if winner.priority <= e.priority {
			continue
		}
		problems = append(problems, e.problem(KindShadowed, SeverityWarning, winner, fmt.Sprintf(
			"Shadowed entry: it never applies, because %v has more attributes and matches every request that this one matches. "+
				"Remove this entry, or narrow the other one.", winner)))
	}
	return problems
}
