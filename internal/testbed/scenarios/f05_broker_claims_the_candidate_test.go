package scenarios

import (
	"slices"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

// F5: what the broker does between our list and our write. The server refuses the write, the account is judged again,
// and the broker keeps what it has taken.
func TestF05BrokerClaimsTheCandidate(t *testing.T) {
	t.Parallel()
	s := newStage(t, twoFree()...)
	broker, ga := s.broker(t), s.preferringFirst(t)
	met := make(chan error, 1)
	s.proxy.Spoil(fault.Rule{Verb: "patch", Nth: 1, Fault: fault.Do(func() {
		met <- brokerTakes(t.Context(), broker, "aws-1")
	}, nil)})
	c := s.configure(t, claim("blue", ga))
	c.apply(t)
	if err := <-met; err != nil {
		t.Fatal(err)
	}
	if got := c.account(t, "blue"); got != "aws-2" {
		t.Errorf("the claim stands on %q, want the account that was left", got)
	}
	s.wantLabels(t, "aws-1", brokersTenant, "")
	if records := s.records(t, "aws-1"); len(records) > 0 {
		t.Errorf("the broker's account bears our records %v", records)
	}
	if patches := s.requestsOf("patch"); patches != 2 || !slices.Equal(s.committed(), []string{"aws-2"}) {
		t.Errorf("%d patches, committed %v; want one that is refused and one on aws-2", patches, s.committed())
	}
}

func TestF05BrokerClaimsTheLastAccount(t *testing.T) {
	t.Parallel()
	s := newStage(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	broker := s.broker(t)
	met := make(chan error, 1)
	s.proxy.Spoil(fault.Rule{Verb: "patch", Nth: 1, Fault: fault.Do(func() {
		met <- brokerTakes(t.Context(), broker, "aws-1")
	}, nil)})
	c := s.configure(t, claim("blue", "ga-1"))
	c.fails(t, applying, "No free account", "free 0, held 1, dirty 0", "Nothing was claimed.")
	if err := <-met; err != nil {
		t.Fatal(err)
	}
	s.wantLabels(t, "aws-1", brokersTenant, "")
	if len(s.committed()) > 0 || len(s.records(t, "aws-1")) > 0 {
		t.Errorf("written: %v, records %v", s.committed(), s.records(t, "aws-1"))
	}
	c.wantState(t)
}

// A conflict that comes from a harmless edit does not cost the candidate.
func TestF05HarmlessEditKeepsTheCandidate(t *testing.T) {
	t.Parallel()
	s := newStage(t, twoFree()...)
	ga, note := s.preferringFirst(t), "hello"
	s.proxy.Spoil(fault.Rule{Verb: "patch", Nth: 1, Fault: fault.Do(func() {
		s.PatchAnnotations(t, "aws-1", map[string]*string{"note": &note})
	}, nil)})
	c := s.configure(t, claim("blue", ga))
	c.apply(t)
	if got := c.account(t, "blue"); got != "aws-1" || s.tenant(t, "aws-2") != "" {
		t.Errorf("the claim stands on %q, accounts held %v; want aws-1 alone", got, s.holders(t))
	}
	if got := s.GetAccount(t, "aws-1").Annotations["note"]; got != note {
		t.Errorf("the edit was undone: note %q", got)
	}
	if patches := s.requestsOf("patch"); patches != 2 || len(s.committed()) != 1 {
		t.Errorf("%d patches, committed %v; want one that is refused and one that is not", patches, s.committed())
	}
}
