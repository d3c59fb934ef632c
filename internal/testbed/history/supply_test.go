package history

import (
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

// What the pool's owner may write, and what not; the same writes of a claim are as bad as ever.
func TestSupplyIsJudged(t *testing.T) {
	t.Parallel()
	deleted := func(r *Revision, e *fault.Exchange) { r.Event, e.Verb, e.Result = Deleted, "delete", "" }
	blindly := func(_ *Revision, e *fault.Exchange) { e.Version = "0" }
	for name, test := range map[string]struct {
		before values
		tell   func(s *story)
		want   []string // as the owner; as a claim it is always broken
	}{
		"labels and flags":  {nil, func(s *story) { s.patch(ours, "a", values{"team": "x", "shared": "true", "euAccess": "true"}, nil) }, nil},
		"a shared account":  {values{"shared": "true"}, func(s *story) { s.patch(ours, "a", values{"shared": "-"}, nil) }, nil},
		"put aside":         {nil, func(s *story) { s.patch(ours, "a", values{"dirty": "quarantine"}, values{quarantineKey: "why"}) }, nil},
		"put aside, held":   {values{"tenantName": gaA}, func(s *story) { s.patch(ours, "a", values{"dirty": "quarantine"}, nil) }, nil},
		"given back":        {values{"dirty": "quarantine"}, func(s *story) { s.patch(ours, "a", values{"dirty": "-"}, values{quarantineKey: "-"}) }, nil},
		"a false flag":      {values{"tenantName": gaA, "euAccess": "false"}, func(s *story) { s.patch(ours, "a", values{"euAccess": "-"}, nil) }, nil},
		"deleted":           {nil, func(s *story) { s.patch(ours, "a", nil, nil, deleted) }, nil},
		"deleted, dirty":    {values{"tenantName": gaA, "dirty": "true"}, func(s *story) { s.patch(ours, "a", nil, nil, deleted) }, nil},
		"blindly":           {nil, func(s *story) { s.patch(ours, "a", values{"team": "x"}, nil, blindly) }, []string{"I7"}},
		"deleted blindly":   {nil, func(s *story) { s.patch(ours, "a", nil, nil, deleted, blindly) }, []string{"I7"}},
		"shared, held":      {values{"tenantName": gaA}, func(s *story) { s.patch(ours, "a", values{"shared": "true"}, nil) }, []string{"I5"}},
		"labelled, held":    {values{"tenantName": gaA}, func(s *story) { s.patch(ours, "a", values{"team": "x"}, nil) }, []string{"I5"}},
		"a no that is said": {nil, func(s *story) { s.patch(ours, "a", values{"euAccess": "false"}, nil) }, []string{"I7"}},
		"another annotation": {nil, func(s *story) { s.patch(ours, "a", values{"team": "x"}, values{"note": "x"}) },
			[]string{"I7"}},
		"un-dirtied":       {values{"dirty": "true"}, func(s *story) { s.patch(ours, "a", values{"dirty": "-", "team": "x"}, nil) }, []string{"I7"}},
		"fence taken down": {values{"dirty": "releasing"}, func(s *story) { s.patch(ours, "a", values{"dirty": "-"}, values{quarantineKey: "-"}) }, []string{"I5"}},
		"deleted, held":    {values{"tenantName": gaA}, func(s *story) { s.patch(ours, "a", nil, nil, deleted) }, []string{"I5"}},
		"deleted, fenced":  {values{"dirty": "releasing"}, func(s *story) { s.patch(ours, "a", nil, nil, deleted) }, []string{"I5"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tell := func() *story {
				s := newStory(t)
				s.present("a", values{"hyperscalerType": "aws"}.with(test.before))
				test.tell(s)
				return s
			}
			s, want := tell(), []string{}
			s.h.AllowSupply(isOurs)
			for _, invariant := range test.want {
				want = append(want, invariant+" a "+ours)
			}
			s.wantBroken(want...)
			if len(tell().h.Check(s.log, isOurs)) == 0 && name != "put aside, held" { // a release writes that label
				t.Error("a claim may write that")
			}
		})
	}
}

// Where the owner may write, a claim's writes are judged as ever.
func TestSupplyLetsNoClaimPass(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.h.AllowSupply(isOurs)
	s.present("a", values{"hyperscalerType": "aws"})
	s.present("b", values{"hyperscalerType": "aws"})
	s.claim("a", claimB, gaB)
	s.release("a", claimB)
	s.patch(ours, "b", values{"tenantName": gaA, "team": "x"}, values{claimA: recordOf(gaB)})
	s.wantBroken("I1 b "+ours, "I7 b "+ours)
}
