package garden

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

func TestSelectors(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		target account.Target
		ga     string
		want   Selectors
	}{
		"of a tenant": {
			account.Target{HyperscalerType: "aws_cf-eu11"}, "ga-1",
			Selectors{
				Pool:      "hyperscalerType=aws_cf-eu11,!euAccess,shared!=true,!dirty,tenantName=ga-1",
				Unclaimed: "hyperscalerType=aws_cf-eu11,!euAccess,shared!=true,!dirty,!tenantName",
			},
		},
		"of a tenant, EU access": {
			account.Target{HyperscalerType: "azure", EUAccess: true}, "ga-1",
			Selectors{
				Pool:      "hyperscalerType=azure,euAccess=true,shared!=true,!dirty,tenantName=ga-1",
				Unclaimed: "hyperscalerType=azure,euAccess=true,shared!=true,!dirty,!tenantName",
			},
		},
		"of all tenants": {
			account.Target{HyperscalerType: "gcp"}, "",
			Selectors{
				Pool:      "hyperscalerType=gcp,!euAccess,shared!=true,!dirty",
				Unclaimed: "hyperscalerType=gcp,!euAccess,shared!=true,!dirty,!tenantName",
			},
		},
		"shared": {
			account.Target{HyperscalerType: "openstack_eu-de-1", Shared: true}, "ga-1",
			Selectors{Pool: "hyperscalerType=openstack_eu-de-1,!euAccess,shared=true"},
		},
		"shared, EU access": {
			account.Target{HyperscalerType: "gcp_cf-eu30_europe-west3", Shared: true, EUAccess: true}, "ga-1",
			Selectors{Pool: "hyperscalerType=gcp_cf-eu30_europe-west3,euAccess=true,shared=true"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := DefaultLabelKeys().Selectors(test.target, test.ga)
			if err != nil {
				t.Fatal(err)
			}
			equal(t, "selectors", got, test.want)
			for _, text := range []string{got.Pool, got.Unclaimed} {
				if _, err := labels.Parse(text); err != nil {
					t.Errorf("%s: %v", text, err)
				}
			}
		})
	}
}

// What the selectors find, with the eyes of kubectl.
func TestSelectorsMatch(t *testing.T) {
	t.Parallel()
	accounts := map[string]string{ // name → labels
		"free":           "hyperscalerType=aws",
		"mine":           "hyperscalerType=aws,tenantName=ga-1",
		"other's":        "hyperscalerType=aws,tenantName=ga-2",
		"mine, dirty":    "hyperscalerType=aws,tenantName=ga-1,dirty=true",
		"mine, fenced":   "hyperscalerType=aws,tenantName=ga-1,dirty=releasing",
		"free, dirty":    "hyperscalerType=aws,dirty=true",
		"shared":         "hyperscalerType=aws,shared=true",
		"shared=false":   "hyperscalerType=aws,shared=false",
		"EU, free":       "hyperscalerType=aws,euAccess=true",
		"EU, mine":       "hyperscalerType=aws,euAccess=true,tenantName=ga-1",
		"EU, shared":     "hyperscalerType=aws,euAccess=true,shared=true",
		"another type":   "hyperscalerType=aws_cf-eu11,tenantName=ga-1",
		"no type":        "tenantName=ga-1",
		"tenant in case": "hyperscalerType=aws,tenantName=GA-1",
	}
	plain, eu := account.Target{HyperscalerType: "aws"}, account.Target{HyperscalerType: "aws", EUAccess: true}
	shared, euShared := account.Target{HyperscalerType: "aws", Shared: true}, account.Target{HyperscalerType: "aws", EUAccess: true, Shared: true}
	for name, test := range map[string]struct {
		target          account.Target
		ga              string
		pool, unclaimed []string
	}{
		"a tenant's":            {plain, "ga-1", []string{"mine"}, []string{"free", "shared=false"}},
		"a tenant's, EU access": {eu, "ga-1", []string{"EU, mine"}, []string{"EU, free"}},
		"a stranger's":          {plain, "ga-3", nil, []string{"free", "shared=false"}},
		"all tenants'": {plain, "", []string{"free", "mine", "other's", "shared=false", "tenant in case"},
			[]string{"free", "shared=false"}},
		"the shared":             {shared, "ga-1", []string{"shared"}, nil},
		"the shared, EU access":  {euShared, "ga-1", []string{"EU, shared"}, nil},
		"of a type without any":  {account.Target{HyperscalerType: "gcp"}, "ga-1", nil, nil},
		"of the longer type":     {account.Target{HyperscalerType: "aws_cf-eu11"}, "ga-1", []string{"another type"}, nil},
		"no shared in that type": {account.Target{HyperscalerType: "aws_cf-eu11", Shared: true}, "ga-1", nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := DefaultLabelKeys().Selectors(test.target, test.ga)
			if err != nil {
				t.Fatal(err)
			}
			for selector, want := range map[string][]string{got.Pool: test.pool, got.Unclaimed: test.unclaimed} {
				if selector == "" { // a shared pool has nothing to claim; parsed, it would select everything
					continue
				}
				parsed, err := labels.Parse(selector)
				if err != nil {
					t.Fatal(err)
				}
				found := map[string]bool{}
				for account, text := range accounts {
					set, err := labels.ConvertSelectorToLabelsMap(text)
					if err != nil {
						t.Fatal(err)
					}
					if parsed.Matches(set) {
						found[account] = true
					}
				}
				wanted := map[string]bool{}
				for _, account := range want {
					wanted[account] = true
				}
				equal(t, selector, found, wanted)
			}
		})
	}
}

// A value that is no label value must never become part of a selector: cut short or spliced in it selects other
// accounts than those asked for.
func TestSelectorsRefuseWhatIsNoLabelValue(t *testing.T) {
	t.Parallel()
	good := account.Target{HyperscalerType: "aws"}
	for _, bad := range []string{strings.Repeat("a", 64), "a/b", "a-", "-a", "a b", "x,shared=true", "x)", "in (a)", "!x", "a=b", "ä", "a\n",
		" "} {
		for what, target := range map[string]account.Target{
			"type": {HyperscalerType: bad}, "shared type": {HyperscalerType: bad, Shared: true}, "EU type": {HyperscalerType: bad, EUAccess: true},
		} {
			if got, err := DefaultLabelKeys().Selectors(target, "ga-1"); err == nil || got != (Selectors{}) {
				t.Errorf("%s %q: %+v, %v", what, bad, got, err)
			}
		}
		if got, err := DefaultLabelKeys().Selectors(good, bad); err == nil || got.Pool != "" {
			t.Errorf("Global Account %q: %+v, %v", bad, got, err)
		}
	}
	longest := strings.Repeat("a", 63)
	got, err := DefaultLabelKeys().Selectors(good, longest)
	if err != nil || !strings.HasSuffix(got.Pool, ",tenantName="+longest) {
		t.Errorf("63 characters: %+v, %v", got, err)
	}
}
