package strict

import (
	"errors"
	"fmt"
	"io"
	"strings"

	yaml3 "sigs.k8s.io/yaml/goyaml.v3"
)

// DocumentsError says that a text goes on after its document. The parsers read the first document, and drop what follows.
type DocumentsError struct {
	Line   int  // where what follows begins, from 1
	Marked bool // it is a document of its own, after a marker (---)
}

func (e *DocumentsError) Error() string {
	if e.Marked {
		return fmt.Sprintf("a second document begins in line %d, and only one is read; take it out", e.Line)
	}
	return fmt.Sprintf("the document has ended, and the text goes on in line %d; take out what follows", e.Line)
}

// OneDocument returns the one document of a YAML or JSON text: the text without the empty documents before it, whose lines stay as empty
// ones. Empty documents do not count, nor do comments, and a text of empty ones is returned as it is.
//
// Errors: a [*DocumentsError]; that of the YAML parser.
func OneDocument(text string) (string, error) {
	first := 0 // the line in which the one document begins; 0 = there is none
	for decoder := yaml3.NewDecoder(strings.NewReader(text)); ; {
		var document yaml3.Node
		switch err := decoder.Decode(&document); {
		case errors.Is(err, io.EOF):
			return fromLine(text, first), nil
		case err != nil && first > 0 && strings.Contains(err.Error(), goesOn):
			var before int // the parser counts from 0 here, and does not report a 0
			_, _ = fmt.Sscanf(err.Error(), "yaml: line %d:", &before)
			return "", &DocumentsError{Line: before + 1}
		case err != nil:
			return "", err
		case isEmpty(&document):
		case first > 0:
			return "", &DocumentsError{Line: document.Content[0].Line, Marked: true}
		default:
			first = document.Content[0].Line
		}
	}
}

// goesOn is what the YAML parser says where a document has ended, and neither the text does nor another document begins.
const goesOn = "did not find expected <document start>"

// isEmpty reports whether a document has nothing in it, which reads as null. A null that is written is something.
func isEmpty(document *yaml3.Node) bool {
	for _, node := range document.Content {
		if node.Kind != yaml3.ScalarNode || node.ShortTag() != "!!null" || node.Value != "" {
			return false
		}
	}
	return true
}

// fromLine empties the lines of a text before the document that begins in a line: a line that begins with three hyphens is never part of
// a value.
func fromLine(text string, first int) string {
	lines := strings.Split(text, "\n")
	for i := min(first, len(lines)) - 1; i > 0; i-- {
		if rest, marks := strings.CutPrefix(lines[i], "---"); marks && strings.TrimLeft(rest, " \t\r") != rest || lines[i] == "---" {
			return strings.Repeat("\n", i) + strings.Join(lines[i:], "\n")
		}
	}
	return text
}
