package garden

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// compare says whether package pool takes a value for the label value of a name, and whether Kubernetes does. The empty
// value is one for Kubernetes alone: no name. Packages pool and rules check with code of their own because they import no
// client of any kind; here it is held against the original.
func compare(value string) (ours, theirs bool) {
	return account.CheckLabelValue(value) == nil, value != "" && len(validation.IsValidLabelValue(value)) == 0
}

func FuzzCheckLabelValue(f *testing.F) {
	for _, seed := range []string{
		"", "a", "aws_cf-eu11", "a-", ".a", "a/b", "x,shared=true", "é", "\xff",
		strings.Repeat("a", 63), strings.Repeat("a", 64), strings.Repeat("a", 62) + "-",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		if ours, theirs := compare(value); ours != theirs {
			t.Errorf("%q: %v, Kubernetes: %v", value, account.CheckLabelValue(value), validation.IsValidLabelValue(value))
		}
	})
}
