package history

import (
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

// listed adds a list of the accounts by a client to a story.
func (s *story) listed(client string, began time.Time, took time.Duration, changes ...func(*fault.Exchange)) {
	x := fault.Exchange{
		Number: len(s.log) + 1, Client: client, Verb: "list", Resource: "credentialsbindings", Namespace: s.h.namespace, Code: 200,
		Sent: 200, Began: began, Ended: began.Add(took),
	}
	for _, change := range changes {
		change(&x)
	}
	s.log = append(s.log, x)
}

// at dates a write of a story.
func at(began time.Time) func(*Revision, *fault.Exchange) {
	return func(_ *Revision, e *fault.Exchange) { e.Began, e.Ended = began, began.Add(time.Millisecond) }
}

// A Global Account that holds an account gets another one of the same pool: noted, with the age of the list behind it.
func TestSecondAccounts(t *testing.T) {
	t.Parallel()
	const rival = "broker"
	start := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
	in := start.Add
	take := func(s *story, account string, when time.Time) {
		s.patch(ours, account, values{"tenantName": gaA}, values{claimA: recordOf(gaA)}, at(when))
	}
	for name, test := range map[string]struct {
		tell       func(s *story)
		seconds    int
		old        bool
		age, aside time.Duration
	}{
		"by a fresh list": {func(s *story) {
			s.listed(ours, start, time.Second/10)
			take(s, "two", in(2*time.Second))
		}, 1, false, 2 * time.Second, time.Second / 10},
		"by an old list": {func(s *story) {
			s.listed(ours, start, time.Second/10)
			s.listed("terraform-provider-hap/another", in(4*time.Second), time.Second/10)
			take(s, "two", in(5*time.Second))
		}, 1, true, 5 * time.Second, time.Second / 10},
		"by a list that took long": {func(s *story) {
			s.listed(ours, start, time.Second)
			s.listed(ours, in(time.Second), 2*time.Second, func(x *fault.Exchange) { x.Verb = "page" })
			take(s, "two", in(4500*time.Millisecond))
		}, 1, false, 4500 * time.Millisecond, 3 * time.Second},
		"by a list that has not ended": {func(s *story) {
			s.listed(ours, start, time.Second/10)
			s.listed(ours, in(4900*time.Millisecond), time.Second)
			take(s, "two", in(5*time.Second))
		}, 1, true, 5 * time.Second, time.Second / 10},
		"by a list that the proxy made stale": {func(s *story) {
			s.listed(ours, start, time.Second/10, func(x *fault.Exchange) { x.Fault = fault.StaleBy(20).String() })
			take(s, "two", in(5*time.Second))
		}, 1, false, 5 * time.Second, time.Second / 10},
		"by a write that is sent again": {func(s *story) {
			s.listed(ours, start, time.Second/10)
			lost := fault.Exchange{
				Number: 2, Client: ours, Verb: "patch", Resource: "credentialsbindings", Namespace: s.h.namespace, Name: "two", UID: "uid-two",
				Version: "2", Sent: 503, Began: in(time.Second),
			}
			s.log = append(s.log, lost)
			s.patch(ours, "two", values{"tenantName": gaA}, values{claimA: recordOf(gaA)}, at(in(9*time.Second)),
				func(_ *Revision, e *fault.Exchange) { e.Version = "2" })
		}, 1, false, time.Second, time.Second / 10},
		"beside a dirty one": {func(s *story) {
			s.patch(rival, "one", values{"dirty": "true"}, nil)
			s.listed(ours, start, time.Second/10)
			take(s, "two", in(5*time.Second))
		}, 0, false, 0, 0},
		"in another pool": {func(s *story) {
			s.listed(ours, start, time.Second/10)
			take(s, "other", in(5*time.Second))
		}, 0, false, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStory(t)
			s.present("other", values{"hyperscalerType": "gcp"})
			s.present("two", values{"hyperscalerType": "aws"})
			s.present("one", values{"hyperscalerType": "aws", "tenantName": gaA})
			test.tell(s)
			seconds := s.h.judge(s.log, isOurs).summary.Seconds
			if len(seconds) != test.seconds {
				t.Fatalf("second accounts: %v", seconds)
			}
			if test.seconds == 0 {
				return
			}
			got := seconds[0]
			if got.Account != "two" || got.Other != "one" || got.GlobalAccount != gaA || got.Age != test.age || got.Listing != test.aside {
				t.Errorf("%s", got)
			}
			if got.TooOld(0) != test.old {
				t.Errorf("too old: %t, want %t: %s", !test.old, test.old, got)
			}
		})
	}
}
