package scenarios

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/garden"
	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

const (
	// claimsPerPool is how many claims are made in one pool, each at faults of its own.
	claimsPerPool = 75
	// claimersAtOnce is how many of them at the same time.
	claimersAtOnce = 8
	// unluckyTries is how often a fault meets one claim before it is left in peace.
	unluckyTries = 4
	// requestsOfAClaim is how many requests a claim makes, with one to spare for what is asked again: it asks for its
	// rights, lists accounts, bindings of the other kind and Shoots, and writes.
	requestsOfAClaim = 7
)

// F2: whatever request of a claim is hit by whatever fault, the claim that is tried until it is made is made once,
// where its claimer found it. A thousand of them: HAP_ROUNDS=7.
func TestF02AnyFaultAtAnyRequest(t *testing.T) {
	t.Parallel()
	acceptance(t)
	seed := randomSeed(t)
	for round := range 2 * rounds(t) {
		options := fault.ProxyOptions{HTTP1: round%2 == 1}
		t.Run(fmt.Sprintf("pool %d, HTTP/1 %t", round+1, options.HTTP1), func(t *testing.T) {
			t.Parallel()
			g := gauntlet{stage: newStageBehind(t, options, awsAccounts(claimsPerPool)...), seed: seed + uint64(round)}
			g.run(t)
		})
	}
}

// gauntlet is claims that are hit by faults. Each draws its dice from a random seed of its own.
type gauntlet struct {
	stage
	seed uint64
}

func (g gauntlet) run(t *testing.T) {
	t.Helper()
	claims := make([]protocol.Claim, claimsPerPool)
	tries := make([]int, claimsPerPool)
	next := make(chan int)
	var working sync.WaitGroup
	for n := range claimersAtOnce {
		client := fmt.Sprintf("claimer-%d", n)
		store := g.gardenOf(t, client)
		working.Go(func() {
			for i := range next {
				claims[i], tries[i] = g.claim(t, i, client, store)
			}
		})
	}
	for i := range claims {
		next <- i
	}
	close(next)
	working.Wait()

	again, bearers := 0, g.bearers(t)
	for i, c := range claims {
		again += tries[i] - 1
		if got := bearers[c.Identity.Key()]; len(got) != 1 || got[0] != c.Account.Name {
			t.Errorf("the %s stands on %q, and its claimer was told %s", c.Identity, got, c.Account.Name)
			for _, account := range got {
				g.explain(t, account)
			}
		}
	}
	if held := len(g.holders(t)); held != claimsPerPool {
		t.Errorf("%d accounts are held by %d claims", held, claimsPerPool)
	}
	hit := map[string]int{}
	for _, x := range g.proxy.Log() {
		if x.Fault != "" {
			hit[x.Verb]++
		}
	}
	if hit["patch"] == 0 || hit["list"] == 0 || again == 0 {
		t.Errorf("the faults hit %v, and %d claims were asked for again: that shows nothing", hit, again)
	}
	t.Logf("the faults hit %v, claims were asked for again %d times, %d writes for %d claims", hit, again, len(g.committed()), claimsPerPool)
}

// bearers are the accounts with the record of each claim, by its key.
func (g gauntlet) bearers(t *testing.T) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for _, a := range g.ListAccounts(t) {
		for key := range a.Annotations {
			all[key] = append(all[key], a.Name)
		}
	}
	return all
}

// claim tries one claim until it is made, each time as a process that has just started. It returns how often it asked.
func (g gauntlet) claim(t *testing.T, i int, client string, store *garden.Garden) (protocol.Claim, int) {
	t.Helper()
	dice := rand.New(rand.NewPCG(g.seed, uint64(i))) //nolint:gosec // a test's dice
	request := protocol.ClaimRequest{Name: "blue", GlobalAccount: fmt.Sprintf("ga-%03d", i), Target: awsPool}
	var last error
	for try := range unluckyTries + 1 {
		lift := func() {}
		if try < unluckyTries {
			lift = g.proxy.Spoil(fault.Rule{Client: client, Nth: 1 + dice.IntN(requestsOfAClaim), Fault: anyFault(dice)})
		}
		ctx, cancel := context.WithTimeout(t.Context(), patience(try))
		claim, err := pool.New(g.Name, store, store, account.Policy{}).Claim(ctx, request)
		cancel()
		lift()
		if err == nil {
			g.Acknowledge(claim.Identity.Key(), claim.Account.Name, claim.Account.Version)
			return claim, try + 1
		}
		last = err
	}
	t.Errorf("random seed %d: claim %d fails with the faults gone: %v\nthe last requests of its process:\n%s", g.seed, i, last,
		fault.Excerpt(g.proxy.Log(), func(x fault.Exchange) bool { return strings.HasPrefix(x.Client, client+" ") }))
	return protocol.Claim{}, unluckyTries + 1
}

// patience is how long a try may take: those that may hang are cut short.
func patience(try int) time.Duration {
	if try < unluckyTries {
		return 4 * time.Second
	}
	return 2 * time.Minute
}

func anyFault(dice *rand.Rand) fault.Fault {
	faults := []fault.Fault{
		fault.CutBefore(), fault.CutAfter(), fault.CutWithin(), fault.HangBefore(), fault.HangAfter(),
		fault.LoseAfter(http.StatusBadGateway), fault.LoseAfter(http.StatusGatewayTimeout), fault.InternalError(),
		fault.Unavailable(0), fault.TooManyRequests(0), fault.Conflict(), fault.Forbidden(),
		fault.CommitLate(time.Duration(dice.IntN(200)) * time.Millisecond),
	}
	return faults[dice.IntN(len(faults))]
}
