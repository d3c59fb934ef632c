package scenarios

import (
	"context"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

// F34: the broker's free step meets the fence of our release. It does not pass over it: it turns releasing into true. Ours
// then finds the account dirty, removes its record and nothing else, and says so.
func TestF34BrokerMarksFencedAccount(t *testing.T) {
	t.Parallel()
	for name, meet := range map[string]struct {
		grace string
		rule  func(free func()) fault.Rule // of the requests of the destroy
	}{
		"after the fence": {"0s", func(free func()) fault.Rule {
			return fault.Rule{Verb: "patch", Nth: 1, Fault: fault.Do(nil, free)}
		}},
		"before the mark": {"0s", func(free func()) fault.Rule {
			return fault.Rule{Verb: "patch", Nth: 2, Fault: fault.Do(free, nil)}
		}},
		"in the grace time": {"2s", func(free func()) fault.Rule {
			return fault.Rule{Verb: "patch", Nth: 1, Fault: fault.Do(nil, free)}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, awsAccounts(1)...)
			c := s.configure(t)
			c.write(t, `release_grace = "`+meet.grace+`"`, claim("blue", "ga-1"))
			c.apply(t)
			broker, met := s.broker(t), make(chan error, 1)
			rule := meet.rule(func() { met <- broker.Free(context.WithoutCancel(t.Context()), "aws-1") })
			rule.When = func(x fault.Exchange) bool { return isUs(x.Client) }
			s.proxy.Spoil(rule)
			warns(t, c.destroy(t), "Account was left as it is", "aws-1", "was marked dirty already")
			if err := <-met; err != nil || broker.Freed.Load() != 1 {
				t.Fatalf("the broker has marked %d accounts: %v", broker.Freed.Load(), err)
			}
			s.wantMarked(t, "aws-1")
			s.wantWrites(t, "claim, fence, record", 3)
			c.wantState(t)
		})
	}
}
