package rules

import (
	"fmt"
	"strings"
)

// entryReader reads one entry after the other. It goes on after an error as far as it can know where the next item
// begins, so that one run shows all errors of an entry.
type entryReader struct {
	text     string
	tokens   []token
	pos      int
	draft    draft
	problems Problems // of the current entry; Field, Entries and Text are filled in later
}

// item is NAME[=VALUE]; value is an endToken where there is none.
type item struct {
	name  token
	value token
}

func (r *entryReader) reset(text string) {
	*r = entryReader{text: text, tokens: lex(text, r.tokens[:0]), problems: r.problems[:0]}
}

func (r *entryReader) peek() token { return r.tokens[r.pos] }

// next returns the current token and moves on, but never past the end.
func (r *entryReader) next() token {
	t := r.tokens[r.pos]
	if t.kind != endToken {
		r.pos++
	}
	return t
}

func (r *entryReader) report(kind Kind, column int, message string) {
	r.problems = append(r.problems, Problem{Kind: kind, Severity: SeverityError, Column: column, Message: message})
}

// fail reports a parse error.
func (r *entryReader) fail(at token, format string, args ...any) {
	r.report(KindParse, at.column, fmt.Sprintf(format, shortened(args)...))
}

// notForKEB warns of what can be read here, and which KEB refuses or reads in another way.
func (r *entryReader) notForKEB(column int, message string) {
	r.problems = append(r.problems, Problem{Kind: KindParse, Severity: SeverityWarning, Column: column, Message: message})
}

// readPlan reads the plan. It returns false if the rest of the entry makes no sense.
func (r *entryReader) readPlan() bool {
	t := r.peek()
	if t.kind == endToken {
		r.fail(t, "Empty entry: found no text. Write a plan, such as gcp, or remove the entry.")
		return false
	}
	if t.kind != wordToken {
		r.fail(t, "No plan: found %v where the plan belongs. Begin the entry with a plan, such as gcp.", t)
		return t.kind == openToken || t.kind == arrowToken || t.kind == otherArrowToken
	}
	r.next()
	if i := strings.IndexAny(t.text, ":;"); i >= 0 {
		r.fail(t, "Legacy form: found %q; expected a plan. Write one entry for each plan and region, "+
			"such as gcp(PR=cf-sa30), or use legacy instead of rules.", t.text)
		return false
	}
	if strings.Contains(t.text, "*") {
		r.fail(t, "Invalid plan: found %q, and * cannot mean a plan. Write one entry for each plan.", t.text)
		return true
	}
	r.draft.plan = t
	return true
}

const secondOpen = "Second \"(\": the attributes of an entry are in one pair of parentheses. Remove it."

// readItems reads "(ITEM, ...)" and hands each well-formed item to use.
func (r *entryReader) readItems(use func(item)) {
	r.next() // the parenthesis
	for before := (token{}); ; {
		switch t := r.peek(); t.kind {
		case wordToken:
			if it, ok := r.readItem(); ok {
				use(it)
			}
		case commaToken:
			r.fail(t, "Empty attribute: found %v where an attribute belongs. Remove it.", t)
			before = r.next()
			if r.peek().kind == closeToken {
				r.next()
				return
			}
			continue
		case closeToken:
			if before.kind == commaToken {
				r.fail(before, "Trailing comma: found no attribute after it. Remove the comma.")
			}
			r.next()
			return
		case openToken:
			r.fail(t, secondOpen)
			r.next()
			continue
		case equalsToken:
			r.fail(t, "No attribute: found %v where an attribute belongs. Write NAME=VALUE.", t)
			r.skip()
		}
		switch t := r.peek(); t.kind {
		case commaToken:
			before = r.next()
		case closeToken:
			r.next()
			return
		default:
			r.fail(t, "Missing \")\": found %v where the attributes have to end. Close them with \")\".", t)
			return
		}
	}
}

// readItem reads NAME[=VALUE] and the text before the next comma or parenthesis; it reports whether that was one item.
func (r *entryReader) readItem() (item, bool) {
	it := item{name: r.next()}
	if r.peek().kind == equalsToken {
		r.next()
		switch t := r.peek(); t.kind {
		case wordToken:
			it.value = r.next()
		case equalsToken, openToken:
		default:
			r.fail(t, "Empty value: found %v after %q. Write a value there.", t, it.name.text+"=")
			return it, false
		}
	}
	switch t := r.peek(); t.kind {
	case wordToken:
		last := it.name
		if it.value.kind == wordToken {
			last = it.value
		}
		r.fail(t, "Missing comma: found %v after %v. Write a comma between two attributes; "+
			"no name or value has a blank.", t, last)
	case equalsToken:
		r.fail(t, "Second \"=\": an attribute is written NAME=VALUE. Remove it.")
	case openToken:
		r.fail(t, secondOpen)
	default:
		return it, true
	}
	r.skip()
	return it, false
}

// skip moves on to where the next item or the end of the items can be.
func (r *entryReader) skip() {
	for {
		switch r.peek().kind {
		case commaToken, closeToken, arrowToken, otherArrowToken, endToken:
			return
		}
		r.next()
	}
}

// failRest reports a token after the plan, or after its attributes, that cannot follow there.
func (r *entryReader) failRest(t token, afterItems bool) {
	switch {
	case t.kind == openToken:
		r.fail(t, secondOpen)
	case t.kind == closeToken && afterItems:
		r.fail(t, "Second \")\": the attributes end before it. Remove it.")
	case t.kind == commaToken && !afterItems:
		r.fail(t, "Several plans: found %v after the plan. Write one entry for each plan.", t)
	case afterItems:
		r.fail(t, "Text after \")\": found %v. End the entry with the parenthesis.", t)
	default:
		r.fail(t, "Missing \"(\": found %v after the plan. Write the attributes in parentheses, as in gcp(PR=cf-eu11).", t)
	}
}

// regionOf turns the value of a region attribute into a pattern.
func (r *entryReader) regionOf(it item) region {
	v := it.value
	if v.kind != wordToken {
		return region{pattern: PatternAny, column: it.name.column}
	}
	if v.text != "*" && strings.Contains(v.text, "*") {
		r.fail(v, "Invalid region: found %q, and * can only mean a whole region. "+
			"Write one entry for each region, or %s=*.", v.text, it.name.text)
		return region{}
	}
	return region{pattern: Pattern(v.text), column: v.column}
}
