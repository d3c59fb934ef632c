package scenarios

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
)

// rush lets processes claim at the same moment, each for a Global Account of its own unless ga says otherwise, and adds
// to the history what they got. The results are in the order of the processes.
func (s stage) rush(t *testing.T, processes []*pool.Pool, request func(i int) protocol.ClaimRequest) ([]protocol.Claim, []error) {
	t.Helper()
	claims, errs := make([]protocol.Claim, len(processes)), make([]error, len(processes))
	start := make(chan struct{})
	var ready, finished sync.WaitGroup
	for i, p := range processes {
		ready.Add(1)
		finished.Go(func() {
			ready.Done()
			<-start
			claims[i], errs[i] = p.Claim(t.Context(), request(i))
		})
	}
	ready.Wait()
	close(start)
	finished.Wait()
	for i, c := range claims {
		if errs[i] == nil {
			s.Acknowledge(c.Identity.Key(), c.Account.Name, c.Account.Version)
		}
	}
	return claims, errs
}

// processes are so many runs of the provider that have just started.
func (s stage) processes(t *testing.T, n int, policy account.Policy) []*pool.Pool {
	t.Helper()
	all := make([]*pool.Pool, n)
	for i := range all {
		all[i] = s.process(t, fmt.Sprintf("process-%d", i), policy)
	}
	return all
}

// F3: 2 to 64 applies race for the last free account. Exactly one gets it; the others are told at once how the pool
// stands. A thousand races: HAP_ROUNDS=100.
func TestF03RaceForTheLastAccount(t *testing.T) {
	t.Parallel()
	acceptance(t)
	const races = 10
	seed := randomSeed(t)
	for round := range rounds(t) {
		t.Run(fmt.Sprintf("%d", round+1), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(seed, uint64(round)))
			s := newStage(t, testbed.AccountSpec{Name: "last", HyperscalerType: "aws"}, testbed.AccountSpec{Name: "dirty", HyperscalerType: "aws", Dirty: true},
				testbed.AccountSpec{Name: "internal", HyperscalerType: "aws", Internal: true})
			for race := range races {
				n := 2 + rng.IntN(63)
				claims, errs := s.rush(t, s.processes(t, n, account.Policy{}), func(i int) protocol.ClaimRequest {
					return protocol.ClaimRequest{Name: fmt.Sprintf("race-%d", race), GlobalAccount: fmt.Sprintf("ga-%d", i), Target: awsPool}
				})
				winner := slices.Index(errs, nil)
				if winner < 0 || s.tenant(t, "last") != claims[winner].Record.GlobalAccount {
					t.Fatalf("race %d of %d: won by %d, the account is %q's", race, n, winner, s.tenant(t, "last"))
				}
				for i, err := range errs {
					var exhausted *account.ExhaustedError
					if i == winner {
						continue
					}
					if !errors.As(err, &exhausted) || !maps.Equal(exhausted.Tally, account.Tally{account.ClassTaken: 1, account.ClassDirty: 1, account.ClassInternal: 1}) {
						t.Errorf("race %d of %d: process %d got %v", race, n, i, err)
					}
				}
				outcome, err := s.process(t, "release", account.Policy{}).Release(t.Context(), protocol.ReleaseRequest{
					Identity: claims[winner].Identity, Account: "last", UID: claims[winner].Account.UID, Mode: account.ReturnToPool,
				})
				if err != nil || outcome != protocol.OutcomeReturned {
					t.Fatalf("returning the account: %s, %v", outcome, err)
				}
				s.Released(claims[winner].Identity.Key(), "last")
			}
		})
	}
}

// F4: 64 applies for 64 accounts. Each gets one of its own, after a few tries at most: they do not all fight for the
// first by name, and who lost one does not go on with an old list.
func TestF04EnoughForAll(t *testing.T) {
	t.Parallel()
	const n = 64
	s := newStage(t, awsAccounts(n)...)
	claims, errs := s.rush(t, s.processes(t, n, account.Policy{}), func(i int) protocol.ClaimRequest {
		return protocol.ClaimRequest{Name: "blue", GlobalAccount: fmt.Sprintf("ga-%d", i), Target: awsPool}
	})
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	accounts := map[string]bool{}
	for _, c := range claims {
		accounts[c.Account.Name] = true
	}
	if len(accounts) != n || len(s.holders(t)) != n {
		t.Errorf("%d accounts were given to %d applies, %d are held", len(accounts), n, len(s.holders(t)))
	}
	writes, lost := map[string]int{}, 0
	for _, x := range s.proxy.Log() {
		if x.Verb == "patch" {
			writes[x.Client]++
			if !x.Committed() {
				lost++
			}
		}
	}
	tries := make([]int, 0, n)
	for _, w := range writes {
		tries = append(tries, w-1)
	}
	slices.Sort(tries)
	t.Logf("writes lost to others: %d in all, %.2f per claim; retries: median %d, 99%% %d, most %d",
		lost, float64(lost)/n, tries[n/2], tries[n-2], tries[n-1])
	if tries[n-2] > 5 {
		t.Errorf("retries %v, want at most 5 for 99%% of the applies", tries)
	}
}

// F29: 64 applies of one Global Account want a place each, and its account has one left. Ours never carry an account over
// its limit, and they meet on the next account instead of taking one each.
func TestF29NeverOverTheLimitByUs(t *testing.T) {
	t.Parallel()
	const n, limit = 64, 180
	s := newStage(t, append(awsAccounts(n), testbed.AccountSpec{Name: "aws-held", HyperscalerType: "aws", Tenant: "ga-1"})...)
	s.Shoots(t, "aws-held", limit-1)
	policy := account.Policy{AllowedGlobalAccounts: []string{"*"}, Limits: map[string]int{account.DefaultLimit: limit}}
	claims, errs := s.rush(t, s.processes(t, n, policy), func(i int) protocol.ClaimRequest {
		return protocol.ClaimRequest{
			Name: fmt.Sprintf("claim-%d", i), GlobalAccount: "ga-1", Target: awsPool,
			Details: account.Details{ClusterName: fmt.Sprintf("new-%d", i)},
		}
	})
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	places := map[string]int{}
	for _, c := range claims {
		places[c.Account.Name]++
	}
	if places["aws-held"] != 1 || len(places) != 2 || len(s.records(t, "aws-held")) != 1 {
		t.Errorf("places given: %v, want 1 on aws-held and %d on one other account", places, n-1)
	}
	for account := range places {
		if got := len(s.records(t, account)); got != places[account] {
			t.Errorf("%s bears %d records, and %d claims were told so", account, got, places[account])
		}
	}
}
