package garden

import (
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

func TestCheckLabelKey(t *testing.T) {
	t.Parallel()
	for _, keys := range schemes {
		for _, key := range labelsOf(keys) {
			if err := CheckLabelKey(key); err != nil {
				t.Errorf("%q: %v", key, err)
			}
		}
	}
	for _, good := range []string{"a", "A.b_c-d", strings.Repeat("a", 63), "example.com/" + strings.Repeat("a", 63)} {
		if err := CheckLabelKey(good); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
	for _, bad := range []string{"", "/", "a/", "/a", "a/b/c", "a b", "a,b", "!a", "a=b", "-a", "a-", "ä", "Example.com/a",
		strings.Repeat("a", 64), strings.Repeat("a", 254) + "/b"} {
		if err := CheckLabelKey(bad); err == nil {
			t.Errorf("%q is taken for the key of a label", bad)
		}
	}
}

func TestSelectorsFollowTheKeys(t *testing.T) {
	t.Parallel()
	target := account.Target{HyperscalerType: "aws"}
	for scheme, want := range map[string]Selectors{
		"kebab": {
			Pool:      "hyperscaler-type=aws,!euAccess,shared!=true,!dirty,tenant-name=ga-1",
			Unclaimed: "hyperscaler-type=aws,!euAccess,shared!=true,!dirty,!tenant-name",
		},
		"own": {
			Pool:      "example.com/type=aws,!eu,for-all!=true,!unclean,example.com/held-by=ga-1",
			Unclaimed: "example.com/type=aws,!eu,for-all!=true,!unclean,!example.com/held-by",
		},
	} {
		t.Run(scheme, func(t *testing.T) {
			t.Parallel()
			got, err := schemes[scheme].Selectors(target, "ga-1")
			if err != nil {
				t.Fatal(err)
			}
			equal(t, "selectors", got, want)
		})
	}
}
