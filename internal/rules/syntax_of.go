package rules

import (
	"fmt"

	"github.com/hap-project/terraform-provider-hap/internal/words"
)

// SyntaxError says that entries do not show which syntax they are in.
type SyntaxError struct {
	// Readings are the entries that both syntaxes have, and that lead elsewhere in each, as sentences; or, with Mixed, one of each syntax.
	Readings []string
	// Mixed says that some entries are in one syntax alone, and some in the other.
	Mixed bool
}

func (e *SyntaxError) Error() string {
	if e.Mixed {
		return "the entries are in two syntaxes: " + words.List(e.Readings)
	}
	return "the entries have two readings: " + words.First(maxReadings, e.Readings)
}

// SyntaxOf recognises the syntax of entries: the one in which all of them can be read. Entries that mean the same in both are in the
// broker's own, and so are entries that neither has, whose problems [Compile] reports.
//
// Errors: [*SyntaxError].
func SyntaxOf(entries []string) (Syntax, error) {
	alone := map[Syntax]string{} // the first entry that this syntax alone has
	differ := &SyntaxError{}
	for i, text := range entries {
		attribute, arrow := readAlone(text, SyntaxAttribute), readAlone(text, SyntaxArrow)
		name := fmt.Sprintf("rule %d, %q", i+1, text)
		switch {
		case attribute == nil && arrow == nil:
		case attribute == nil:
			keepFirst(alone, SyntaxArrow, name)
		case arrow == nil:
			keepFirst(alone, SyntaxAttribute, name)
		case attribute.literalType() != arrow.literalType():
			differ.Readings = append(differ.Readings, fmt.Sprintf("%s leads to %s in attribute syntax, and to %s in arrow syntax, which KEB reads",
				name, attribute.literalType(), arrow.literalType()))
		}
	}
	switch {
	case len(alone) == 2:
		return "", &SyntaxError{Mixed: true, Readings: []string{
			alone[SyntaxArrow] + ", is in arrow syntax alone", alone[SyntaxAttribute] + ", in attribute syntax alone",
		}}
	case alone[SyntaxAttribute] != "":
		return SyntaxAttribute, nil
	case alone[SyntaxArrow] == "" && len(differ.Readings) > 0:
		return "", differ
	}
	return SyntaxArrow, nil
}

func keepFirst(alone map[Syntax]string, s Syntax, name string) {
	if alone[s] == "" {
		alone[s] = name
	}
}

// readAlone reads one entry; nil = the syntax does not have it, or nothing is known of its plan.
func readAlone(text string, s Syntax) *Entry {
	set, _ := Compile(Source{Syntax: s, Entries: []string{text}})
	if set == nil {
		return nil
	}
	return &set.entries[0]
}
