package testbed_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/history"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/rivals"
)

const (
	ours   = "terraform-provider-hap/test"
	gaA    = "ga-a"
	gaB    = "ga-b"
	claimA = testbed.RecordPrefix + "a"
	claimB = testbed.RecordPrefix + "b"
)

func isOurs(client string) bool { return client == ours }

func recordOf(ga string) string {
	return fmt.Sprintf(`{"name":"claim-%s","globalAccount":%q,"pool":"aws","version":1}`, ga, ga)
}

// field is a namespace with accounts, its history, and a proxy that all parties go through.
type field struct {
	*testbed.Namespace
	history *history.History
	proxy   *fault.Proxy
	config  *rest.Config
}

func newField(t *testing.T, accounts ...testbed.AccountSpec) field {
	t.Helper()
	g := testbed.Shared(t)
	f := field{Namespace: g.NewNamespace(t), proxy: fault.NewProxy(t, g, fault.ProxyOptions{})}
	f.Accounts(t, accounts...)
	f.config = f.ServiceAccount(t, "rivals", []byte(rivals.Role)).Config()
	f.proxy.Through(f.config)
	f.history = history.Follow(t, f.Namespace)
	return f
}

func (f field) broker() *rivals.Broker {
	return &rivals.Broker{Config: f.config, Namespace: f.Name, BackOff: time.Millisecond}
}

func freeAccounts(n int) []testbed.AccountSpec {
	specs := make([]testbed.AccountSpec, n)
	for i := range specs {
		specs[i] = testbed.AccountSpec{Name: fmt.Sprintf("account-%d", i), HyperscalerType: "aws"}
	}
	return specs
}

func TestBrokerTakesTheFirstAccount(t *testing.T) {
	t.Parallel()
	f := newField(t,
		testbed.AccountSpec{Name: "a-dirty", HyperscalerType: "aws", Dirty: true},
		testbed.AccountSpec{Name: "b-shared", HyperscalerType: "aws", Shared: true},
		testbed.AccountSpec{Name: "c-eu", HyperscalerType: "aws", EUAccess: true},
		testbed.AccountSpec{Name: "d-gcp", HyperscalerType: "gcp"},
		testbed.AccountSpec{Name: "e-internal", HyperscalerType: "aws", Internal: true}, // it takes that, too
		testbed.AccountSpec{Name: "f-free", HyperscalerType: "aws"},
	)
	b := f.broker()
	for _, want := range []struct{ ga, account string }{
		{gaA, "e-internal"}, {gaB, "f-free"}, {gaA, "e-internal"}, {gaB, "f-free"},
	} {
		account, err := b.Claim(t.Context(), want.ga, "aws")
		if err != nil || account != want.account {
			t.Errorf("%s got %q, %v instead of %s", want.ga, account, err, want.account)
		}
	}
	if _, err := b.Claim(t.Context(), "ga-c", "aws"); !errors.Is(err, rivals.ErrNoAccount) {
		t.Errorf("from an empty pool: %v", err)
	}
	if claims, reused := b.Claims.Load(), b.Reused.Load(); claims != 2 || reused != 2 {
		t.Errorf("%d claims and %d times the same again", claims, reused)
	}
	if tenant := f.GetAccount(t, "e-internal").Labels["tenantName"]; tenant != gaA {
		t.Errorf("the tenant of e-internal is %q", tenant)
	}
	f.history.End(t)
	if found := f.history.Check(f.proxy.Log(), isOurs); len(found) > 0 {
		t.Error(found)
	}
}

// Two brokers know nothing of each other's lock: one of them loses the write, waits and takes the next account.
func TestBrokerBacksOffAfterAConflict(t *testing.T) {
	t.Parallel()
	f := newField(t, freeAccounts(2)...)
	b := f.broker()
	b.BackOff = 300 * time.Millisecond
	intruder := f.broker()
	var once sync.Once
	interfere(b, func() {
		once.Do(func() {
			if _, err := intruder.Claim(t.Context(), gaB, "aws"); err != nil {
				t.Error(err)
			}
		})
	})
	began := time.Now()
	account, err := b.Claim(t.Context(), gaA, "aws")
	if err != nil || account != "account-1" {
		t.Errorf("got %q, %v", account, err)
	}
	if b.Conflicts.Load() != 1 || time.Since(began) < b.BackOff {
		t.Errorf("%d conflicts in %s", b.Conflicts.Load(), time.Since(began))
	}
	if summary := f.history.MustHold(t, f.proxy.Log(), isOurs); summary.Conflicts != 1 || summary.Handed["broker"] != 2 {
		t.Error(summary)
	}
}

func TestBrokerGivesUpAfterSixConflicts(t *testing.T) {
	t.Parallel()
	f := newField(t, freeAccounts(1)...)
	b := f.broker()
	n := 0
	interfere(b, func() {
		n++
		f.PatchAnnotations(t, "account-0", map[string]*string{"round": new(fmt.Sprint(n))})
	})
	if account, err := b.Claim(t.Context(), gaA, "aws"); err == nil || b.Conflicts.Load() != 6 {
		t.Errorf("got %q, %v after %d conflicts", account, err, b.Conflicts.Load())
	}
	if tenants := f.endedTenants(t, "account-0"); !slices.Equal(tenants, []string{""}) {
		t.Errorf("tenants %q", tenants)
	}
}

// interfere does something before each write of the broker.
func interfere(b *rivals.Broker, what func()) {
	b.Config = rest.CopyConfig(b.Config)
	b.Config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return roundTrip(func(r *http.Request) (*http.Response, error) {
			if r.Method == http.MethodPut {
				what()
			}
			return next.RoundTrip(r)
		})
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func (f field) endedTenants(t *testing.T, account string) []string {
	t.Helper()
	f.history.End(t)
	return f.history.Tenants(account)
}

// From the claim over the cluster to the wiped account and the next tenant.
func TestBrokerAndCleanupJobInTurn(t *testing.T) {
	t.Parallel()
	f := newField(t, freeAccounts(1)...)
	b := f.broker()
	job := &rivals.CleanupJob{Config: f.config, Namespace: f.Name}
	round := func() {
		t.Helper()
		if err := job.Round(t.Context()); err != nil {
			t.Error(err)
		}
	}
	for _, shoot := range []string{"first", "second"} {
		if account, err := b.Provision(t.Context(), gaA, "aws", shoot); err != nil || account != "account-0" {
			t.Fatalf("%s: %q, %v", shoot, account, err)
		}
	}
	for _, shoot := range []string{"first", "second"} {
		round()
		if wiped := job.Wiped(); len(wiped) > 0 {
			t.Errorf("wiped %v while %s is there", wiped, shoot)
		}
		if err := b.Deprovision(t.Context(), "account-0", shoot); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.Claim(t.Context(), gaB, "aws"); !errors.Is(err, rivals.ErrNoAccount) {
		t.Errorf("claimed from a dirty pool: %v", err)
	}
	round()
	round()
	wiped := job.Wiped()
	if len(wiped) != 1 || wiped[0].Freed == "" {
		t.Errorf("wiped %v", wiped)
	}
	if _, err := b.Claim(t.Context(), gaB, "aws"); err != nil {
		t.Error(err)
	}
	if tenants := f.endedTenants(t, "account-0"); !slices.Equal(tenants, []string{"", gaA, "", gaB}) {
		t.Errorf("tenants %q", tenants)
	}
	for _, w := range wiped {
		if shoots := f.history.ShootsOn(w.Account, w.Version); len(shoots) > 0 {
			t.Errorf("%s was wiped under %q", w.Account, shoots)
		}
	}
	if found := f.history.Check(f.proxy.Log(), isOurs); len(found) > 0 {
		t.Error(found)
	}
}

// The gap between the broker's choice and the Shoot: the account is marked, wiped and given away meanwhile. That is
// found, and laid to those who did it.
func TestBrokersOwnRaceIsLaidToTheBroker(t *testing.T) {
	t.Parallel()
	f := newField(t, freeAccounts(1)...)
	b, job := f.broker(), &rivals.CleanupJob{Config: f.config, Namespace: f.Name}
	if _, err := b.Claim(t.Context(), gaA, "aws"); err != nil {
		t.Fatal(err)
	}
	if err := b.Free(t.Context(), "account-0"); err != nil { // no Shoot yet
		t.Fatal(err)
	}
	f.Shoot(t, "late", "account-0")
	if err := job.Round(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.history.End(t)
	found := f.history.Check(f.proxy.Log(), isOurs)
	if len(found) != 1 || found[0].Invariant != "I4" || found[0].Client != "cleanup-job" || found[0].Ours {
		t.Errorf("found %v", found)
	}
	wiped := job.Wiped()
	if len(wiped) != 1 || !slices.Equal(f.history.ShootsOn("account-0", wiped[0].Freed), []string{"late"}) {
		t.Errorf("wiped %v", wiped)
	}
}

// Several brokers and the clean-up job at once, over few accounts: nothing breaks.
func TestBrokersAndCleanupJobAtOnce(t *testing.T) {
	t.Parallel()
	const brokers, rounds, accounts = 4, 6, 3
	f := newField(t, freeAccounts(accounts)...)
	ctx, cancel := context.WithCancel(t.Context())
	job := &rivals.CleanupJob{Config: f.config, Namespace: f.Name, Interval: 5 * time.Millisecond}
	var working, cleaning sync.WaitGroup
	cleaning.Go(func() { job.Run(ctx) })
	var provisioned, conflicts, given int64
	var mu sync.Mutex
	for i := range brokers {
		b := f.broker()
		ga := fmt.Sprintf("ga-%d", i)
		working.Go(func() {
			n := int64(0)
			for round := range rounds {
				shoot := fmt.Sprintf("s%d-%d", i, round)
				account, err := b.Provision(t.Context(), ga, "aws", shoot)
				switch {
				case errors.Is(err, rivals.ErrNoAccount) || err != nil && strings.Contains(err.Error(), "gives up"):
					continue // the pool is empty at the moment
				case err != nil:
					t.Error(err)
					return
				}
				n++
				if err := b.Deprovision(t.Context(), account, shoot); err != nil {
					t.Error(err)
					return
				}
			}
			mu.Lock()
			defer mu.Unlock()
			provisioned, conflicts, given = provisioned+n, conflicts+b.Conflicts.Load(), given+b.Claims.Load()
		})
	}
	working.Wait()
	cancel()
	cleaning.Wait()

	f.history.End(t)
	found := f.history.Check(f.proxy.Log(), isOurs)
	summary := f.history.MustHold(t, f.proxy.Log(), isOurs)
	for _, v := range found {
		t.Error(v)
	}
	if given == 0 || int64(summary.Handed["broker"]) != given || summary.Cleaned == 0 {
		t.Errorf("%d claims of brokers: %s", given, summary)
	}
	if int64(summary.Conflicts) != conflicts+job.Conflicts.Load() || job.Failures.Load() > 0 {
		t.Errorf("%d conflicts of brokers, %d of the job, %d failures: %s",
			conflicts, job.Conflicts.Load(), job.Failures.Load(), summary)
	}
	t.Logf("%d clusters, %d wiped", provisioned, len(job.Wiped()))
}

// What breaks the invariants on a real Garden is found there.
func TestChecksARealRun(t *testing.T) {
	t.Parallel()
	f := newField(t, freeAccounts(3)...)
	config := rest.CopyConfig(f.config)
	config.UserAgent = ours
	us, err := testbed.OpenNamespace(config, f.Name)
	if err != nil {
		t.Fatal(err)
	}
	patch := func(account string, labels, annotations map[string]any) string {
		t.Helper()
		now := f.GetAccount(t, account)
		us.PatchObject(t, testbed.CredentialsBinding, account, map[string]any{
			"uid": now.UID, "resourceVersion": now.ResourceVersion, "labels": labels, "annotations": annotations,
		})
		return f.GetAccount(t, account).ResourceVersion
	}
	// A clean claim.
	f.history.Acknowledge(claimA, "account-0", patch("account-0", map[string]any{"tenantName": gaA}, map[string]any{claimA: recordOf(gaA)}))
	// Marked dirty under a Shoot, with the record of a claim that was not released.
	f.Shoot(t, "cluster", "account-0")
	patch("account-0", map[string]any{"dirty": "true"}, map[string]any{claimA: nil})
	// A claim over another tenant, and a label that is none of ours.
	f.PatchLabels(t, "account-1", map[string]*string{"tenantName": new(gaA)})
	patch("account-1", map[string]any{"tenantName": gaB, "note": "x"}, map[string]any{claimB: recordOf(gaB)})
	// A write without a precondition, to an account that no tenant holds.
	us.PatchObject(t, testbed.CredentialsBinding, "account-2", map[string]any{"labels": map[string]any{"tenantName": gaA}})
	// A hand gives it away.
	f.PatchLabels(t, "account-2", map[string]*string{"tenantName": new(gaB)})

	f.history.End(t)
	var got []string
	for _, v := range f.history.Check(f.proxy.Log(), isOurs) {
		got = append(got, fmt.Sprintf("%s %s %s", v.Invariant, v.Account, v.Client))
	}
	want := []string{
		"I6 account-0 " + ours, "I4 account-0 " + ours,
		"I1 account-1 " + ours, "I7 account-1 " + ours, "I2 account-1 " + ours,
		"I7 account-2 " + ours, "I2 account-2 by hand",
	}
	if !slices.Equal(got, want) {
		t.Errorf("found %q instead of %q", got, want)
	}
}
