package backend

import (
	"slices"
	"testing"
)

// A key with a typing error is no limit of a hyperscaler that only this landscape has, and the other way round.
func TestLimitKeys(t *testing.T) {
	t.Parallel()
	for key, meant := range map[string]string{
		"default": "", "aws": "", "openstack": "", "stackit": "", "aws-cn": "", "edge": "", "ionos": "",
		"openstack-eu": "", "alicloud-eu": "", "azure-cn": "", "gdch-2": "",
		"awss": "aws", "AWS": "aws", "azrue": "azure", "defualt": "default", "aws_cf-eu11": "aws", "openstack_eu-de-1": "openstack",
		"openstack-": "openstack", "azurecn": "azure",
	} {
		if got := MeantLimit(key, LimitKeys()); got != meant {
			t.Errorf("%q is taken for %q, want %q", key, got, meant)
		}
	}
}

func TestStrayLimits(t *testing.T) {
	t.Parallel()
	limits := map[string]int{"default": 1, "gdch": 1, "stackit": 1, "ionos": 1, "edge": 1}
	if got := strayLimits(limits, []string{"aws", "stackit"}); !slices.Equal(got, []string{"edge", "ionos"}) {
		t.Errorf("limits that apply to nothing are %q, want edge and ionos", got)
	}
}
