package builtin_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/hap-project/terraform-provider-hap/internal/clusters"
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
		all[i] = &adr.Account{Name: p.Bindings.Account(), Limit: l.most[p.Bindings.Account()]}
		for _, c := range p.Coming {
			all[i].Waiting = append(all[i].Waiting, clusters.Ref(c))
		}
		all[i].Taken = len(all[i].Waiting)
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
		for account, coming := range want { // of the other binding
			if of := (configs.Bindings{Credentials: account}); of != place.Bindings && !slices.Equal(place.Beside[of], coming) {
				t.Errorf("beside %s: %+v", place.Bindings, place.Beside)
			}
		}
	}
}

// beside makes a Cluster of another process in the moment in which one is made.
type beside struct {
	next  http.RoundTripper
	do    func()
	loses bool // the answer to the making is lost
	once  sync.Once
}

func (b *beside) RoundTrip(r *http.Request) (*http.Response, error) {
	first := false
	if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/clusters") {
		b.once.Do(func() { b.do(); first = true })
	}
	answer, err := b.next.RoundTrip(r)
	if first && b.loses && err == nil {
		return nil, errors.Join(io.ErrUnexpectedEOF, answer.Body.Close())
	}
	return answer, err
}

// through is the namespace land, where another process works beside.
func (m memory) through(t *testing.T, b *beside) *openmcp.Platform {
	t.Helper()
	b.next = m.server
	p, err := openmcp.New(&rest.Config{Host: "https://memory.invalid", QPS: -1, Transport: b}, "land")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Two processes see the last place of an account at once, and each makes a Cluster: the limit holds in the end, one of them has its
// Cluster, and nothing is left of the other's, also where that has not got the answer to the making.
func TestBuiltin_lastPlaceTwice(t *testing.T) {
	t.Parallel()
	for _, loses := range []bool{false, true} {
		m := newMemory(t)
		m.bind(t, "a", "one")
		accounts := &limits{most: map[string]int{"one": 1}}
		other := m.in(t, "land2")
		other.Requests.Accounts = accounts
		p := m.through(t, &beside{do: func() { grantedBy(t, other, "theirs", dedicated("work")) }, loses: loses})
		p.Requests.Accounts = accounts
		_, err := tryGrant(t.Context(), p, "ours", dedicated("work"))
		var denied *builtin.DeniedError
		if !errors.As(err, &denied) || denied.Reason != adr.ReasonNoAccount {
			t.Errorf("%v", err)
		}
		all, err := p.Objects.Clusters.All(t.Context())
		if err != nil || len(all) != 1 || all[0].Namespace != "land2" || all[0].DeletionTimestamp != nil {
			t.Errorf("the answer is lost: %t: Clusters %+v, %v", loses, all, err)
		}
	}
}

// closing is an account that takes no new cluster from the moment on in which one is made.
type closing struct{ limits }

func (c *closing) Judge(ctx context.Context, places []builtin.Place, fresh bool) ([]*adr.Account, error) {
	all, err := c.limits.Judge(ctx, places, fresh)
	for i, p := range places {
		if p.Made != (api.Ref{}) {
			all[i].Refusal = "account one is being released"
		}
	}
	return all, err
}

// A run that loses the answer to the making of a shared Cluster finds that another request was first, and shares it: that one's place in the
// account is not this run's to give up.
func TestBuiltin_sharesWhatAnotherMadeFirst(t *testing.T) {
	t.Parallel()
	m := newMemory(t)
	m.bind(t, "a", "one")
	other := m.in(t, "land")
	p := m.through(t, &beside{do: func() { grantedBy(t, other, "theirs", asked("work")) }, loses: true})
	p.Requests.Accounts = &closing{}
	grantedBy(t, p, "ours", asked("work"))
	if got := m.profilesOf(t); !slices.Equal(got, []string{"a"}) {
		t.Errorf("Clusters of %q", got)
	}
}

// Where the account has no limit, two processes that make a Cluster in it at once keep one each.
func TestBuiltin_twiceWithoutALimit(t *testing.T) {
	t.Parallel()
	m := newMemory(t)
	m.bind(t, "a", "one")
	other := m.in(t, "land2")
	other.Requests.Accounts = &limits{}
	p := m.through(t, &beside{do: func() { grantedBy(t, other, "theirs", dedicated("work")) }})
	p.Requests.Accounts = &limits{}
	grantedBy(t, p, "ours", dedicated("work"))
	if got := m.profilesOf(t); !slices.Equal(got, []string{"a", "a"}) {
		t.Errorf("Clusters of %q", got)
	}
}

// A run that gives way takes back the Cluster that it has made, and no other: not that of the other process, to which it writes nothing,
// nor one that another run has granted to the same request meanwhile, which keeps it.
func TestBuiltin_givesWayWithItsOwnCluster(t *testing.T) {
	t.Parallel()
	m := newMemory(t)
	m.bind(t, "a", "one")
	accounts := &limits{most: map[string]int{"one": 1}}
	other := m.in(t, "land2")
	other.Requests.Accounts = accounts
	setup := m.in(t, "land")
	var theirs, second *api.Cluster
	p := m.through(t, &beside{do: func() {
		held := grantedBy(t, other, "theirs", dedicated("work")).Status.Cluster
		ours, err := setup.Objects.Requests.Get(t.Context(), api.Ref{Namespace: "land", Name: "ours"})
		if err == nil {
			theirs, err = setup.Objects.Clusters.Get(t.Context(), *held)
		}
		if err == nil { // in another account
			second, err = setup.Objects.Clusters.Create(t.Context(), metav1.ObjectMeta{
				Namespace: "land", Name: "second", Finalizers: []string{api.TenantFinalizer + string(ours.UID)},
			}, api.ClusterSpec{Profile: "test.gardener.elsewhere", Tenancy: api.Exclusive})
		}
		if err != nil {
			t.Error(err)
		}
	}})
	p.Requests.Accounts = accounts
	r := grantedBy(t, p, "ours", dedicated("work"))
	if *r.Status.Cluster != second.Ref() {
		t.Errorf("the request holds %v, want %v", r.Status.Cluster, second.Ref())
	}
	all, err := p.Objects.Clusters.All(t.Context())
	if err != nil || len(all) != 2 {
		t.Fatalf("Clusters %+v, %v", all, err)
	}
	for _, c := range all {
		if was := map[api.Ref]*api.Cluster{theirs.Ref(): theirs, second.Ref(): second}[c.Ref()]; was == nil || c.ResourceVersion != was.ResourceVersion {
			t.Errorf("Cluster %s is at %s, was %+v", c.Ref(), c.ResourceVersion, was)
		}
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
