package settings

import (
	"slices"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/rules"
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

// Of the limits only those of no plan, no account and no built-in plan apply to nothing. A feature that is off, or not known yet, has none.
func TestStrayLimits(t *testing.T) {
	t.Parallel()
	on := Settings{Policy: account.Policy{
		AllowedGlobalAccounts: []string{"*"}, Limits: map[string]int{"default": 1, "gdch": 1, "stackit": 1, "ionos": 1, "edge": 1},
	}}
	plans, present := rules.Plans{"own": {"ionos"}}, []string{"aws", "stackit"}
	off, unknown := on, on
	off.Policy.AllowedGlobalAccounts, unknown.PolicyUnknown = nil, true
	for name, test := range map[string]struct {
		settings Settings
		want     []string
	}{"on": {on, []string{"edge"}}, "off": {off, nil}, "unknown": {unknown, nil}} {
		if got := test.settings.StrayLimits(plans, present); !slices.Equal(got, test.want) {
			t.Errorf("%s: limits that apply to nothing are %q, want %q", name, got, test.want)
		}
	}
}
