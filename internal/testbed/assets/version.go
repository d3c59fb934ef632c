package assets

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
)

// version is a release, or with a suffix something before or beside one.
type version struct {
	major, minor, patch int
	suffix              string
}

var versionPattern = regexp.MustCompile(`\bv?(\d{1,9})\.(\d{1,9})\.(\d{1,9})([-+][0-9A-Za-z.+-]+)?`)

// parse finds the version in a line of text.
func parse(line string) (version, bool) {
	found := versionPattern.FindStringSubmatch(line)
	if found == nil {
		return version{}, false
	}
	var numbers [3]int
	for i := range numbers {
		numbers[i], _ = strconv.Atoi(found[i+1]) // nine digits at most
	}
	return version{numbers[0], numbers[1], numbers[2], found[4]}, true
}

func (v version) String() string {
	return fmt.Sprintf("v%d.%d.%d%s", v.major, v.minor, v.patch, v.suffix)
}

func (v version) compare(other version) int {
	return cmp.Or(cmp.Compare(v.major, other.major), cmp.Compare(v.minor, other.minor), cmp.Compare(v.patch, other.patch),
		cmp.Compare(v.suffix, other.suffix))
}

// refuses says why a program of another version does not do in place of this one; empty = it does.
func (v version) refuses(found version) string {
	switch {
	case found.major != v.major || found.minor != v.minor:
		return fmt.Sprintf("it is %s, and v%d.%d is pinned", found, v.major, v.minor)
	case found.suffix != "":
		return fmt.Sprintf("%s is no release", found)
	}
	return ""
}
