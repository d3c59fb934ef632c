package rules

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

type tokenKind uint8

const (
	endToken tokenKind = iota
	wordToken
	openToken
	closeToken
	commaToken
	equalsToken
	arrowToken
	otherArrowToken // what is no arrow here, but meant as one
)

// otherArrows are what people, and programs that correct them, write for "->".
var otherArrows = []string{"=>", "-->", "–>", "—>", "→", "⇒", "➔", "-&gt;"}

// punctuation are the tokens of one character, from openToken on.
const punctuation = "(),="

// token is a piece of an entry; column counts characters from 1.
type token struct {
	kind   tokenKind
	text   string
	column int
}

// String returns the token for a message.
func (t token) String() string {
	if t.kind == endToken {
		return "the end of the entry"
	}
	return fmt.Sprintf("%q", shorten(t.text))
}

// otherArrow returns what is meant as an arrow at the beginning of a text; empty = nothing.
func otherArrow(text string) string {
	if first := text[0]; first >= utf8.RuneSelf || first == '=' || first == '-' {
		for _, other := range otherArrows {
			if strings.HasPrefix(text, other) {
				return other
			}
		}
	}
	return ""
}

// lex cuts an entry into tokens and appends them to tokens. The last one is always an endToken, just after the last
// character that is no blank. A word is everything else, so that the reader, which knows what it expected, can say what
// is wrong with it.
func lex(text string, tokens []token) []token {
	column, end := 0, 1
	word := token{}
	start := 0
	flush := func(i int) {
		if word.kind == wordToken {
			word.text = text[start:i]
			tokens = append(tokens, word)
			word = token{}
		}
	}
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		column++
		kind := wordToken + tokenKind(1+strings.IndexRune(punctuation, r))
		other := otherArrow(text[i:])
		switch {
		case unicode.IsSpace(r):
			flush(i)
		case other != "":
			flush(i)
			tokens = append(tokens, token{otherArrowToken, other, column})
			column, size = column+utf8.RuneCountInString(other)-1, len(other)
			end = column + 1
		case r == '-' && strings.HasPrefix(text[i:], "->"):
			flush(i)
			tokens = append(tokens, token{arrowToken, "->", column})
			column, size = column+1, 2
			end = column + 1
		case kind != wordToken:
			flush(i)
			tokens = append(tokens, token{kind, text[i : i+size], column})
			end = column + 1
		default:
			if word.kind != wordToken {
				word, start = token{kind: wordToken, column: column}, i
			}
			end = column + 1
		}
		i += size
	}
	flush(len(text))
	return append(tokens, token{kind: endToken, column: end})
}
