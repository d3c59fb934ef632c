package strict

import (
	"bytes"
	"fmt"

	"sigs.k8s.io/yaml"
	yaml3 "sigs.k8s.io/yaml/goyaml.v3"
)

const (
	// MaxSize is how many bytes a text has at most, as it is written and with its YAML aliases written out: etcd takes no object of more
	// than 1.5 MiB.
	MaxSize = 1 << 20
	// MaxProblems is how many problems of a text are listed at most.
	MaxProblems = 50
	// MaxQuoted is how many bytes of a text a problem quotes at most.
	MaxQuoted = 500
)

// SizeError says that a text is too large to be read.
type SizeError struct {
	Bytes   int  // of the text as it is written
	Most    int  // how many bytes are read
	Aliases bool // the text is small enough, but the text with its YAML aliases written out is too large
}

func (e *SizeError) Error() string {
	if e.Aliases {
		return fmt.Sprintf("its YAML aliases (*name) expand to more than %d bytes, and no more are read; write out what is needed", e.Most)
	}
	return fmt.Sprintf("it has %d bytes, and no more than %d are read", e.Bytes, e.Most)
}

// ToJSON turns a text, which is one document of YAML or JSON, into JSON. A key that is there twice is an error, and so is a number that
// JSON cannot keep.
func ToJSON(text string) (asJSON []byte, problems []Problem) {
	err := Bounded([]byte(text), MaxSize)
	if err == nil {
		text, err = OneDocument(text)
	}
	if err == nil {
		asJSON, err = yaml.YAMLToJSONStrict([]byte(text))
	}
	if err != nil {
		return nil, []Problem{{Text: Line(err)}}
	}
	if problems := inexact(text); len(problems) > 0 {
		return nil, problems
	}
	return asJSON, nil
}

// Bounded reports whether a YAML text is too large to be read, as it is or with its aliases written out. The parsers do that: 5,000 of
// one long text make gigabytes.
//
// Errors: a [*SizeError]; that of the YAML parser where the text may have aliases and cannot be parsed.
func Bounded(text []byte, most int) error {
	if len(text) > most {
		return &SizeError{Bytes: len(text), Most: most}
	}
	if !bytes.ContainsRune(text, '&') || !bytes.ContainsRune(text, '*') {
		return nil // without an anchor and an alias it is as large as it is
	}
	var document yaml3.Node
	if err := yaml3.Unmarshal(text, &document); err != nil {
		return err
	}
	m := measure{most: most, sizes: map[*yaml3.Node]int{}}
	if m.size(&document) > most {
		return &SizeError{Bytes: len(text), Most: most, Aliases: true}
	}
	return nil
}

// measure adds up what nodes become when their aliases are written out.
type measure struct {
	most  int
	sizes map[*yaml3.Node]int // of nodes that are measured, or being measured
}

// nodeSize is what a node counts beside its text: a list of a million empty texts takes memory, too.
const nodeSize = 8

// size returns how many bytes a node becomes; what is above most is not added up any further. A node within itself counts nothing: the
// parser refuses it.
func (m *measure) size(n *yaml3.Node) int {
	if size, known := m.sizes[n]; known {
		return size
	}
	m.sizes[n] = 0
	size := nodeSize + len(n.Value)
	if n.Alias != nil {
		size = m.size(n.Alias)
	}
	for _, inner := range n.Content {
		if size = min(size+m.size(inner), m.most+1); size > m.most {
			break
		}
	}
	m.sizes[n] = size
	return size
}

// shorten cuts a text for a message.
func shorten(text string) string {
	if len(text) <= MaxQuoted {
		return text
	}
	cut := text[:MaxQuoted]
	for i := range text {
		if i > MaxQuoted {
			break
		}
		cut = text[:i]
	}
	return cut + "…"
}
