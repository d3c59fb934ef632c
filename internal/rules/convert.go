package rules

// Convert returns entries in a syntax that answer every request as the set does: with the same hyperscaler type, shared and EU
// access, or with an error where the set has one. The entries go with the plans and the EU access regions of the set.
//
// Every request means: any plan, any platform region, hyperscaler region and hyperscaler, each of them given or not, where the
// platform region decides about EU access, as it does for each claim. A request that says itself whether it has EU access
// ([Request.EUAccess], known to Match alone) does not count: with euAccess=* it gets what it says, and no entry of the arrow
// syntax can do that.
//
// A plan whose entries are in that syntax already keeps them as they are written, unless they have a * of the arrow syntax.
// The entries of any other plan are written anew, in the place of its first entry: without a * of the arrow syntax if that can
// be, and as few as possible. In the arrow syntax such a set may have more entries than its rule file needs, because the
// broker always knows both regions.
//
// There are no entries if a plan has no equal in the syntax. Then a problem of the kind [KindInexpressible] names for each such
// plan the entry, or the element of a legacy property, that is at fault, and says why.
func (s *Set) Convert(to Syntax) ([]string, Problems) {
	target := syntaxNamed(to)
	if target == nil {
		return nil, Problems{{Kind: KindParse, Severity: SeverityError, Field: "syntax", Text: string(to), Message: unknownSyntax(to)}}
	}
	var problems Problems
	keep := func(p *plan) bool { return s.syntax == target && (to != brokerSyntax || p.readByBroker()) }
	texts := s.rewrite(keep, func(e *Entry) string { return e.Text }, func(p *plan) []string {
		anew, found := s.write(&p.index, p, target)
		if !found {
			problems = append(problems, s.inexpressible(p, target))
		}
		return anew
	})
	if problems.HasErrors() {
		return nil, problems
	}
	return texts, nil
}

// write writes the entries of a plan's index anew and reports whether the syntax has such entries.
func (s *Set) write(ix *index, p *plan, to *syntax) (texts []string, found bool) {
	w := newWriter(s.grid(ix), p, to)
	choices, found := w.write()
	for _, c := range choices {
		e := w.entry(p, to, c)
		texts = append(texts, e.Canonical())
	}
	return texts, found
}
