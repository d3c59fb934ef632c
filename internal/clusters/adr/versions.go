package adr

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// version is a Kubernetes version, compared by its components: 1.3 is not 1.30.
type version struct {
	numbers [3]int
	given   int    // how many of the numbers
	pre     string // the identifiers of a pre-release, after "-"
	build   string // what follows "+"
}

// maxVersionDigits bounds a component.
const maxVersionDigits = 9

// parseVersion reads one to three numbers, with "v" in front or without. A pre-release and a build may follow three of them,
// as semantic versioning writes them.
func parseVersion(text string) (v version, ok bool) {
	rest, build, built := strings.Cut(strings.TrimPrefix(text, "v"), "+")
	rest, pre, early := strings.Cut(rest, "-")
	for part := range strings.SplitSeq(rest, ".") {
		if v.given == len(v.numbers) || part == "" || len(part) > maxVersionDigits || part != "0" && part[0] == '0' ||
			strings.Trim(part, "0123456789") != "" {
			return version{}, false
		}
		v.numbers[v.given], _ = strconv.Atoi(part) // digits alone, and few
		v.given++
	}
	if (early || built) && !v.full() || early && !identifiers(pre) || built && !identifiers(build) {
		return version{}, false
	}
	v.pre, v.build = pre, build
	return v, true
}

// identifiers reports whether a text is what semantic versioning has after "-" and "+": parts of letters, digits and "-", with dots
// between.
func identifiers(text string) bool {
	for part := range strings.SplitSeq(text, ".") {
		if part == "" || strings.ContainsFunc(part, func(r rune) bool { return notDNS(r) && (r < 'A' || r > 'Z') }) {
			return false
		}
	}
	return true
}

// CompareVersions orders Kubernetes versions by their components: 1.9 comes before 1.30. What cannot be read comes first, as text.
func CompareVersions(a, b string) int {
	x, readable := parseVersion(a)
	y, alsoReadable := parseVersion(b)
	switch {
	case readable && alsoReadable:
		return x.compare(y)
	case readable:
		return 1
	case alsoReadable:
		return -1
	}
	return cmp.Compare(a, b)
}

// Means reports whether a Kubernetes version is one of those that a wanted one means: 1.33 means 1.33.2. What cannot be read is none.
func Means(wanted, is string) bool {
	w, readable := parseVersion(wanted)
	v, alsoReadable := parseVersion(is)
	return readable && alsoReadable && w.covers(v)
}

// IsLaterPatch reports whether a Kubernetes version is a later patch of another one: 1.33.5 of 1.33.2.
func IsLaterPatch(is, of string) bool {
	v, readable := parseVersion(is)
	o, alsoReadable := parseVersion(of)
	return readable && alsoReadable && o.full() && v.numbers[0] == o.numbers[0] && v.numbers[1] == o.numbers[1] && v.compare(o) > 0
}

// full reports whether the version names one release.
func (v version) full() bool { return v.given == len(v.numbers) }

// prerelease reports whether the version comes before its release.
func (v version) prerelease() bool { return v.pre != "" }

// covers reports whether a version is one of those that v means: each component of v is the same. Only a v that names the pre-release
// means it; what follows a "+" does not count unless v has it.
func (v version) covers(o version) bool {
	if o.given < v.given || v.pre != o.pre || v.build != "" && v.build != o.build {
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
	return cmp.Or(cmp.Compare(v.pre, o.pre), cmp.Compare(v.build, o.build))
}

// demand is the version that a request asks for; any if none.
type demand struct {
	version
	text string // as the request has it
	any  bool
}

// offeredVersion is a version that a profile offers.
type offeredVersion struct {
	version
	text       string
	deprecated bool
}

// readVersions returns the versions of a profile that can be read, in the order in which they are taken, and the texts of the others.
func readVersions(p Profile) (versions []offeredVersion, unreadable []string) {
	for _, v := range p.Versions {
		if read, ok := parseVersion(v.Version); ok {
			versions = append(versions, offeredVersion{read, v.Version, v.Deprecated})
		} else {
			unreadable = append(unreadable, v.Version)
		}
	}
	slices.SortFunc(versions, offeredVersion.compareUse)
	slices.Sort(unreadable)
	return versions, slices.Compact(unreadable)
}

// best returns the first version that fits, of those that a profile offers, in the order in which they are taken.
func (d demand) best(versions []offeredVersion) (best offeredVersion, ok bool) {
	for _, o := range versions {
		if d.fits(o) {
			return o, true
		}
	}
	return offeredVersion{}, false
}

// fits reports whether a new Cluster may have a version. A deprecated one fits only where the request writes all three numbers, and a
// pre-release only where the request names that pre-release.
func (d demand) fits(o offeredVersion) bool {
	if o.deprecated && (d.any || !d.full()) {
		return false
	}
	return d.any && !o.prerelease() || !d.any && d.covers(o.version)
}

// String names what is asked for, in a message.
func (d demand) String() string {
	if d.any {
		return "a released Kubernetes version that is not deprecated"
	}
	return "Kubernetes " + d.text
}

// nearest says of a profile without a version that fits what comes nearest to one; nothing where no version does.
func (d demand) nearest(p *profile) string {
	for _, o := range p.versions { // those that are not deprecated come first
		switch {
		case d.fits(o) || !d.any && !d.covers(o.version):
		case d.any && o.prerelease():
			return o.text + " is a pre-release, which a request has to name in full"
		case !o.full():
			return o.text + " is deprecated, and a deprecated version has to be asked for in full, which this one is not"
		default:
			return o.text + " is deprecated, and a deprecated version has to be asked for in full"
		}
	}
	if d.any && len(p.unreadable) > 0 {
		return fmt.Sprintf("%q is no version", p.unreadable[0])
	}
	return ""
}

// compareUse orders versions as they are taken: not deprecated before deprecated, then the newest.
func (o offeredVersion) compareUse(other offeredVersion) int {
	switch {
	case o.deprecated == other.deprecated:
		return cmp.Or(other.compare(o.version), cmp.Compare(other.text, o.text))
	case other.deprecated:
		return -1
	}
	return 1
}
