package rules

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// DefaultEUAccessPlatformRegions returns a fresh copy of the platform regions whose pools have the label euAccess=true unless a
// set says otherwise (ADR 003).
//
// KEB counts two more regions as ones with EU access, brokerEUAccessRegions. Their pools have no such label: each of them has a
// hyperscaler region of its own, and the hyperscaler type of the pool names that.
func DefaultEUAccessPlatformRegions() []string {
	return []string{"cf-eu11", "cf-ch20"}
}

// brokerEUAccessRegions are the platform regions that KEB counts as ones with EU access beside the default ones. An entry may
// give them the label.
var brokerEUAccessRegions = []string{"cf-eu01", "cf-eu02"}

// readPlatformRegions reads the platform regions of the landscape.
func (c *compiler) readPlatformRegions(regions []string) {
	if regions == nil {
		return
	}
	if len(regions) == 0 {
		c.reportSource("platform_regions", "", "No platform regions: platform_regions is empty. "+
			"Write all platform regions of the landscape, or leave platform_regions out.")
		return
	}
	c.set.platformRegions = c.regionSet("platform_regions", regions)
}

// readEUAccessRegions reads the platform regions with EU access. A default one that the landscape does not have is no error.
func (c *compiler) readEUAccessRegions(regions []string) {
	if regions == nil {
		c.set.euAccessRegions = c.regionSet("eu_access_platform_regions", DefaultEUAccessPlatformRegions())
		c.labelled = slices.Concat(DefaultEUAccessPlatformRegions(), brokerEUAccessRegions)
		return
	}
	c.set.euAccessRegions = c.regionSet("eu_access_platform_regions", regions)
	c.labelled = slices.Sorted(maps.Keys(c.set.euAccessRegions))
	for _, region := range c.labelled {
		if c.set.outside(region) {
			c.problems = append(c.problems, Problem{
				Kind: KindUnknownRegion, Severity: SeverityError, Field: "eu_access_platform_regions", Text: region,
				Message: c.set.unknownRegion(region),
			})
		}
	}
}

// regionSet returns the valid regions of an attribute and reports the others.
func (c *compiler) regionSet(field string, regions []string) map[string]bool {
	set := make(map[string]bool, len(regions))
	for _, region := range sorted(regions) {
		if err := account.CheckLabelValue(region); err != nil {
			c.reportSource(field, region, fmt.Sprintf(
				"Invalid platform region: %q can be no platform region: %v. Write a region such as cf-eu11.", shorten(region), err))
			continue
		}
		set[region] = true
	}
	return set
}

// outside reports whether a landscape is known not to have the platform region.
func (s *Set) outside(region string) bool {
	return s.platformRegions != nil && !s.platformRegions[region]
}

// unknownRegion says of a platform region that the landscape does not have it.
func (s *Set) unknownRegion(region string) string {
	return fmt.Sprintf("Unknown platform region: found %q, which platform_regions does not have.%s Correct the region, or add it to "+
		"platform_regions.", shorten(region), DidYouMean(region, slices.Sorted(maps.Keys(s.platformRegions))))
}

// checkRegions checks the platform region that an entry names.
func (c *compiler) checkRegions(r *entryReader) {
	region := r.draft.platform
	switch {
	case !region.pattern.literal() || r.problems.HasErrors():
	case c.set.outside(string(region.pattern)):
		r.report(KindUnknownRegion, region.column, c.set.unknownRegion(string(region.pattern)))
	case r.draft.euAccess == EUAccessAlways && !slices.Contains(c.labelled, string(region.pattern)):
		r.problems = append(r.problems, Problem{
			Kind: KindEUAccess, Severity: SeverityWarning, Column: region.column,
			Message: fmt.Sprintf("EU access in another region: the entry leads requests in %s to a pool with EU access, and %s",
				region.pattern, c.lacksEUAccess(string(region.pattern))),
		})
	}
}

// lacksEUAccess says that a region is none with EU access, which one may have been meant, and what to do.
func (c *compiler) lacksEUAccess(region string) string {
	listed := "no region is in eu_access_platform_regions"
	if len(c.labelled) > 0 {
		listed = "the regions with EU access are " + some(c.labelled)
	}
	return listed + "." + DidYouMean(region, c.labelled) + " Correct the region, or add it to eu_access_platform_regions."
}

// checkElementRegion checks the region of an element of a legacy property, which may be a hyperscaler region as well.
func (r *legacyReader) checkElementRegion(e legacyElement, column int) bool {
	c := r.compiler
	if e.region == "" {
		return true
	}
	if known := slices.Sorted(maps.Keys(c.set.platformRegions)); c.set.outside(e.region) && Mistyped(e.region, known) != "" {
		r.report(KindUnknownRegion, column, "Unknown platform region", fmt.Sprintf(
			"found %q, which platform_regions does not have.%s Correct the region, or add it to platform_regions. A hyperscaler region "+
				"whose name is that near to a platform region needs rules instead of legacy.", e.region, DidYouMean(e.region, known)))
		return false
	}
	if r.property == legacyEUAccess && !slices.Contains(c.labelled, e.region) && c.likePlatformRegion(e.region) {
		c.problems = append(c.problems, legacyProblem(KindEUAccess, SeverityWarning, r.property, column, r.text, "EU access in another region",
			fmt.Sprintf("%q leads requests in %s to a pool with EU access, and %s", e.text, e.region, c.lacksEUAccess(e.region))))
	}
	return true
}

// likePlatformRegion reports whether the region of a legacy element is one of the platform: it is listed as one, is a near miss
// of one with EU access, or begins as such a one does ("cf-"). Any other one is a hyperscaler region.
func (c *compiler) likePlatformRegion(region string) bool {
	begins := func(known string) bool {
		prefix, _, parts := strings.Cut(known, "-")
		return parts && strings.HasPrefix(region, prefix+"-")
	}
	return c.set.platformRegions[region] || Mistyped(region, c.labelled) != "" || slices.ContainsFunc(c.labelled, begins)
}
