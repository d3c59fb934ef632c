package takeover

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// block is a block of configuration as it grows. Its attributes are aligned as the programs' formatter does it.
type block struct {
	header string
	names  []string
	values []string
}

// set adds an attribute with a value that is configuration text already.
func (b *block) set(name, value string) {
	b.names, b.values = append(b.names, name), append(b.values, value)
}

// text adds an attribute with a text, unless it is empty.
func (b *block) text(name, value string) {
	if value != "" {
		b.set(name, quoted(value))
	}
}

// flag adds an attribute that is true, or none.
func (b *block) flag(name string, on bool) {
	if on {
		b.set(name, "true")
	}
}

func (b *block) write(out *strings.Builder) {
	width := 0
	for _, name := range b.names {
		width = max(width, len(name))
	}
	fmt.Fprintf(out, "%s {\n", b.header)
	for i, name := range b.names {
		fmt.Fprintf(out, "  %-*s = %s\n", width, name, b.values[i])
	}
	out.WriteString("}\n\n")
}

// quoted writes a text as a quoted string of the configuration language: nothing in it is a template.
func quoted(text string) string {
	var out strings.Builder
	out.WriteByte('"')
	for i, r := range text {
		switch {
		case r == '"' || r == '\\':
			out.WriteByte('\\')
			out.WriteRune(r)
		case r == '\n':
			out.WriteString(`\n`)
		case r == '\r':
			out.WriteString(`\r`)
		case r == '\t':
			out.WriteString(`\t`)
		case (r == '$' || r == '%') && strings.HasPrefix(text[i+1:], "{"):
			out.WriteRune(r)
			out.WriteRune(r)
		case r > 0xffff && !unicode.IsPrint(r):
			fmt.Fprintf(&out, `\U%08x`, r)
		case !unicode.IsPrint(r):
			fmt.Fprintf(&out, `\u%04x`, r)
		default:
			out.WriteRune(r)
		}
	}
	out.WriteByte('"')
	return out.String()
}

// list writes a list of texts.
func list(texts []string) string {
	all := make([]string, len(texts))
	for i, text := range texts {
		all[i] = quoted(text)
	}
	return "[" + strings.Join(all, ", ") + "]"
}

// object writes an object of values that are configuration text already, by name.
func object(values map[string]string) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		all = append(all, quoted(name)+" = "+values[name])
	}
	if len(all) == 0 {
		return "{}"
	}
	return "{ " + strings.Join(all, ", ") + " }"
}

// names gives each thing a name that the configuration language takes, and none twice.
type names map[string]bool

// of returns the name of what is called by these parts. The order in which names are asked for matters where two collide.
func (n names) of(parts ...string) string {
	name := strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)) || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, strings.Join(parts, "_"))
	if first := name[:min(1, len(name))]; first == "" || strings.ContainsAny(first, "0123456789-") {
		name = "_" + name
	}
	unique := name
	for i := 2; n[unique]; i++ {
		unique = fmt.Sprintf("%s_%d", name, i)
	}
	n[unique] = true
	return unique
}

// shown is a text of any length for a comment.
func shown(text string) string {
	const most = 100
	if short := []rune(text); len(short) > most {
		text = string(short[:most]) + "…"
	}
	return quoted(text)
}

// comment writes a line with what a block does not say, and what follows it. Nothing in it ends the line.
func comment(out *strings.Builder, follows, format string, args ...any) {
	text := strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, fmt.Sprintf(format, args...))
	fmt.Fprintf(out, "# %s\n%s", text, follows)
}
