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
