package garden

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	gardensecurity "github.com/gardener/gardener/pkg/apis/security/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

// olderLandscape has three Secrets: a is behind a binding of each kind, b behind a SecretBinding alone, and no Shoot uses
// c. The bindings are not called like their Secrets.
func olderLandscape(t *testing.T, kind Kind) olderPool {
	t.Helper()
	p := newOlderPool(t, kind, DefaultLabelKeys())
	for _, name := range []string{"a", "b", "c"} {
		p.Accounts(t, testbed.AccountSpec{Name: name, Kind: testbed.Secret, HyperscalerType: "aws"})
	}
	p.Accounts(t,
		testbed.AccountSpec{Name: "x", Kind: testbed.CredentialsBinding, Secret: "a", HyperscalerType: "aws"},
		testbed.AccountSpec{Name: "x", Kind: testbed.SecretBinding, Secret: "b", HyperscalerType: "aws"},
		testbed.AccountSpec{Name: "y", Kind: testbed.SecretBinding, Secret: "a", HyperscalerType: "aws"},
	)
	p.ShootBy(t, "new-0", testbed.CredentialsBinding, "x")
	p.ShootBy(t, "new-1", testbed.CredentialsBinding, "x")
	p.ShootBy(t, "old-0", testbed.SecretBinding, "x")
	p.ShootBy(t, "old-1", testbed.SecretBinding, "y")
	return p
}

// usersOf returns the names of the Shoots on an account, sorted.
func usersOf(t *testing.T, g *Garden, accountName string) []string {
	t.Helper()
	users, err := g.Users(t.Context(), accountName, account.BindingOf(testbed.SecretBinding, accountName), account.BindingOf(testbed.CredentialsBinding, accountName))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, user := range users {
		equal(t, "kind", user.Kind, "Shoot")
		names = append(names, user.Name)
	}
	slices.Sort(names)
	return names
}

// Clusters are counted by what the accounts are. Two bindings of different kinds may have one name, and a Secret more
// than one binding.
func TestCountByKind(t *testing.T) {
	t.Parallel()
	secrets := map[string][]string{"a": {"new-0", "new-1", "old-1"}, "b": {"old-0"}, "c": nil, "x": nil, "y": nil}
	// Which bindings lead into one cloud account is for the pool to say: here are asked those of one name.
	bindings := map[string][]string{"x": {"new-0", "new-1", "old-0"}, "y": {"old-1"}, "a": nil}
	for kind, test := range map[Kind]struct{ count, users map[string][]string }{
		CredentialsBinding: {map[string][]string{
			"x": {"new-0", "new-1"}, "y": nil, "a": nil, "SecretBinding x": {"old-0"}, "SecretBinding y": {"old-1"},
		}, bindings},
		SecretBinding: {map[string][]string{"x": {"old-0"}, "y": {"old-1"}, "a": nil, "CredentialsBinding x": {"new-0", "new-1"}}, bindings},
		Secret:        {secrets, secrets},
	} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			g := olderLandscape(t, kind).garden(t)
			counts, err := g.Count(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			sizes := map[string]int{}
			for account, shoots := range test.count {
				sizes[account] = len(shoots)
			}
			for account, shoots := range test.users {
				equal(t, "users of "+account, usersOf(t, g, account), shoots)
			}
			wantCounts(t, counts, sizes)
		})
	}
}

// An account without a tenant is not free while Shoots name a binding of the other kind that has its credentials, whatever the name of
// that: a landscape that moves from one kind to the other has two bindings of one cloud account.
func TestShootsOfTheOtherKindKeepAnAccountFromBeingFree(t *testing.T) {
	t.Parallel()
	for kind, other := range map[Kind]string{CredentialsBinding: testbed.SecretBinding, SecretBinding: testbed.CredentialsBinding} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			p := newOlderPool(t, kind, DefaultLabelKeys())
			p.Accounts(t, testbed.AccountSpec{Name: "x", Kind: testbed.Secret})
			p.Accounts(t, testbed.AccountSpec{Name: "x", Kind: string(kind), HyperscalerType: "aws"},
				testbed.AccountSpec{Name: "old", Kind: other, Secret: "x", Labels: map[string]string{"tenantName": "ga-2"}})
			p.ShootBy(t, "theirs", other, "old")
			owner, err := NewOf(kind, p.Garden().AdminConfig(), p.Name, DefaultLabelKeys())
			if err != nil {
				t.Fatal(err)
			}
			siblings, err := owner.Siblings(t.Context())
			equal(t, "siblings", []any{len(siblings), err}, []any{1, nil})
			equal(t, "sibling", []any{siblings[0].Name, siblings[0].Tenant, siblings[0].Sibling, siblings[0].Credentials.Ref},
				[]any{other + " old", "ga-2", true, secretRef(p.Name, "x")})
			_, err = pool.New(p.Name, owner, owner, account.Policy{}).Claim(t.Context(), claimOf("ga-1"))
			equal(t, "held by another Global Account", as[*account.ExhaustedError](t, err).Tally, account.Tally{account.ClassTaken: 1})

			tenant := ""
			freed, err := owner.Write(t.Context(), siblings[0], account.Change{Tenant: &tenant})
			equal(t, "written", []any{freed.Name, freed.Tenant, freed.Version != siblings[0].Version, err}, []any{other + " old", "", true, nil})
			_, err = owner.Write(t.Context(), siblings[0], account.Change{Tenant: &tenant})
			equal(t, "written again", as[*account.ConflictError](t, err).Account, other+" old")
			_, err = pool.New(p.Name, owner, owner, account.Policy{}).Claim(t.Context(), claimOf("ga-1"))
			equal(t, "used", as[*account.ExhaustedError](t, err).Tally, account.Tally{account.ClassOccupied: 1})
		})
	}
}

// A server that does not have the other kind of binding has no binding of it. That is believed of its own lists of what it has, for a
// gateway answers 404, too. Any other refusal is an error.
func TestSiblingsOfAServerWithoutTheKind(t *testing.T) {
	t.Parallel()
	const (
		list, group, groups = "/apis/core.gardener.cloud/v1beta1/namespaces/garden/secretbindings", "/apis/core.gardener.cloud/v1beta1", "/apis"
		shootsAlone         = `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"core.gardener.cloud/v1beta1","resources":[{"name":"shoots"}]}`
		both                = `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"core.gardener.cloud/v1beta1",` +
			`"resources":[{"name":"shoots"},{"name":"secretbindings"}]}`
		otherGroups = `{"kind":"APIGroupList","apiVersion":"v1","groups":[{"name":"apps","versions":[{"version":"v1"}]}]}`
		itsGroup    = `{"kind":"APIGroupList","apiVersion":"v1","groups":[{"name":"core.gardener.cloud","versions":[{"version":"v1beta1"}]}]}`
	)
	none := statusText(t, 404, metav1.StatusReasonNotFound, nil)
	lost := func(t *testing.T, err error) { _ = as[*kube.LostPathError](t, as[*account.UnreachableError](t, err)) }
	for name, tt := range map[string]struct {
		answers map[string]string // by path; else "404 page not found"
		code    int               // of the list
		fails   func(*testing.T, error)
		asked   []string
		again   []string // by a second call
	}{
		"the group has no such kind":                {map[string]string{list: none, group: shootsAlone}, 404, nil, []string{list, group}, nil},
		"no Status, and the group has no such kind": {map[string]string{group: shootsAlone}, 404, nil, []string{list, group}, nil},
		"no such group":                             {map[string]string{groups: otherGroups}, 404, nil, []string{list, group, groups}, nil},
		"the group has the kind":                    {map[string]string{group: both}, 404, lost, []string{list, group}, []string{list, group}},
		"the group is among the groups": {map[string]string{groups: itsGroup}, 404, lost, []string{list, group, groups},
			[]string{list, group, groups}},
		"nothing is there":            {nil, 404, lost, []string{list, group, groups}, []string{list, group, groups}},
		"the group is something else": {map[string]string{group: none}, 404, lost, []string{list, group}, []string{list, group}},
		"it must not be listed": {map[string]string{list: statusText(t, 403, metav1.StatusReasonForbidden, nil)}, 403,
			fails[*account.ForbiddenError], []string{list}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var asked []string
			g, _ := scripted(t, func(_ int, w http.ResponseWriter, r *http.Request) error {
				asked = append(asked, r.URL.Path)
				body, code := tt.answers[r.URL.Path], http.StatusOK
				if r.URL.Path == list {
					code = tt.code
				}
				if body == "" {
					body, code = "404 page not found\n", http.StatusNotFound
				}
				answer(w, code, body)
				return nil
			})
			for _, want := range [][]string{tt.asked, tt.again} {
				asked = nil
				refs, err := g.Siblings(t.Context())
				equal(t, "siblings", len(refs), 0)
				equal(t, "requests", asked, want)
				if tt.fails != nil {
					tt.fails(t, err)
				} else if err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// A binding of a kind that the server does not have any more is gone, by the server's own lists alone. An account of the pool is not gone
// for that: pool.kind may be wrong.
func TestGetOfAServerWithoutTheKind(t *testing.T) {
	t.Parallel()
	const list = `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"core.gardener.cloud/v1beta1","resources":[%s{"name":"shoots"}]}`
	for name, tt := range map[string]struct {
		account, kinds string
		gone           bool
	}{
		"no such kind": {"SecretBinding a", fmt.Sprintf(list, ""), true},
		"it has it":    {"SecretBinding a", fmt.Sprintf(list, `{"name":"secretbindings"},`), false},
		"an account":   {"a", fmt.Sprintf(list, ""), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g, _ := scripted(t, func(_ int, w http.ResponseWriter, r *http.Request) error {
				if r.URL.Path == "/apis/core.gardener.cloud/v1beta1" {
					answer(w, http.StatusOK, tt.kinds)
				} else {
					answer(w, http.StatusNotFound, "404 page not found\n")
				}
				return nil
			})
			_, err := g.Get(t.Context(), tt.account)
			if err == nil || errors.As(err, new(*account.NotFoundError)) != tt.gone {
				t.Errorf("%T: %v", err, err)
			}
		})
	}
}

// That is how the servers of a Garden answer: they list each resource that they have.
func TestLacks(t *testing.T) {
	t.Parallel()
	g := newProject(t).garden(t)
	for name, tt := range map[string]struct {
		group *kube.Group
		of    schema.GroupVersionResource
		lost  bool
	}{
		"SecretBindings":               {g.core, gardencore.SchemeGroupVersion.WithResource(secretBindings), true},
		"CredentialsBindings":          {g.security, gardensecurity.SchemeGroupVersion.WithResource(bindings), true},
		"no such kind":                 {g.core, gardencore.SchemeGroupVersion.WithResource("nosuchbindings"), false},
		"no such version":              {g.core, schema.GroupVersionResource{Group: gardencore.GroupName, Version: "v0", Resource: secretBindings}, false},
		"no such group of the servers": {g.core, schema.GroupVersionResource{Group: "no.such.group", Version: "v1", Resource: secretBindings}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := tt.group.Lacks(t.Context(), tt.of)
			if lost := errors.As(err, new(*kube.LostPathError)); lost != tt.lost || !lost && err != nil {
				t.Error(err)
			}
		})
	}
}

// A Shoot on a WorkloadIdentity, or on a Secret of another namespace, is on no Secret of the pool, even if that has the
// same name.
func TestCountLeavesOutOtherCredentials(t *testing.T) {
	t.Parallel()
	p := newOlderPool(t, Secret, DefaultLabelKeys())
	p.Accounts(t, testbed.AccountSpec{Name: "a", Kind: testbed.Secret, HyperscalerType: "aws"})
	elsewhere := p.Garden().NewNamespace(t)
	elsewhere.Accounts(t, testbed.AccountSpec{Name: "a", Kind: testbed.Secret})
	for name, ref := range map[string]corev1.ObjectReference{
		"identity": {APIVersion: gardensecurity.SchemeGroupVersion.String(), Kind: "WorkloadIdentity", Namespace: p.Name, Name: "a"},
		"far":      {APIVersion: "v1", Kind: "Secret", Namespace: elsewhere.Name, Name: "a"},
		"near":     {APIVersion: "v1", Kind: "Secret", Namespace: p.Name, Name: "a"},
	} {
		err := p.Garden().AdminClient().Create(t.Context(), &gardensecurity.CredentialsBinding{
			ObjectMeta: metav1.ObjectMeta{Namespace: p.Name, Name: name}, Provider: gardensecurity.CredentialsBindingProvider{Type: "aws"},
			CredentialsRef: ref,
		})
		if err != nil {
			t.Fatal(err)
		}
		p.ShootBy(t, "on-"+name, testbed.CredentialsBinding, name)
	}
	equal(t, "users", usersOf(t, p.garden(t), "a"), []string{"on-near"})
}

// Where no Shoot names a kind of binding, it is not asked for: the oldest Gardens do not have it.
func TestCountAsksForNoBindingThatNoShootNames(t *testing.T) {
	t.Parallel()
	p := newOlderPool(t, Secret, DefaultLabelKeys())
	p.Accounts(t, testbed.AccountSpec{Name: "a", Kind: testbed.Secret, HyperscalerType: "aws"})
	p.Accounts(t, testbed.AccountSpec{Name: "a", Kind: testbed.SecretBinding})
	front := p.front(t, fault.ProxyOptions{})
	g := p.garden(t, front.Through)
	equal(t, "users", usersOf(t, g, "a"), []string(nil))
	equal(t, "requests", requests(front), map[string]int{"list " + shoots: 1})
	p.ShootBy(t, "old", testbed.SecretBinding, "a")
	equal(t, "users", usersOf(t, g, "a"), []string{"old"})
	equal(t, "requests", requests(front), map[string]int{"list " + shoots: 2, "list " + secretBindings: 1})
}

// More bindings than a page holds.
func TestCountThroughPagesOfBindings(t *testing.T) {
	t.Parallel()
	p := newOlderPool(t, Secret, DefaultLabelKeys())
	p.Accounts(t, testbed.AccountSpec{Name: "a", Kind: testbed.Secret, HyperscalerType: "aws"})
	var specs []testbed.AccountSpec
	for i := range fifty.PageLimit + 1 {
		specs = append(specs, testbed.AccountSpec{Name: fmt.Sprintf("binding-%04d", i), Kind: testbed.SecretBinding, Secret: "a"})
	}
	p.Accounts(t, specs...)
	last := specs[len(specs)-1].Name
	p.ShootBy(t, "first", testbed.SecretBinding, "binding-0000")
	p.ShootBy(t, "last", testbed.SecretBinding, last)
	front := p.front(t, fifty, fault.Rule{Nth: 1, Resource: secretBindings, Fault: fault.ExpireToken()})
	equal(t, "users", usersOf(t, p.garden(t, front.Through), "a"), []string{"first", "last"})
	equal(t, "requests", requests(front), map[string]int{"list " + shoots: 1, "list " + secretBindings: 2, "page " + secretBindings: 2})
}

// forgets hides all SecretBindings from the first answers.
type forgets struct {
	next  http.RoundTripper
	times int

	mu   sync.Mutex
	asks int
}

func (f *forgets) on(config *rest.Config) {
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		f.next = next
		return f
	})
}

// RoundTrip hides them or not.
func (f *forgets) RoundTrip(request *http.Request) (*http.Response, error) {
	if !strings.HasSuffix(request.URL.Path, "/"+secretBindings) {
		return f.next.RoundTrip(request)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.asks++; f.asks > f.times {
		return f.next.RoundTrip(request)
	}
	return says(http.StatusOK, runtime.ContentTypeJSON,
		`{"kind":"SecretBindingList","apiVersion":"core.gardener.cloud/v1beta1","metadata":{},"items":[]}`), nil
}

// A Shoot whose binding is not there may be on any account. It may have been given another one just now, so all is read
// anew; if that does not help, nothing is counted and no account is said to be empty.
func TestShootWithoutItsBinding(t *testing.T) {
	t.Parallel()
	p := newOlderPool(t, Secret, DefaultLabelKeys())
	p.Accounts(t, testbed.AccountSpec{Name: "a", Kind: testbed.Secret, HyperscalerType: "aws"})
	p.Accounts(t, testbed.AccountSpec{Name: "b", Kind: testbed.SecretBinding, Secret: "a"})
	p.ShootBy(t, "s", testbed.SecretBinding, "b")
	t.Run("for a moment", func(t *testing.T) {
		t.Parallel()
		moment := &forgets{times: kube.MaxRestarts}
		equal(t, "users", usersOf(t, p.garden(t, moment.on), "a"), []string{"s"})
	})
	t.Run("for good", func(t *testing.T) {
		t.Parallel()
		forever := &forgets{times: 1000}
		g := p.garden(t, forever.on)
		_, countErr := g.Count(t.Context())
		_, usersErr := g.Users(t.Context(), "unused")
		for _, err := range []error{countErr, usersErr} {
			equal(t, "error", *as[*LostBindingError](t, err), LostBindingError{Shoot: "s", Namespace: p.Name, Kind: SecretBinding, Binding: "b"})
		}
		equal(t, "asked", forever.asks, 2*(1+kube.MaxRestarts))
	})
	t.Run("without the right to list bindings", func(t *testing.T) {
		t.Parallel()
		blind := p.as(t, p.ServiceAccount(t, "blind", lessRights(t, testbed.DocumentedRoleOf(t, testbed.Secret), secretBindings, "list")))
		for _, err := range []error{second(blind.Count(t.Context())), second(blind.Users(t.Context(), "a"))} {
			forbidden := as[*account.ForbiddenError](t, err)
			equal(t, "what is forbidden", []string{forbidden.Verb, forbidden.Resource}, []string{"list", secretBindings})
		}
	})
}

func second[T any](_ T, err error) error { return err }
