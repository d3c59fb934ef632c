package race

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/hap-project/terraform-provider-hap/internal/garden"
	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/history"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/rivals"
)

const (
	// grace is how long our fences stay: longer than the broker takes from its choice to the Shoot.
	grace = time.Second
	// patience is how long a claim or release may take.
	patience = 20 * time.Second
	// arrival is how long a write may take from the judgement behind it to the proxy, on a machine with much to do.
	arrival = time.Second
	agent   = "terraform-provider-hap"
)

// shape is what a round is like.
type shape struct {
	claimers, accounts, tenants, processes int
	limit                                  int // 0 = one account per tenant
	faults                                 float64
	mixed                                  bool // the broker makes clusters for our tenants too
	internal                               bool // the broker has given an internal account to one of our tenants
	suppliers                              int  // pipelines of the pool's owner
	doubled                                bool // further bindings to the credentials of accounts come and go
}

// String is the shape in one line.
func (s shape) String() string {
	text := fmt.Sprintf("%d claimers in %d processes for %d tenants on %d accounts, limit %d, faults x%.1f",
		s.claimers, s.processes, s.tenants, s.accounts, s.limit, s.faults)
	if s.mixed {
		text += ", the broker serves them too"
	}
	if s.internal {
		text += ", one has an internal account"
	}
	if s.doubled {
		text += ", accounts are doubled"
	}
	if s.suppliers > 0 {
		text += fmt.Sprintf(", %d suppliers", s.suppliers)
	}
	return text
}

// round is one race on one pool.
type round struct {
	*testbed.Namespace
	*history.History
	shape
	tally tally

	seen   counting
	left   atomic.Int64 // attempts
	rng    *rand.Rand
	user   *testbed.User // ours
	owner  *testbed.User // the pool's
	rivals *testbed.User
	broker []*rivals.Broker // two that overlap, as at each roll-out
	proxy  *fault.Proxy
	policy account.Policy
	// Two kinds of processes: a run that has made a claim does not release it.
	claiming, releasing []*pool.Pool
	agents              atomic.Int64
}

func newRound(t *testing.T, rng *rand.Rand, attempts uint64) *round {
	t.Helper()
	pick := func(choices ...int) int { return choices[rng.IntN(len(choices))] }
	s := shape{
		internal: pick(0, 1) == 1, claimers: pick(8, 16, 32, 64), accounts: pick(4, 8, 16, 32, 48), tenants: pick(2, 8, 24, 64), processes: pick(1, 4, 8),
		limit: pick(0, 0, 1, 3), faults: float64(pick(0, 1, 1, 4)), mixed: pick(0, 1) == 1,
		suppliers: pick(0, 1, 2), doubled: pick(0, 1) == 1,
	}
	g := testbed.Shared(t)
	ns := g.NewNamespace(t)
	specs := []testbed.AccountSpec{
		{Name: "shared", HyperscalerType: "aws", Shared: true}, {Name: "internal", HyperscalerType: "aws", Internal: true},
		{Name: "foreign", HyperscalerType: "aws", Tenant: "ga-foreign"}, {Name: "other-pool", HyperscalerType: "gcp"},
	}
	for i := range s.accounts {
		specs = append(specs, testbed.AccountSpec{Name: fmt.Sprintf("aws-%02d", i), HyperscalerType: "aws"})
	}
	if s.limit == 0 {
		for i := range meetingAccounts {
			specs = append(specs, testbed.AccountSpec{Name: fmt.Sprintf("azure-%02d", i), HyperscalerType: meetingPool.HyperscalerType})
		}
	}
	if s.internal = s.internal && s.tenants > 2; s.internal {
		specs = append(specs, testbed.AccountSpec{Name: internalAccount, HyperscalerType: "aws", Internal: true})
	}
	ns.Accounts(t, specs...)
	r := &round{
		Namespace: ns, shape: s, rng: rng, user: ns.ServiceAccount(t, "provider", testbed.DocumentedRole(t)),
		owner:  ns.ServiceAccount(t, "supply", testbed.RoleExample(t, "role-supply.yaml")),
		rivals: ns.ServiceAccount(t, "rivals", []byte(rivals.Role)), proxy: fault.NewProxy(t, g, fault.ProxyOptions{Seed: rng.Uint64()}),
	}
	r.left.Store(int64(attempts))
	if s.limit > 0 {
		r.policy = account.Policy{AllowedGlobalAccounts: []string{"*"}, Limits: map[string]int{account.DefaultLimit: s.limit}}
	}
	for range s.processes {
		r.claiming, r.releasing = append(r.claiming, r.process(t)), append(r.releasing, r.process(t))
	}
	r.History = history.Follow(t, ns)
	r.AllowSupply(isSupplier)
	for i := range 2 {
		r.broker = append(r.broker, &rivals.Broker{
			Config: r.asRival(fmt.Sprintf("broker-%d", i)), Namespace: r.Name, BackOff: 20 * time.Millisecond, Gap: 10 * time.Millisecond,
		})
	}
	return r
}

const (
	// internalAccount is the first by name: the broker, which does not read the label, gives it to whom it serves first.
	internalAccount = "a-internal"
	// internalTenant is the tenant that the broker serves first.
	internalTenant = "ga-1"
)

// giveInternal has the broker give the internal account to one of our tenants.
func (r *round) giveInternal(t *testing.T) {
	t.Helper()
	account, err := r.broker[0].Claim(t.Context(), internalTenant, "aws")
	if err != nil || account != internalAccount {
		t.Fatalf("the broker has given %q to %s (%v), it should have been the internal account", account, internalTenant, err)
	}
}

// asRival is a connection of the broker or of the clean-up job.
func (r *round) asRival(agent string) *rest.Config {
	config := r.rivals.Config()
	r.proxy.Through(config)
	config.UserAgent = agent
	return config
}

// process is a run of the provider that has just begun, with connections of its own.
func (r *round) process(t *testing.T) *pool.Pool {
	t.Helper()
	return r.processOf(t, r.user, agent+"/race")
}

// processOf is process for a user, whose User-Agents begin with a name.
func (r *round) processOf(t *testing.T, user *testbed.User, name string) *pool.Pool {
	t.Helper()
	config := user.Config()
	r.proxy.Through(config)
	config.UserAgent = fmt.Sprintf("%s-%d", name, r.agents.Add(1))
	config.Dial = new(net.Dialer).DialContext // with a dialer of its own client-go shares no connections
	g, err := garden.New(config, r.Name, garden.DefaultLabelKeys())
	if err != nil {
		t.Fatal(err)
	}
	return pool.New(r.Name, g, g, r.policy)
}

// isUs recognises our processes.
func isUs(client string) bool { return strings.HasPrefix(client, agent) }

// run is the race itself, and then the check.
func (r *round) run(t *testing.T) {
	t.Helper()
	if r.internal {
		r.giveInternal(t)
	}
	r.spoil()
	rivals, stop := context.WithCancel(t.Context())
	var beside sync.WaitGroup
	r.letRivalsRun(rivals, t, &beside)

	var claimers []*claimer
	begin := func() *claimer {
		c := &claimer{round: r, number: len(claimers)}
		c.rng = rand.New(rand.NewPCG(r.rng.Uint64(), uint64(c.number)))
		claimers = append(claimers, c)
		return c
	}
	if r.limit == 0 {
		for _, broker := range r.broker {
			c := begin()
			beside.Go(func() { c.meet(rivals, t, broker) })
		}
	}
	suppliers := r.letSuppliersRun(rivals, t, &beside)
	var running sync.WaitGroup
	for range r.claimers {
		c := begin()
		running.Go(func() { c.run(t) })
	}
	running.Wait()
	stop()
	beside.Wait()

	r.proxy.Lift()
	r.calm(t, claimers)
	for _, s := range suppliers {
		s.judge(t)
	}
	r.judge(t)
	if t.Failed() {
		t.Logf("failed in the round with %s", r.shape)
	}
}

// judge checks the history of the round and what it has left.
func (r *round) judge(t *testing.T) {
	t.Helper()
	r.End(t)
	log := r.proxy.Log()
	summary := r.MustHold(t, log, isUs)
	r.tally = r.seen.tally
	r.tally.doubles, r.tally.conflicts, r.tally.seconds = summary.DoubleHandouts, summary.Conflicts, len(summary.Seconds)
	r.tally.orphans = len(summary.Orphans) + len(summary.Leftovers) + len(summary.Abandoned)
	for _, s := range summary.Seconds {
		if r.limit == 0 && s.TooOld(arrival) {
			t.Errorf("one account is allowed for each: %s", s)
			r.Explain(t, log, s.Account, s.Request)
		}
	}
	for _, a := range r.ListAccounts(t) {
		if a.Labels["dirty"] == string(account.Releasing) {
			t.Errorf("a fence is left on %s", a.Name)
		}
		if a.Name == internalAccount && (a.Labels["tenantName"] != internalTenant || a.Labels["dirty"] != "") {
			t.Errorf("the internal account of %s has the labels %v", internalTenant, a.Labels)
		}
	}
}

// spoil makes our connections go wrong at random.
func (r *round) spoil() {
	if r.faults == 0 {
		return
	}
	for _, rule := range []fault.Rule{
		{Chance: 0.02, Fault: fault.Delay(50 * time.Millisecond)},
		{Chance: 0.003, Fault: fault.CutBefore()},
		{Chance: 0.003, Fault: fault.InternalError()},
		{Chance: 0.001, Fault: fault.TooManyRequests(time.Second)},
		{Chance: 0.002, Fault: fault.Unavailable(0)},
		{Verb: "list", Resource: "credentialsbindings", Chance: 0.05, Fault: fault.StaleBy(20)},
		{Verb: "patch", Chance: 0.01, Fault: fault.Conflict()},
		{Verb: "patch", Chance: 0.01, Fault: fault.CutAfter()},
		{Verb: "patch", Chance: 0.01, Fault: fault.LoseAfter(502)},
		{Verb: "patch", Chance: 0.005, Fault: fault.CutWithin()},
		{Verb: "patch", Chance: 0.01, Fault: fault.CommitLate(30 * time.Millisecond)},
		{Verb: "create", Resource: "credentialsbindings", Chance: 0.05, Fault: fault.CutAfter()},
		{Verb: "create", Resource: "credentialsbindings", Chance: 0.02, Fault: fault.CommitLate(30 * time.Millisecond)},
		{Verb: "delete", Chance: 0.05, Fault: fault.LoseAfter(502)},
		{Verb: "delete", Chance: 0.02, Fault: fault.CommitLate(30 * time.Millisecond)},
	} {
		rule.Client = agent
		rule.Chance *= r.faults
		r.proxy.Spoil(rule)
	}
}

// letRivalsRun starts the clean-up job and the brokers.
func (r *round) letRivalsRun(ctx context.Context, t *testing.T, group *sync.WaitGroup) {
	t.Helper()
	job := &rivals.CleanupJob{Config: r.asRival("cleanup-job"), Namespace: r.Name, Interval: 20 * time.Millisecond}
	group.Go(func() { job.Run(ctx) })
	if r.doubled {
		r.letDoublerRun(ctx, t, group)
	}
	for i, broker := range r.broker {
		rng := rand.New(rand.NewPCG(r.rng.Uint64(), uint64(i)))
		group.Go(func() { r.broke(ctx, broker, i, rng) })
	}
}

// letDoublerRun starts an owner who makes further bindings to the credentials of some accounts, with the labels of our tenants and of another.
func (r *round) letDoublerRun(ctx context.Context, t *testing.T, group *sync.WaitGroup) {
	t.Helper()
	d := &rivals.Doubler{Namespace: r.Namespace, Tenants: []string{"ga-of-a-double"}, Stay: 2 * time.Second}
	for i := range max(1, r.accounts/4) {
		d.Accounts = append(d.Accounts, fmt.Sprintf("aws-%02d", i))
	}
	for i := range r.tenants {
		d.Tenants = append(d.Tenants, fmt.Sprintf("ga-%d", i))
	}
	rng := rand.New(rand.NewPCG(r.rng.Uint64(), 0))
	group.Go(func() {
		if err := d.Run(ctx, rng); err != nil {
			t.Errorf("doubling accounts: %v", err)
		}
		t.Logf("%d further bindings were made", d.Made)
	})
}

// broke is the broker's work: clusters for tenants of its own, and for some of ours.
func (r *round) broke(ctx context.Context, broker *rivals.Broker, number int, rng *rand.Rand) {
	for n := 0; ctx.Err() == nil; n++ {
		ga := fmt.Sprintf("ga-broker-%d", rng.IntN(3))
		if r.mixed && rng.IntN(4) == 0 {
			ga = r.tenant(rng)
		}
		shoot := fmt.Sprintf("keb-%d-%d", number, n)
		account, err := broker.Provision(ctx, ga, "aws", shoot)
		pause(ctx, time.Duration(rng.IntN(200))*time.Millisecond)
		if err == nil {
			_ = broker.Deprovision(context.WithoutCancel(ctx), account, shoot) // what fails is left to the next one
		}
	}
}

// letSuppliersRun starts the pipelines of the pool's owner.
func (r *round) letSuppliersRun(ctx context.Context, t *testing.T, group *sync.WaitGroup) (all []*supplier) {
	t.Helper()
	for i := range r.suppliers {
		s := &supplier{
			round: r, number: i, rng: rand.New(rand.NewPCG(r.rng.Uint64(), uint64(i))), pool: r.processOf(t, r.owner, supplying),
			written: map[string]label{}, spare: map[string]string{},
		}
		all = append(all, s)
		group.Go(func() { s.run(ctx, t) })
	}
	return all
}

func (r *round) tenant(rng *rand.Rand) string { return fmt.Sprintf("ga-%d", rng.IntN(r.tenants)) }

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}
