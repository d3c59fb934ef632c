package account

import (
	"testing"
)

// After a lost answer the account is taken for the one that was sent only where it has the same quotas, in any order.
func TestCredentialsAreCompared(t *testing.T) {
	t.Parallel()
	ref := CredentialsRef{"v1", "Secret", "n", "s"}
	one, two := QuotaRef{"garden", "one"}, QuotaRef{"garden", "two"}
	base := Credentials{"aws", ref, []QuotaRef{one, two}}
	for name, test := range map[string]struct {
		other Credentials
		same  bool
	}{
		"the same":           {Credentials{"aws", ref, []QuotaRef{one, two}}, true},
		"another order":      {Credentials{"aws", ref, []QuotaRef{two, one}}, true},
		"one fewer":          {Credentials{"aws", ref, []QuotaRef{one}}, false},
		"none":               {Credentials{"aws", ref, nil}, false},
		"another provider":   {Credentials{"gcp", ref, []QuotaRef{one, two}}, false},
		"another credential": {Credentials{"aws", CredentialsRef{"v1", "Secret", "n", "t"}, []QuotaRef{one, two}}, false},
	} {
		equal(t, name, base.same(test.other), test.same)
		equal(t, name+", the other way round", test.other.same(base), test.same)
	}
	equal(t, "no quotas in two ways", Credentials{"aws", ref, nil}.same(Credentials{"aws", ref, []QuotaRef{}}), true)
}
