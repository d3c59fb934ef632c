package clusters

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// version is a Kubernetes version, compared by its components: 1.3 is not 1.30.
type version struct {
	numbers [3]int
	given   int    // how many of the numbers
	suffix  string // what follows them, with its "-" or "+"
}

// maxVersionDigits bounds a component.
const maxVersionDigits = 9

// parseVersion reads one to three numbers, with "v" in front and a suffix of semantic versioning behind, or without.
func parseVersion(text string) (v version, ok bool) {
	rest := strings.TrimPrefix(text, "v")
	if i := strings.IndexAny(rest, "-+"); i >= 0 {
		rest, v.suffix = rest[:i], rest[i:]
	}
	for part := range strings.SplitSeq(rest, ".") {
		if v.given == len(v.numbers) || part == "" || len(part) > maxVersionDigits || part != "0" && part[0] == '0' ||
			strings.Trim(part, "0123456789") != "" {
			return version{}, false
		}
		v.numbers[v.given], _ = strconv.Atoi(part) // digits alone, and few
		v.given++
	}
	return v, v.suffix == "" || v.full() && len(v.suffix) > 1
}

// full reports whether the version names one release.
func (v version) full() bool { return v.given == len(v.numbers) }

// prerelease reports whether the version comes before its release.
func (v version) prerelease() bool { return strings.HasPrefix(v.suffix, "-") }

// covers reports whether a version is one of those that v means: each component of v is the same. A pre-release is meant only by
// itself; what follows a "+" does not count unless v has it.
func (v version) covers(o version) bool {
	if o.given < v.given || v.suffix != o.suffix && (v.suffix != "" || o.prerelease()) {
		return false
	}
	for i := range v.given {
		if v.numbers[i] != o.numbers[i] {
			return false
		}
	}
	return true
}

// compare orders versions, the oldest first. A pre-release comes before its release.
func (v version) compare(o version) int {
	for i := range v.numbers {
		if c := cmp.Compare(v.numbers[i], o.numbers[i]); c != 0 {
			return c
		}
	}
	switch {
	case v.prerelease() && !o.prerelease():
		return -1
	case o.prerelease() && !v.prerelease():
		return 1
	}
	return cmp.Compare(v.suffix, o.suffix)
}

// demand is the version that a request asks for; any if none.
type demand struct {
	version
	any bool
}

// offered is a version of a profile that fits a demand.
type offered struct {
	version
	text       string
	deprecated bool
}

// readVersions returns the versions of a profile that can be read, in the order in which they are taken, and the texts of the others.
func readVersions(p Profile) (versions []offered, unreadable []string) {
	for _, v := range p.Versions {
		if read, ok := parseVersion(v.Version); ok {
			versions = append(versions, offered{read, v.Version, v.Deprecated})
		} else {
			unreadable = append(unreadable, v.Version)
		}
	}
	slices.SortFunc(versions, offered.order)
	slices.Sort(unreadable)
	return versions, unreadable
}

// best returns the first version that fits, of those that a profile offers, in the order in which they are taken. One that is
// deprecated is taken only where it is asked for in full, and a pre-release only where it is asked for itself.
func (d demand) best(versions []offered) (best offered, ok bool) {
	for _, o := range versions {
		if (!o.deprecated || !d.any && d.full()) && (d.any && !o.prerelease() || !d.any && d.covers(o.version)) {
			return o, true
		}
	}
	return offered{}, false
}

// order puts versions into the order in which they are taken: not deprecated before deprecated, then the newest.
func (o offered) order(other offered) int {
	switch {
	case o.deprecated == other.deprecated:
		return cmp.Or(other.compare(o.version), cmp.Compare(other.text, o.text))
	case other.deprecated:
		return -1
	}
	return 1
}
