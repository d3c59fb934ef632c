package account

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Target names one pool by the labels that its accounts carry. It is what a rule set yields for a request (ADR 001).
type Target struct {
	// HyperscalerType is the value of the label hyperscalerType:
	// <hyperscaler>[_<platform region>][_<hyperscaler region>].
	HyperscalerType string
	Shared          bool // the pool's accounts serve many tenants (label shared=true)
	EUAccess        bool // the pool's accounts are reserved for EU access (label euAccess=true)
}

// Hyperscaler returns the first part of the hyperscaler type: "aws" for "aws_cf-eu11". Limits are kept by it.
func (t Target) Hyperscaler() string {
	hyperscaler, _, _ := strings.Cut(t.HyperscalerType, "_")
	return hyperscaler
}

// ProviderTypes returns the provider types of Gardener that hyperscalers of the broker have under the same name.
func ProviderTypes() []string {
	return []string{"alicloud", "aws", "azure", "gcp", "gdch", "openstack"}
}

// ProviderType returns the Gardener provider type that the broker gives each cluster of the pool, where the name of the pool says
// it; "" = it does not, as for hyperscalers of a rule set's own plans. An account of another type takes no cluster.
func (t Target) ProviderType() string {
	if hyperscaler := t.Hyperscaler(); slices.Contains(ProviderTypes(), hyperscaler) {
		return hyperscaler
	}
	return ""
}

// String returns the pool in the short form that messages and claim records use: "gcp_cf-eu30,shared,euAccess".
func (t Target) String() string {
	s := t.HyperscalerType
	if t.Shared {
		s += ",shared"
	}
	if t.EUAccess {
		s += ",euAccess"
	}
	return s
}

// ParseTarget reads what String has written.
func ParseTarget(s string) Target {
	s, eu := strings.CutSuffix(s, ",euAccess")
	s, shared := strings.CutSuffix(s, ",shared")
	return Target{HyperscalerType: s, Shared: shared, EUAccess: eu}
}

// MaxLabelValueLength is the number of characters a Kubernetes label value may have at most.
const MaxLabelValueLength = 63

// CheckLabelValue reports why v cannot be the value of a Kubernetes label, or nil. The empty value is refused too,
// although Kubernetes allows it: a tenant or a hyperscaler type without a name is no tenant and no type. The rules are
// those of Kubernetes (letters, digits, '-', '_' and '.', a letter or digit at both ends, 63 characters at most); the
// package garden compares this function with the original in its tests.
func CheckLabelValue(v string) error {
	if v == "" {
		return fmt.Errorf("it is empty")
	}
	if len(v) > MaxLabelValueLength {
		return fmt.Errorf("it has %d characters, a label value has %d at most", len(v), MaxLabelValueLength)
	}
	for i := range len(v) {
		c := v[i]
		if isAlphanumeric(c) {
			continue
		}
		if c != '-' && c != '_' && c != '.' {
			whole, _ := utf8.DecodeRuneInString(v[i:]) // never half of a character
			return fmt.Errorf("character %d (%q) is none of letters, digits, '-', '_' and '.'", i+1, whole)
		}
		if i == 0 || i == len(v)-1 {
			return fmt.Errorf("it must start and end with a letter or a digit, not with %q", c)
		}
	}
	return nil
}

func isAlphanumeric(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
