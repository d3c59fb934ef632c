package rules

import (
	"fmt"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// draft is what an entry says, before its plan is found.
type draft struct {
	plan        token // endToken where no plan could be read
	platform    region
	hyperscaler region
	shared      bool
	euAccess    string // as Entry.EUAccess
}

// newDraft makes a draft that matches two regions and gives the labels.
func newDraft(platform, hyperscaler Pattern, l labels) draft {
	d := draft{
		platform:    region{pattern: platform, suffix: l&withPlatform != 0},
		hyperscaler: region{pattern: hyperscaler, suffix: l&withCluster != 0},
		shared:      l&withShared != 0,
	}
	if l&withEUAccess != 0 {
		d.euAccess = EUAccessAlways
	}
	return d
}

// region is what an entry says about one of the two regions.
type region struct {
	pattern Pattern
	column  int  // of the pattern
	suffix  bool // the region becomes part of the hyperscaler type
}

// checkLiterals reports regions in an entry that can never be part of a label. A region must be a valid label value by
// itself; then the hyperscaler type is valid as soon as it is short enough. The plan is nil if it is unknown.
func checkLiterals(r *entryReader, p *plan) {
	valid := true
	for _, region := range [...]region{r.draft.platform, r.draft.hyperscaler} {
		if !region.pattern.literal() {
			continue
		}
		if err := account.CheckLabelValue(string(region.pattern)); err != nil {
			r.report(KindParse, region.column, fmt.Sprintf(
				"Invalid region: %q can be no part of a label: %v. Write a region such as cf-eu11.", shorten(string(region.pattern)), err))
			valid = false
		}
	}
	if !valid || p == nil {
		return
	}
	if label := longestLabel(p, r.draft); len(label) > account.MaxLabelValueLength {
		r.report(KindParse, r.draft.longer().column, fmt.Sprintf(
			"Region too long: the hyperscaler type %q has at least %d characters; a label value has %d at most. Write a shorter region.",
			label, len(label), account.MaxLabelValueLength))
	}
}

// longestLabel returns the hyperscaler type of a draft on the hyperscaler with the longest name. A region that the draft
// does not fix is one character, the least that a request can have.
func longestLabel(p *plan, d draft) string {
	label := ""
	for _, hyperscaler := range p.hyperscalers {
		if len(hyperscaler) > len(label) {
			label = hyperscaler
		}
	}
	for _, region := range [...]region{d.platform, d.hyperscaler} {
		if region.suffix {
			label += "_" + region.label()
		}
	}
	return label
}

// longer returns the region of a draft that adds more to the hyperscaler type.
func (d *draft) longer() region {
	if len(d.hyperscaler.label()) > len(d.platform.label()) {
		return d.hyperscaler
	}
	return d.platform
}

// label returns what the region adds to the hyperscaler type at least.
func (r region) label() string {
	switch {
	case !r.suffix:
		return ""
	case r.pattern.literal():
		return string(r.pattern)
	}
	return "*"
}
