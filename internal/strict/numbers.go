package strict

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	kjson "sigs.k8s.io/json"
	yaml3 "sigs.k8s.io/yaml/goyaml.v3"
)

// Decode decodes JSON as an API server does: whole numbers up to 64 bits stay as they are, where encoding/json rounds those above 2^53.
func Decode(content []byte, into any) error {
	return kjson.UnmarshalCaseSensitivePreserveInts(content, into)
}

// Plain is a value as JSON has it: objects, lists, texts, whole numbers of 64 bits, other numbers.
func Plain(value any) (plain any, err error) {
	content, err := json.Marshal(value)
	if err == nil {
		err = Decode(content, &plain)
	}
	return plain, err
}

// inexact are the numbers of a text that change when they are decoded: whole numbers of more than 64 bits, and numbers with more digits
// than a float64 keeps. What cannot be parsed has none.
func inexact(text string) (problems []Problem) {
	var document yaml3.Node
	if yaml3.Unmarshal([]byte(text), &document) != nil {
		return nil
	}
	eachNumber(&document, "", func(path string, number *yaml3.Node) {
		if changes(number.ShortTag(), strings.ReplaceAll(number.Value, "_", "")) {
			problems = append(problems, Problem{Path: path, Text: fmt.Sprintf("the number %s in line %d cannot be kept exactly: a whole number has "+
				"at most 64 bits, another at most 17 digits; quote it if it is a text", shortened(number.Value), number.Line)})
		}
	})
	return problems
}

// eachNumber shows the numbers of a document. An alias is shown where its anchor is, and only there.
func eachNumber(node *yaml3.Node, path string, see func(path string, number *yaml3.Node)) {
	switch node.Kind {
	case yaml3.DocumentNode:
		for _, inside := range node.Content {
			eachNumber(inside, path, see)
		}
	case yaml3.MappingNode:
		for i := 0; i+1 < len(node.Content); i += 2 {
			eachNumber(node.Content[i+1], strings.TrimPrefix(path+"."+node.Content[i].Value, "."), see)
		}
	case yaml3.SequenceNode:
		for i, inside := range node.Content {
			eachNumber(inside, fmt.Sprintf("%s[%d]", path, i), see)
		}
	case yaml3.ScalarNode:
		if isNumber(node) {
			see(path, node)
		}
	}
}

// isNumber reports whether a value is written as a number. One that is beyond a float64 YAML takes for a text.
func isNumber(node *yaml3.Node) bool {
	switch node.ShortTag() {
	case "!!int", "!!float":
		return true
	}
	_, err := strconv.ParseFloat(node.Value, 64)
	return node.Style == 0 && errors.Is(err, strconv.ErrRange) && !strings.ContainsAny(node.Value, "xX")
}

// changes reports whether a number of a tag is another one once it is decoded.
func changes(tag, written string) bool {
	if _, err := strconv.ParseInt(written, 0, 64); err == nil && tag == "!!int" {
		return false
	}
	value, err := strconv.ParseFloat(written, 64)
	return err != nil || decimal(written) != decimal(strconv.FormatFloat(value, 'e', -1, 64))
}

// decimal writes a number in one way: its digits without zeros at either end, and the power of ten of the first.
func decimal(number string) string {
	sign, digits := "", strings.TrimPrefix(number, "+")
	if rest, negative := strings.CutPrefix(digits, "-"); negative {
		sign, digits = "-", rest
	}
	digits, power, _ := strings.Cut(strings.ToLower(digits), "e")
	exponent, _ := strconv.Atoi(power) // a power beyond an int has no value that ParseFloat knows, but for zero
	whole, fraction, _ := strings.Cut(digits, ".")
	exponent += len(whole)
	digits = whole + fraction
	trimmed := strings.TrimLeft(digits, "0")
	exponent -= len(digits) - len(trimmed)
	if trimmed = strings.TrimRight(trimmed, "0"); trimmed == "" {
		return "0"
	}
	return fmt.Sprintf("%s%se%d", sign, trimmed, exponent)
}

// maxNumber is how many characters of a number are quoted.
const maxNumber = 40

func shortened(number string) string {
	if len(number) > maxNumber {
		return number[:maxNumber] + "…"
	}
	return number
}
