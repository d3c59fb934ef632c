package words

import (
	"encoding/base64"
	"regexp"
	"strings"
	"unicode"
)

// maxPath is how many bytes a value has at most that is quoted as a path.
const maxPath = 255

// jsonWebToken matches a text that begins as a JSON Web Token does.
var jsonWebToken = regexp.MustCompile(`^eyJ[\w-]{8,}`)

// NoPath says what a value is that was given in place of a path, such as "a kubeconfig in base64"; empty = it may be a path. What is no
// path may hold a secret, and is never shown.
func NoPath(value string) string {
	value = strings.TrimSpace(value)
	if what := content(value); what != "" {
		return what
	}
	if strings.HasPrefix(value, "{") {
		return "JSON"
	}
	for at := range value { // a relative path may have been joined to a folder
		if at > 0 && value[at-1] != '/' && value[at-1] != '\\' {
			continue
		}
		part := value[at:]
		if what := content(decoded(part)); what != "" {
			return what + " in base64"
		}
		if jsonWebToken.MatchString(part) {
			return "a token"
		}
	}
	if strings.ContainsAny(value, "\n\r") {
		return "text of several lines"
	}
	return ""
}

// QuotesAsPath reports whether a value that was given as a path may be shown: it does not read like a secret, and it is not long.
func QuotesAsPath(value string) bool {
	if len(value) > maxPath || NoPath(value) != "" {
		return false
	}
	for _, part := range strings.FieldsFunc(value, func(r rune) bool { return r == '/' || r == '\\' }) {
		if isRandom(part) {
			return false
		}
	}
	return true
}

// content says what a text is that belongs into a file.
func content(text string) string {
	switch {
	case strings.Contains(text, "-----BEGIN "):
		return "a key or a certificate"
	case strings.Contains(text, "apiVersion:"), strings.Contains(text, `"apiVersion"`):
		return "a kubeconfig"
	}
	return ""
}

// decoded returns what a text in base64 holds; empty = it is not in base64.
func decoded(text string) string {
	text = strings.TrimRight(strings.Join(strings.Fields(text), ""), "=")
	for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		if plain, err := encoding.DecodeString(text); err == nil {
			return string(plain)
		}
	}
	return ""
}

// isRandom reports whether a name reads like a token: it is long, and letters and digits take turns in it.
func isRandom(name string) bool {
	turns, before := 0, rune(0)
	for _, r := range name {
		if unicode.IsDigit(r) && unicode.IsLetter(before) || unicode.IsLetter(r) && unicode.IsDigit(before) {
			turns++
		}
		before = r
	}
	return len(name) >= 32 && turns >= 4 || len(name) >= 24 && turns >= 6
}
