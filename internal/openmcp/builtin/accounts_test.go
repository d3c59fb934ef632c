package builtin_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/builtin"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/configs"
)

// limits are accounts with the most clusters that each may have. No Cluster has a Shoot, so what is taken is what is on its way.
type limits struct {
	most map[string]int
	err  error

	mu    sync.Mutex
	asked []builtin.Place
}

func (l *limits) Judge(_ context.Context, places []builtin.Place, _ bool) ([]*adr.Account, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked = append(l.asked, places...)
	all := make([]*adr.Account, len(places))
	for i, p := range places {
		all[i] = &adr.Account{Name: p.Bindings.Account(), Taken: len(p.Coming), Limit: l.most[p.Bindings.Account()]}
	}
	return all, l.err
}

// bind publishes a profile whose ProviderConfig leads to an account.
func (m memory) bind(t *testing.T, name, account string) {
	t.Helper()
	p := m.in(t, "setup")
	m.offer(t, p, "test.gardener."+name)
	_, err := p.Objects.Configs.Create(t.Context(), meta("", name), api.ProviderConfigSpec{
		ProviderRef: api.Ref{Name: "gardener"}, LandscapeRef: api.Ref{Name: "canary"}, Project: "p",
		ShootTemplate: json.RawMessage(fmt.Sprintf(`{"spec":{"credentialsBindingName":%q,"kubernetes":{"version":"1.33.1"}}}`, account)),
	})
	if err != nil {
		t.Fatal(err)
	}
}

func dedicated(purposes ...string) *builtin.ADRRequest {
	s, yes := asked(purposes...), true
	s.Dedicated = &yes
	return s
}

// profilesOf are the profiles of all Clusters, sorted.
func (m memory) profilesOf(t *testing.T) (profiles []string) {
	t.Helper()
	all, err := m.in(t, "setup").Objects.Clusters.All(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		profiles = append(profiles, strings.TrimPrefix(c.Spec.Profile, "test.gardener."))
	}
	slices.Sort(profiles)
	return profiles
}

// The requests of one run fill the account of a profile up to its limit, then that of the next, and are denied then, with each reason. Also
// where both profiles lead to one account. A request that comes to a shared Cluster takes no place.
func TestBuiltin_accounts(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		accounts map[string]string // by profile
		most     map[string]int
		want     []string
		denied   int
	}{
		"two accounts":               {map[string]string{"a": "one", "b": "two"}, map[string]int{"one": 2, "two": 1}, []string{"a", "a", "b"}, 2},
		"two profiles of an account": {map[string]string{"a": "one", "b": "one"}, map[string]int{"one": 3}, []string{"a", "a", "a"}, 2},
		"no limit":                   {map[string]string{"a": "one"}, nil, []string{"a", "a", "a", "a", "a"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMemory(t)
			for profile, account := range test.accounts {
				m.bind(t, profile, account)
			}
			p := m.in(t, "land")
			p.Requests.Accounts = &limits{most: test.most}
			var wait sync.WaitGroup
			errs := make([]error, 5)
			for i := range errs {
				wait.Go(func() { _, errs[i] = tryGrant(t.Context(), p, fmt.Sprintf("r%d", i), dedicated("work")) })
			}
			wait.Wait()
			denied := 0
			for _, err := range errs {
				var no *builtin.DeniedError
				switch {
				case errors.As(err, &no) && no.Reason == adr.ReasonNoAccount && strings.Contains(no.Message, "account one is full"):
					denied++
				case err != nil:
					t.Error(err)
				}
			}
			if got := m.profilesOf(t); denied != test.denied || !slices.Equal(got, test.want) {
				t.Errorf("%d are denied, %d wanted; Clusters of %q, want %q", denied, test.denied, got, test.want)
			}
		})
	}
}

// A shared Cluster takes a further request although its account is full. Nothing is asked of the accounts for that.
func TestBuiltin_sharedInAFullAccount(t *testing.T) {
	t.Parallel()
	m := newMemory(t)
	m.bind(t, "a", "one")
	p := m.in(t, "land")
	accounts := &limits{most: map[string]int{"one": 1}}
	p.Requests.Accounts = accounts
	a := grantedBy(t, p, "a", asked("work"))
	accounts.asked = nil
	if b := grantedBy(t, p, "b", asked("work")); *b.Status.Cluster != *a.Status.Cluster || len(accounts.asked) > 0 {
		t.Errorf("%v beside %v, asked for %+v", b.Status.Cluster, a.Status.Cluster, accounts.asked)
	}
}

// What the pool is asked for: the account of the profile, for the Global Account of the request or else of the ProviderConfig, and the
// Clusters that are on their way there: not those that are ready, have a Shoot, or go.
func TestBuiltin_placesOfAccounts(t *testing.T) {
	t.Parallel()
	m := newMemory(t)
	m.bind(t, "a", "one")
	m.bind(t, "b", "two")
	p := m.in(t, "land")
	accounts := &limits{}
	p.Requests.Accounts = accounts
	for name, status := range map[string]map[string]any{
		"new": {}, "ready": {"phase": api.Ready, "observedGeneration": 1},
		"shoot": {"phase": "Progressing", "providerStatus": map[string]any{"shoot": map[string]any{"metadata": map[string]any{"name": "s"}}}},
	} {
		c, err := p.Objects.Clusters.Create(t.Context(), meta("other", name), api.ClusterSpec{Profile: "test.gardener.a", Tenancy: api.Exclusive})
		if err == nil {
			_, err = p.Objects.Clusters.MergeStatus(t.Context(), c, status, func(*api.Cluster) (bool, error) { return false, nil })
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	s := dedicated("work")
	s.GlobalAccount = "ga-1"
	if _, err := p.Requests.PreviewADR(t.Context(), builtin.Wanted{Ref: api.Ref{Namespace: "land", Name: "one"}, ADR: s}); err != nil {
		t.Fatal(err)
	}
	want := map[string][]api.Ref{"one": {{Namespace: "other", Name: "new"}}, "two": nil}
	if len(accounts.asked) != len(want) {
		t.Fatalf("asked for %+v", accounts.asked)
	}
	for _, place := range accounts.asked {
		at := configs.Home{Bindings: configs.Bindings{Credentials: place.Bindings.Account()}, Project: "p", Landscape: "canary"}
		if place.Home != at || place.Tenant != "ga-1" || !place.Named || !slices.Equal(place.Coming, want[place.Bindings.Account()]) {
			t.Errorf("asked for %+v", place)
		}
	}
}

// beside makes a Cluster of another process in the moment in which one is made.
type beside struct {
	next http.RoundTripper
	do   func()
	once sync.Once
}

func (b *beside) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/clusters") {
		b.once.Do(b.do)
	}
	return b.next.RoundTrip(r)
}

// Two processes see the last place of an account at once, and each makes a Cluster: the limit holds in the end, one of them has its Cluster,
// and nothing is left of the other's.
func TestBuiltin_lastPlaceTwice(t *testing.T) {
	t.Parallel()
	m := newMemory(t)
	m.bind(t, "a", "one")
	accounts := &limits{most: map[string]int{"one": 1}}
	other := m.in(t, "land2")
	other.Requests.Accounts = accounts
	p, err := openmcp.New(&rest.Config{Host: "https://memory.invalid", QPS: -1, Transport: &beside{next: m.server, do: func() {
		grantedBy(t, other, "theirs", dedicated("work"))
	}}}, "land")
	if err != nil {
		t.Fatal(err)
	}
	p.Requests.Accounts = accounts
	_, err = tryGrant(t.Context(), p, "ours", dedicated("work"))
	var denied *builtin.DeniedError
	if !errors.As(err, &denied) || denied.Reason != adr.ReasonNoAccount {
		t.Errorf("%v", err)
	}
	all, err := p.Objects.Clusters.All(t.Context())
	if err != nil || len(all) != 1 || all[0].Namespace != "land2" || all[0].DeletionTimestamp != nil {
		t.Errorf("Clusters %+v, %v", all, err)
	}
}

// An account that cannot be judged before a write is an error, and no Cluster is made.
func TestBuiltin_accountsFail(t *testing.T) {
	t.Parallel()
	m := newMemory(t)
	m.bind(t, "a", "one")
	p := m.in(t, "land")
	p.Requests.Accounts = &limits{err: errKilled}
	if _, err := tryGrant(t.Context(), p, "r", dedicated("work")); !errors.Is(err, errKilled) {
		t.Errorf("%v", err)
	}
	if got := m.profilesOf(t); len(got) > 0 {
		t.Errorf("Clusters of %q", got)
	}
}
