package pool

import "testing"

// An account with quotas is only made anew where its owner says what quotas the new one has: by a changed part, and by -replace.
func TestQuotasAreNotLostInAReplacement(t *testing.T) {
	t.Parallel()
	one, two := QuotaRef{"garden", "one"}, QuotaRef{"garden", "two"}
	for name, test := range map[string]struct {
		has, wants []QuotaRef
		lost       bool
	}{
		"none, and none is said":   {nil, nil, false},
		"none, and one is wanted":  {nil, []QuotaRef{one}, false},
		"one, and none is said":    {[]QuotaRef{one}, nil, true},
		"two, and none is said":    {[]QuotaRef{one, two}, nil, true},
		"one, which is kept":       {[]QuotaRef{one}, []QuotaRef{one}, false},
		"one, another is wanted":   {[]QuotaRef{one}, []QuotaRef{two}, false},
		"one, which is given up":   {[]QuotaRef{one}, []QuotaRef{}, false},
		"two, in a changed order":  {[]QuotaRef{one, two}, []QuotaRef{two, one}, false},
		"none, and none is wanted": {nil, []QuotaRef{}, false},
	} {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t)
			supply := func(quotas []QuotaRef) Supply {
				return supplyOf(func(s *Supply) { s.Credentials.Quotas = quotas })
			}
			made, err := w.pool().Add(t.Context(), supply(test.has))
			equal(t, "error", err, nil)
			equal(t, "quotas of the account", w.at(made.Account.Name).Credentials.Quotas, test.has)
			uid, next := made.Account.UID, supply(test.wants)
			for what, err := range map[string]error{
				"changed part": w.pool().MayReplace(t.Context(), made.Account.Name, uid, next), "-replace": w.pool().MayAdd(t.Context(), next, uid),
			} {
				if !test.lost {
					equal(t, what, err, nil)
					continue
				}
				refused := as[*SupplyError](t, err)
				equal(t, what, refused.Obstacle, ObstacleQuotas)
				equal(t, "quotas that are named", refused.Quotas, test.has)
			}
		})
	}
}

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
