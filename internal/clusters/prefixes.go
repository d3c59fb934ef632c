package clusters

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/words"
)

// MinPrefixLength is how many characters a proposal needs. The seed says "too short" and no number [choice]; its own example
// foo- has four.
const MinPrefixLength = 4

// maxPrefixLength leaves one character of the longest name of a namespace, 63.
const maxPrefixLength = 62

// PrefixKind says where a prefix comes from. The values are part of the provider's interface.
type PrefixKind string

const (
	// PrefixEmpty says that the Cluster is dedicated: no other names are on it, and the prefix is empty.
	PrefixEmpty PrefixKind = "empty"
	// PrefixProposed says that the proposal is granted.
	PrefixProposed PrefixKind = "proposed"
	// PrefixRandom says that the scheduler draws a prefix when it writes the grant, with [DrawPrefix].
	PrefixRandom PrefixKind = "random"
	// PrefixKept says that the request holds a grant and keeps its prefix.
	PrefixKept PrefixKind = "kept"
)

// PrefixRule says which rule gives the prefix, and why that one.
type PrefixRule struct {
	Kind PrefixKind
	Why  string
}

// String writes the rule for a result: "random: no prefix is proposed".
func (r PrefixRule) String() string {
	if r.Kind == "" {
		return ""
	}
	return string(r.Kind) + ": " + r.Why
}

// checkPrefix returns an error for a proposal that cannot begin the name of an object. It has to begin names of namespaces too,
// so it has no dot [choice].
func checkPrefix(prefix string) error {
	const field = "request.prefix"
	if prefix == "" {
		return nil
	}
	if len(prefix) > maxPrefixLength {
		return wrong(field, "it has %d characters; a name has 63 at most, so a prefix has %d at most", len(prefix), maxPrefixLength)
	}
	if strings.ContainsFunc(prefix, notDNS) || prefix[0] == '-' {
		return wrong(field, "%q cannot begin a DNS name: it may have lower-case letters, digits and -, and begins with a letter or digit", prefix)
	}
	return nil
}

// notDNS reports whether no DNS label has this character.
func notDNS(r rune) bool { return r != '-' && (r < 'a' || r > 'z') && (r < '0' || r > '9') }

// prefixIndex finds collisions among the prefixes of one Cluster. It holds them sorted, without those that begin with another
// one: what collides with such a prefix collides with the shorter one too.
type prefixIndex []Grant

func newPrefixIndex(grants []Grant) prefixIndex {
	sorted := slices.SortedFunc(slices.Values(grants), compareGrants)
	kept := sorted[:0]
	for _, g := range sorted {
		if last := len(kept) - 1; last < 0 || !strings.HasPrefix(g.Prefix, kept[last].Prefix) {
			kept = append(kept, g)
		}
	}
	return kept
}

// compareGrants orders grants by prefix, then by request.
func compareGrants(a, b Grant) int {
	if c := strings.Compare(a.Prefix, b.Prefix); c != 0 {
		return c
	}
	return compareRefs(a.Request, b.Request)
}

// collision returns a grant whose prefix is the same, begins with this one, or is what this one begins with. In a sorted list
// without prefixes of each other, only the two neighbours can.
func (x prefixIndex) collision(prefix string) (Grant, bool) {
	i, _ := slices.BinarySearchFunc(x, prefix, func(g Grant, p string) int { return strings.Compare(g.Prefix, p) })
	if i < len(x) && strings.HasPrefix(x[i].Prefix, prefix) {
		return x[i], true
	}
	if i > 0 && strings.HasPrefix(prefix, x[i-1].Prefix) {
		return x[i-1], true
	}
	return Grant{}, false
}

// sharedPrefix says which prefix a proposal comes to on a shared Cluster with these grants (seed 004, ClusterRequestGrant, and
// Collision Avoidance in Shared Clusters).
func sharedPrefix(proposal string, grants []Grant) (prefix string, rule PrefixRule) {
	switch {
	case proposal == "":
		return "", PrefixRule{PrefixRandom, "no prefix is proposed"}
	case len(proposal) < MinPrefixLength:
		return "", PrefixRule{PrefixRandom, fmt.Sprintf("the proposal %s has %s, fewer than %d", proposal, words.Count(len(proposal),
			"character"), MinPrefixLength)}
	}
	g, collides := newPrefixIndex(grants).collision(proposal)
	switch {
	case !collides:
		return proposal, PrefixRule{PrefixProposed, "no prefix on the Cluster collides with it"}
	case g.Prefix == proposal:
		return "", PrefixRule{PrefixRandom, fmt.Sprintf("the proposal %s is granted to %v", proposal, g.Request)}
	}
	return "", PrefixRule{PrefixRandom, fmt.Sprintf("the proposal %s collides with %s, which is granted to %v", proposal, g.Prefix, g.Request)}
}

// The letters of a random prefix. Their numbers divide 256, so each is as likely as the others. The first one is a letter, because
// the names of some objects begin with one.
const (
	firstLetters = "bcdfghjklmnpqrst"
	otherLetters = "abcdefghijklmnopqrstuvwxyz234567"
	// drawnLength is how many letters stand before the "-": 39 bits.
	drawnLength = 8
	// maxDraws bounds the draws: a Cluster on which one prefix in a hundred is free gets one all but surely.
	maxDraws = 4096
)

// ErrNoPrefix says that no prefix was found that collides with none of those granted.
var ErrNoPrefix = errors.New("no prefix is free: the prefixes granted on the Cluster leave no room for another one")

// DrawPrefix draws a prefix that collides with none of those granted on a shared Cluster: neither is a prefix of the other. It
// begins names of DNS and ends in "-". The caller writes it together with the grant, in one update of what it read the grants
// from, and draws anew after a conflict. Errors are those of random, and [ErrNoPrefix].
func DrawPrefix(random io.Reader, grants []Grant) (string, error) {
	index := newPrefixIndex(grants)
	var drawn [drawnLength]byte
	for range maxDraws {
		if _, err := io.ReadFull(random, drawn[:]); err != nil {
			return "", fmt.Errorf("drawing a prefix: %w", err)
		}
		letters := firstLetters
		for i, b := range drawn {
			drawn[i] = letters[int(b)%len(letters)]
			letters = otherLetters
		}
		prefix := string(drawn[:]) + "-"
		if _, collides := index.collision(prefix); !collides {
			return prefix, nil
		}
	}
	return "", ErrNoPrefix
}
