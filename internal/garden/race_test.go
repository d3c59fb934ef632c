package garden

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	gardensecurity "github.com/gardener/gardener/pkg/apis/security/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

const (
	claimers = 64
	freeOnes = 32
)

// The race that this provider is for: 64 Global Accounts claim at once, and there are 32 accounts. Exactly 32 get one,
// each its own, and at no time does an account have two tenants.
func TestRaceForTheLastAccounts(t *testing.T) {
	t.Parallel()
	t.Run("in one process", func(t *testing.T) {
		t.Parallel()
		p := newProject(t)
		front := p.front(t, fault.ProxyOptions{})
		g := p.garden(t, front.Through)
		shared := pool.New(p.Name, g, g, account.Policy{})
		began := time.Now()
		race(t, p, front, func(int) *pool.Pool { return shared })
		// A free account is taken by a list of at most 2 s: a slow machine lists more often.
		most := 2 + int(time.Since(began)/(2*time.Second))
		for _, resource := range []string{bindings, shoots} {
			if n := front.Count("list", resource); n > most {
				t.Errorf("%s: %d passes for %d claims, want %d at most", resource, n, claimers, most)
			}
		}
	})
	t.Run("in as many processes", func(t *testing.T) {
		t.Parallel()
		p := newProject(t)
		front := p.front(t, fault.ProxyOptions{})
		pools := make([]*pool.Pool, claimers)
		for i := range pools {
			g := p.garden(t, front.Through, func(config *rest.Config) {
				config.Dial = new(net.Dialer).DialContext // with a dialer of its own client-go shares no connections
			})
			pools[i] = pool.New(p.Name, g, g, account.Policy{})
		}
		race(t, p, front, func(i int) *pool.Pool { return pools[i] })
	})
}

func race(t *testing.T, p project, front *fault.Proxy, poolOf func(i int) *pool.Pool) {
	t.Helper()
	specs := make([]testbed.AccountSpec, freeOnes)
	for i := range specs {
		specs[i] = testbed.AccountSpec{Name: fmt.Sprintf("account-%02d", i), HyperscalerType: "aws"}
	}
	p.Accounts(t, specs...)
	history := follow(t, p)

	claims, errs := make([]protocol.Claim, claimers), make([]error, claimers)
	var ready, finished sync.WaitGroup
	start := make(chan struct{})
	for i := range claimers {
		ready.Add(1)
		finished.Go(func() {
			ready.Done()
			<-start
			claims[i], errs[i] = poolOf(i).Claim(t.Context(), claimOf(globalAccount(i)))
		})
	}
	ready.Wait()
	close(start)
	finished.Wait()

	winners := map[string]protocol.Claim{} // by account
	for i, err := range errs {
		if err != nil {
			equal(t, "tally", as[*account.ExhaustedError](t, err).Tally, account.Tally{account.ClassTaken: freeOnes})
			continue
		}
		if other, taken := winners[claims[i].Account.Name]; taken {
			t.Errorf("%s is given to %s and to %s", claims[i].Account.Name, other.Record.GlobalAccount, globalAccount(i))
		}
		winners[claims[i].Account.Name] = claims[i]
	}
	equal(t, "winners", len(winners), freeOnes)
	tenants := history.end(t, p)
	for _, object := range p.ListAccounts(t) {
		if object.Name != marker {
			wantWon(t, &object, winners[object.Name], tenants[object.Name])
		}
	}
	conflicts := 0
	for _, x := range front.Log() {
		if x.Code == http.StatusConflict {
			conflicts++
		}
	}
	t.Logf("%d claims for %d accounts: %d requests (%v), %d conflicts, %.2f per success",
		claimers, freeOnes, front.Count("", ""), requests(front), conflicts, float64(conflicts)/float64(len(winners)))
}

func globalAccount(i int) string { return fmt.Sprintf("ga-%02d", i) }

// wantWon checks that an account is its winner's and never had another tenant.
func wantWon(t *testing.T, object *gardensecurity.CredentialsBinding, winner protocol.Claim, tenants []string) {
	t.Helper()
	ga := winner.Record.GlobalAccount
	equal(t, "tenant of "+object.Name, object.Labels["tenantName"], ga)
	equal(t, "history of "+object.Name, tenants, []string{ga})
	a := DefaultLabelKeys().account(&object.ObjectMeta)
	equal(t, "records on "+object.Name, a.Records, map[string]account.Record{winner.Identity.Key(): winner.Record})
	equal(t, "version of "+object.Name, a.Version, winner.Account.Version)
}

// history is what a watch saw: the tenant after each change of an account.
type history struct {
	watch   watch.Interface
	tenants map[string][]string
	done    chan error
}

// marker is the name of the account that ends a history.
const marker = "the-end"

// follow watches the accounts of a project from now on.
func follow(t *testing.T, p project) *history {
	t.Helper()
	client, err := metadata.NewForConfig(p.Garden().AdminConfig())
	if err != nil {
		t.Fatal(err)
	}
	accounts := client.Resource(gardensecurity.SchemeGroupVersion.WithResource(bindings)).Namespace(p.Name)
	now, err := accounts.List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	h := &history{tenants: map[string][]string{}, done: make(chan error, 1)}
	if h.watch, err = accounts.Watch(t.Context(), metav1.ListOptions{ResourceVersion: now.ResourceVersion}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.watch.Stop)
	go func() { h.done <- h.record() }()
	return h
}

func (h *history) record() error {
	for event := range h.watch.ResultChan() {
		account, ok := event.Object.(*metav1.PartialObjectMetadata)
		switch {
		case !ok:
			return fmt.Errorf("the watch brought %T %+v", event.Object, event.Object)
		case account.Name == marker:
			return nil
		case event.Type == watch.Modified:
			h.tenants[account.Name] = append(h.tenants[account.Name], account.Labels["tenantName"])
		default:
			return fmt.Errorf("%s is %s", account.Name, strings.ToLower(string(event.Type)))
		}
	}
	return errors.New("the watch ended before its time")
}

// end returns the tenants that each account had, after each of its changes.
func (h *history) end(t *testing.T, p project) map[string][]string {
	t.Helper()
	p.Account(t, testbed.AccountSpec{Name: marker})
	if err := <-h.done; err != nil {
		t.Fatalf("following the accounts: %v", err)
	}
	for name, tenants := range h.tenants {
		if different := slices.Compact(slices.Sorted(slices.Values(tenants))); len(different) > 1 {
			t.Errorf("%s had the tenants %q", name, tenants)
		}
	}
	return h.tenants
}
