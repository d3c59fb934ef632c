package adr

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/clusters"
	"github.com/hap-project/terraform-provider-hap/internal/words"
)

// MinPrefixLength is how many characters a proposal needs. The proposal says "too short" and no number [choice]; its own example
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
	if strings.ContainsFunc(prefix, notDNS) || prefix[0] == '-' {
		return wrong(field, "%q cannot begin a DNS name: it may have lower-case letters, digits and -, and begins with a letter or digit", prefix)
	}
	if len(prefix) > maxPrefixLength {
		return wrong(field, "it has %d characters; a name has 63 at most, so a prefix has %d at most", len(prefix), maxPrefixLength)
	}
	return nil
}

// notDNS reports whether no DNS label has this character.
func notDNS(r rune) bool { return r != '-' && (r < 'a' || r > 'z') && (r < '0' || r > '9') }

// prefixIndex finds collisions among the prefixes of one Cluster.
type prefixIndex struct {
	grants []Grant
	// sorted are the prefixes without those that begin with another one: what collides with such a prefix collides with the shorter
	// one too.
	sorted []string
}

func newPrefixIndex(grants []Grant) prefixIndex {
	sorted := make([]string, len(grants))
	for i, g := range grants {
		sorted[i] = g.Prefix
	}
	slices.Sort(sorted)
	kept := sorted[:0]
	for _, p := range sorted {
		if last := len(kept) - 1; last < 0 || !strings.HasPrefix(p, kept[last]) {
			kept = append(kept, p)
		}
	}
	return prefixIndex{grants, kept}
}

// collision returns a granted prefix that is the same, begins with this one, or is what this one begins with. In a sorted list
// without prefixes of each other, only the two neighbours can.
func (x prefixIndex) collision(prefix string) (granted string, found bool) {
	i, _ := slices.BinarySearch(x.sorted, prefix)
	if i < len(x.sorted) && strings.HasPrefix(x.sorted[i], prefix) {
		return x.sorted[i], true
	}
	if i > 0 && strings.HasPrefix(prefix, x.sorted[i-1]) {
		return x.sorted[i-1], true
	}
	return "", false
}

// PrefixesCollide reports whether names with one prefix can be those with the other: they are the same, or one begins with the other.
func PrefixesCollide(a, b string) bool { return strings.HasPrefix(a, b) || strings.HasPrefix(b, a) }

// holder returns the request that a prefix is granted to; the first by name, should there be several.
func (x prefixIndex) holder(prefix string) (holder clusters.Ref) {
	for _, g := range x.grants {
		if g.Prefix == prefix && (holder == clusters.Ref{} || g.Request.Compare(holder) < 0) {
			holder = g.Request
		}
	}
	return holder
}

// warnings names prefixes that collide already, because something else granted them.
func (x prefixIndex) warnings(cluster clusters.Ref) (warnings []string) {
	if len(x.sorted) == len(x.grants) {
		return nil // none was left out
	}
	holders := make(map[string]clusters.Ref, len(x.grants))
	for _, g := range x.grants {
		if first, held := holders[g.Prefix]; !held || g.Request.Compare(first) < 0 {
			holders[g.Prefix] = g.Request
		}
	}
	for _, g := range x.grants {
		other, _ := x.collision(g.Prefix)
		if holder := holders[other]; holder != g.Request {
			warnings = append(warnings, fmt.Sprintf("On the Cluster %v the prefix %q of %v collides with %q of %v.", cluster, g.Prefix, g.Request,
				other, holder))
		}
	}
	slices.Sort(warnings)
	return bounded(warnings)
}

// sharedPrefix says which prefix a proposal comes to on a shared Cluster (ADR 015).
func sharedPrefix(proposal string, index prefixIndex) (prefix string, rule PrefixRule) {
	switch {
	case proposal == "":
		return "", PrefixRule{PrefixRandom, "no prefix is proposed"}
	case len(proposal) < MinPrefixLength:
		return "", PrefixRule{PrefixRandom, fmt.Sprintf("the proposal %s has %s, fewer than %d", proposal, words.Count(len(proposal),
			"character"), MinPrefixLength)}
	}
	switch granted, collides := index.collision(proposal); {
	case !collides:
		return proposal, PrefixRule{PrefixProposed, "no prefix on the Cluster collides with it"}
	case granted == proposal:
		return "", PrefixRule{PrefixRandom, fmt.Sprintf("the proposal %s is granted to %v", proposal, index.holder(granted))}
	default:
		return "", PrefixRule{PrefixRandom, fmt.Sprintf("the proposal %s collides with %s, which is granted to %v", proposal, granted,
			index.holder(granted))}
	}
}

// The letters of a random prefix. Their numbers divide 256, so each is as likely as the others. The first one is a letter, because
// the names of some objects begin with one.
const (
	firstLetters = "bcdfghjklmnpqrst"
	otherLetters = "abcdefghijklmnopqrstuvwxyz234567"
	// drawnLength is how many letters come before the "-": 39 bits.
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
