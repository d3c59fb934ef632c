package scenarios

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/client-go/rest"

	"github.com/hap-project/terraform-provider-hap/internal/garden"
	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

const (
	// weatherClaims is how many processes claim and release at one rate of faults; HAP_ROUNDS multiplies it.
	weatherClaims = 60
	// weatherRuns bounds how often one of them is started again after an error, as a person would.
	weatherRuns = 20
	// asked is the Retry-After of all who are turned away.
	asked        = time.Second
	weatherAgent = "terraform-provider-hap"
	// atOnce is how many of them are under way at a time; most of them wait.
	atOnce = 60
)

// F14: whatever goes wrong on the way to the API and back, in each verb: reads are tried again, writes are sent once for
// each judgement, and every claim and release comes to its end, after a new start at the worst.
func TestF14BadWeather(t *testing.T) {
	t.Parallel()
	for _, chance := range []float64{0.01, 0.1, 0.5} {
		t.Run(fmt.Sprintf("%g%%", chance*100), func(t *testing.T) {
			t.Parallel()
			weather(t, chance, randomSeed(t), weatherClaims*rounds(t))
		})
	}
}

// weather has processes claim and release while each request meets a fault with a probability.
func weather(t *testing.T, chance float64, seed uint64, claims int) {
	t.Helper()
	accounts := make([]testbed.AccountSpec, claims)
	for i := range accounts {
		accounts[i] = testbed.AccountSpec{Name: fmt.Sprintf("aws-%03d", i+1), HyperscalerType: "aws"}
	}
	s := newStageBehind(t, fault.ProxyOptions{Seed: seed}, accounts...)
	dead := []string{mute(t), blackHole(t)}
	faults := []fault.Fault{
		fault.TooManyRequests(asked), fault.Answer(http.StatusTooManyRequests, "a gateway is busy", "Retry-After", "1"),
		fault.Unavailable(0), fault.InternalError(), fault.CutBefore(), fault.CutAfter(), fault.CutWithin(),
		fault.LoseAfter(http.StatusBadGateway), fault.CommitLate(100 * time.Millisecond),
	}
	for i, injected := range faults { // the later ones get what the earlier ones leave
		s.proxy.Spoil(fault.Rule{Chance: chance * 0.9 / (float64(len(faults)) - chance*float64(i)), Fault: injected})
	}
	var over deadlines
	runs := new(errgroup.Group)
	runs.SetLimit(atOnce)
	for i := range claims {
		network := newBrokenNetwork(chance*0.1, rand.New(rand.NewPCG(seed, uint64(i))), dead...) //nolint:gosec // no secret depends on it
		runs.Go(func() error {
			if err := weathered(t, s, i, network, &over); err != nil {
				t.Errorf("%v\nall requests of this pipeline:\n%s", err, fault.Excerpt(s.proxy.Log(), func(x fault.Exchange) bool {
					return strings.HasPrefix(x.Client, fmt.Sprintf("%s/f14-%d.", weatherAgent, i))
				}))
			}
			return nil
		})
	}
	_ = runs.Wait() // each has reported its own error
	s.proxy.Lift()
	for _, a := range s.ListAccounts(t) {
		if a.Labels["tenantName"] == "" || a.Labels["dirty"] != "true" || len(s.records(t, a.Name)) > 0 {
			t.Errorf("account %s was not claimed and released: %v %v", a.Name, a.Labels, a.Annotations)
			s.explain(t, a.Name)
		}
	}
	log := s.proxy.Log()
	oncePerJudgement(t, s, log)
	waitsAsAsked(t, log, &over)
	spoilt(t, log, chance)
}

// weathered is one pipeline: a claim and its release, each begun anew until it has succeeded.
func weathered(t *testing.T, s stage, i int, network *brokenNetwork, over *deadlines) error {
	t.Helper()
	id := account.Identity{Namespace: s.Name, GlobalAccount: fmt.Sprintf("ga-%d", i), Pool: "aws", Name: "blue"}
	start := 0
	process := func(ctx context.Context) *pool.Pool { // each start is a client of its own: it does not know what its predecessor was asked
		start++
		agent := fmt.Sprintf("%s/f14-%d.%d", weatherAgent, i, start)
		over.note(ctx, agent)
		return s.started(t, agent, network.on)
	}
	var claim protocol.Claim
	err := untilDone(t, func(ctx context.Context) (err error) {
		claim, err = process(ctx).Claim(ctx, protocol.ClaimRequest{
			Name: id.Name, GlobalAccount: id.GlobalAccount, Target: awsPool, Details: account.Details{Owner: "pipeline"},
		})
		return err
	})
	if err != nil {
		s.Unknown(id.Key())
		return fmt.Errorf("claiming for %s: %w", id.GlobalAccount, err)
	}
	s.Acknowledge(id.Key(), claim.Account.Name, claim.Account.Version)
	s.Released(id.Key(), claim.Account.Name)
	err = untilDone(t, func(ctx context.Context) error {
		_, err := process(ctx).Release(ctx, protocol.ReleaseRequest{
			Identity: id, Account: claim.Account.Name, UID: claim.Account.UID, Mode: account.MarkDirty, Owner: "pipeline",
		})
		return err
	})
	if err != nil {
		return fmt.Errorf("releasing for %s: %w", id.GlobalAccount, err)
	}
	return nil
}

// untilDone starts a process again and again. Each of its errors has to say what it means.
func untilDone(t *testing.T, run func(context.Context) error) (err error) {
	t.Helper()
	for range weatherRuns {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		err = run(ctx)
		cancel()
		if err == nil {
			return nil
		}
		var unreachable *account.UnreachableError
		var unknown *account.UnknownOutcomeError
		var timeout *pool.TimeoutError
		switch {
		case errors.As(err, &timeout):
			if timeout.After < time.Minute/2 || len(timeout.Steps) == 0 {
				t.Errorf("%q does not say where the time went", err)
			}
		case errors.As(err, &unreachable):
			if !strings.Contains(err.Error(), fmt.Sprintf("after %d tr", unreachable.Tries)) || unreachable.Err == nil {
				t.Errorf("%q does not say how many tries and why", err)
			}
		case !errors.As(err, &unknown):
			return fmt.Errorf("not an error that another start mends: %w", err)
		}
	}
	return fmt.Errorf("after %d starts: %w", weatherRuns, err)
}

// started is a claimer that has just started, as the user of the stage, with this User-Agent.
func (s stage) started(t *testing.T, agent string, changes ...func(*rest.Config)) *pool.Pool {
	t.Helper()
	config := s.user.Config()
	s.proxy.Through(config)
	config.UserAgent = agent
	for _, change := range changes {
		change(config)
	}
	g, err := garden.New(config, s.Name, garden.DefaultLabelKeys())
	if err != nil {
		t.Fatal(err)
	}
	return pool.New(s.Name, g, g, account.Policy{})
}

// oncePerJudgement checks that a change is not sent again while an earlier one, for the same judgement, may have been
// made: only after the API has turned it away unseen, or after a read that found the account as it was judged.
func oncePerJudgement(t *testing.T, s stage, log []fault.Exchange) {
	t.Helper()
	type judgement struct{ client, account, uid, version string }
	sent := map[judgement]fault.Exchange{}
	looked := map[[2]string]fault.Exchange{}
	for _, x := range log {
		if x.Resource != "credentialsbindings" {
			continue
		}
		if x.Verb == "get" && x.Sent == http.StatusOK {
			looked[[2]string{x.Client, x.Name}] = x
		}
		if x.Verb != "patch" {
			continue
		}
		now := judgement{x.Client, x.Name, x.UID, x.Version}
		before, again := sent[now]
		sent[now] = x
		if !again || before.Sent == http.StatusTooManyRequests || before.Sent == http.StatusUnauthorized {
			continue
		}
		look, ok := looked[[2]string{x.Client, x.Name}]
		if !ok || look.Began.Before(before.Began) {
			t.Errorf("request %d sends what request %d may have changed already, and no request looked between them:\n%s\n%s",
				x.Number, before.Number, before, x)
			s.explain(t, x.Name, before.Number, x.Number)
		}
		if before.Committed() && !before.Ended.IsZero() && before.Ended.Before(look.Began) {
			t.Errorf("request %d was carried out, as request %d could see, and request %d sends it again", before.Number, look.Number, x.Number)
			s.explain(t, x.Name, before.Number, look.Number, x.Number)
		}
	}
}

// keptBack is at most how much of a minute an operation keeps back for cleaning up.
const keptBack = time.Minute / 4

// deadlines are when the time for the work of each client is over: where it has lost an answer, it then reads the account at once.
type deadlines struct{ of sync.Map }

func (d *deadlines) note(ctx context.Context, client string) {
	if end, ok := ctx.Deadline(); ok {
		d.of.Store(client, end.Add(-keptBack))
	}
}

// areOver reports whether the time for the work of a client is over.
func (d *deadlines) areOver(client string, now time.Time) bool {
	noted, _ := d.of.Load(client)
	end, ok := noted.(time.Time)
	return ok && now.After(end)
}

// waitsAsAsked checks that no client that was asked to wait comes back before, as long as it has time. Every client asks one thing after
// the other.
func waitsAsAsked(t *testing.T, log []fault.Exchange, over *deadlines) {
	t.Helper()
	until := map[string]time.Time{}
	for _, x := range log {
		if !isUs(x.Client) {
			continue
		}
		if early := until[x.Client].Sub(x.Began); early > 0 && !over.areOver(x.Client, x.Began) {
			t.Errorf("%s came back %s too early, with request %d:\n%s", x.Client, early, x.Number,
				fault.Excerpt(log, func(other fault.Exchange) bool { return other.Client == x.Client && other.Number <= x.Number }))
		}
		if x.Sent == http.StatusTooManyRequests {
			until[x.Client] = x.Began.Add(asked)
		}
	}
}

// spoilt checks that the weather was bad for every verb.
func spoilt(t *testing.T, log []fault.Exchange, chance float64) {
	t.Helper()
	count, all := map[string]int{}, 0
	for _, x := range log {
		if x.Fault != "" {
			count[x.Verb+" "+x.Resource]++
			all++
		}
	}
	t.Logf("%d of %d requests were spoilt: %v", all, len(log), count)
	for _, verb := range []string{
		"list credentialsbindings", "list shoots", "get credentialsbindings", "patch credentialsbindings", "create selfsubjectaccessreviews",
	} {
		if chance >= 0.5 && count[verb] == 0 {
			t.Errorf("no %s was spoilt", verb)
		}
	}
}

// rounds multiplies the iterations of a random scenario.
func rounds(t *testing.T) int {
	t.Helper()
	n, err := strconv.Atoi(os.Getenv("HAP_ROUNDS"))
	if err != nil {
		return 1
	}
	return max(n, 1)
}

// randomSeed is HAP_SEED, or a new one; the log says which.
func randomSeed(t *testing.T) uint64 {
	t.Helper()
	n, err := strconv.ParseUint(os.Getenv("HAP_SEED"), 10, 64)
	if err != nil {
		n = rand.Uint64()
	}
	t.Logf("HAP_SEED=%d", n)
	return n
}
