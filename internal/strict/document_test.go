package strict

import (
	"errors"
	"fmt"
	"testing"
)

// A text is one document. Empty ones around it do not count; a second one is an error that names its line, and never dropped.
func TestOneDocument(t *testing.T) {
	t.Parallel()
	const parser = -1
	for name, test := range map[string]struct {
		text string
		want string // what the document says of a
		line int    // of a second document; parser = the parser refuses the text
	}{
		"one":                             {"a: 1\n", "1", 0},
		"after a marker":                  {"---\na: 1\n", "1", 0},
		"before a marker":                 {"a: 1\n---\n", "1", 0},
		"between markers":                 {"---\na: 1\n---\n", "1", 0},
		"between dots":                    {"---\na: 1\n...\n", "1", 0},
		"after an empty one":              {"---\n---\na: 1\n", "1", 0},
		"after a comment":                 {"# nothing\n---\n# still nothing\n---\na: 1\n", "1", 0},
		"before comments":                 {"a: 1\n---\n# nothing\n---\n", "1", 0},
		"after the marker in its line":    {"---\n--- {a: 1}\n", "1", 0},
		"with the ends of lines of DOS":   {"---\r\n---\r\na: 1\r\n", "1", 0},
		"with hyphens in a value":         {"a: |\n  1\n  ---\n  2\n", "1\n---\n2\n", 0},
		"with a line of hyphens":          {"b:\n- ----\na: 1\n", "1", 0},
		"JSON":                            {`{"a": 1}`, "1", 0},
		"JSON after empty lines":          {"\n\n{\"a\":\n1}\n\n", "1", 0},
		"two":                             {"a: 1\n---\na: 2\n", "", 3},
		"two, the first after a marker":   {"---\na: 1\n---\na: 2\n", "", 4},
		"two with an empty one between":   {"a: 1\n---\n---\na: 2\n", "", 4},
		"a second that is a text":         {"a: 1\n---\ntext\n", "", 3},
		"a second that is a written null": {"a: 1\n--- null\n", "", 2},
		"a second in the line of dots":    {"a: 1\n...\n---\n\nb: 1\n", "", 5},
		"a second of JSON":                {"{\"a\": 1}\n{\"a\": 2}\n", "", 2},
		"a second of JSON in its line":    {`{"a": 1}{"a": 2}`, "", 1},
		"a second of JSON further down":   {"---\n{\"a\":\n1}\n\n\n{\"a\": 2}", "", 6},
		"JSON and a text":                 {`{"a": 1} and more`, "", 1},
		"a second that is no YAML":        {"a: 1\n---\n{\n", "", parser},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var read struct {
				A any `json:"a"`
				B any `json:"b"`
			}
			written, problems := Read(test.text, &read, Source{Owner: "this test", Shape: "no object"})
			_, err := OneDocument(test.text)
			second, _ := errors.AsType[*DocumentsError](err)
			switch {
			case test.want != "" && (len(problems) > 0 || fmt.Sprint(read.A) != test.want):
				t.Errorf("read %v, %v", read.A, problems)
			case test.want == "" && (written != nil || len(problems) != 1):
				t.Errorf("read %v, %v", written, problems)
			case test.line > 0 && (second == nil || second.Line != test.line):
				t.Errorf("the error is %v", err)
			case test.line == parser && (second != nil || err == nil):
				t.Errorf("the error is %v", err)
			}
		})
	}
}
