package rules

import "testing"

func TestNearest(t *testing.T) {
	t.Parallel()
	candidates := []string{"aws", "azure", "azure_lite", "build-runtime-aws", "gcp", "openstack", "sap-converged-cloud", "trial"}
	tests := []struct{ name, want string }{
		{"AWS", "aws"},
		{"gpc", "gcp"},
		{"awss", "aws"},
		{"azrue", "azure"},
		{"azure-lite", "azure_lite"},
		{"openstak", "openstack"},
		{"sap-convergd-clouds", "sap-converged-cloud"},
		{"sap", "sap-converged-cloud"},
		{"build", "build-runtime-aws"},
		{"trial-eu-central", "trial"},
		{"azure_lite_premium_de", "azure_lite"},
		{"", ""},
		{"a", ""},
		{"xyz", ""},
		{"kubernetes", ""},
	}
	for _, tt := range tests {
		if got := nearest(tt.name, candidates); got != tt.want {
			t.Errorf("nearest(%q) = %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestDistance(t *testing.T) {
	t.Parallel()
	tests := []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"abc", "abc", 0}, {"", "abc", 3}, {"abc", "", 3},
		{"abc", "ab", 1}, {"abc", "xabc", 1}, {"abc", "axc", 1}, {"abc", "acb", 1},
		{"abcd", "badc", 2}, {"kitten", "sitting", 3}, {"gpc", "gcp", 1},
	}
	for _, tt := range tests {
		if got := distance(tt.a, tt.b); got != tt.want {
			t.Errorf("distance(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}
