package garden

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"testing"
	"time"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

// fifty shortens the pages of 500 for which a list asks, so that a few objects fill three of them.
var fifty = fault.ProxyOptions{PageLimit: 50}

// landscape is a project with more Shoots than two pages of fifty hold; want are the clusters by account.
func landscape(t *testing.T) (p project, want map[string]int) {
	t.Helper()
	p = newProject(t)
	p.Accounts(t,
		testbed.AccountSpec{Name: "a", HyperscalerType: "aws"}, testbed.AccountSpec{Name: "b", HyperscalerType: "aws", Tenant: "ga-1"},
		testbed.AccountSpec{Name: "c", HyperscalerType: "aws"}, testbed.AccountSpec{Name: "d", HyperscalerType: "aws"},
		testbed.AccountSpec{Name: "a-1", HyperscalerType: "aws"}, // its name begins like another's
	)
	p.Shoots(t, "a", 69)
	p.Shoots(t, "b", 60)
	p.Shoots(t, "c", 1)
	p.Shoots(t, "a-1", 2)
	p.DeleteShootHeld(t, "b-7") // it is on its way out and still in the account
	unnamed(t, p)
	return p, map[string]int{"a": 69, "b": 60, "c": 1, "d": 0, "a-1": 2, "SecretBinding a": 1}
}

// unnamed makes Shoots that name no CredentialsBinding: one with a SecretBinding, which is counted for that, and one without workers.
func unnamed(t *testing.T, p project) {
	t.Helper()
	admin := p.Garden().AdminClient()
	var like gardencore.Shoot
	if err := admin.Get(t.Context(), client.ObjectKey{Namespace: p.Name, Name: "c-0"}, &like); err != nil {
		t.Fatal(err)
	}
	p.Accounts(t, testbed.AccountSpec{Name: "a", Kind: testbed.SecretBinding})
	bySecretBinding := &gardencore.Shoot{ObjectMeta: metav1.ObjectMeta{Namespace: p.Name, Name: "a-by-secret"}, Spec: *like.Spec.DeepCopy()}
	bySecretBinding.Spec.CredentialsBindingName, bySecretBinding.Spec.SecretBindingName = nil, new("a")
	workerless := &gardencore.Shoot{ObjectMeta: metav1.ObjectMeta{Namespace: p.Name, Name: "a-workerless"}, Spec: gardencore.ShootSpec{
		CloudProfile: like.Spec.CloudProfile, Region: like.Spec.Region, Provider: gardencore.Provider{Type: like.Spec.Provider.Type},
		Kubernetes: gardencore.Kubernetes{Version: like.Spec.Kubernetes.Version},
	}}
	if err := errors.Join(admin.Create(t.Context(), bySecretBinding), admin.Create(t.Context(), workerless)); err != nil {
		t.Fatal(err)
	}
}

// wantCounts compares a count with what is there.
func wantCounts(t *testing.T, got account.Counts, want map[string]int) {
	t.Helper()
	total := 0
	clusters := map[string]int{}
	for account, n := range want {
		clusters[account] = got.Clusters(account)
		total += n
	}
	equal(t, "clusters", clusters, want)
	equal(t, "total", got.Total(), total)
}

func wantUsers(t *testing.T, got []account.User, account string, n int) {
	t.Helper()
	want := map[string]bool{}
	for i := range n {
		want[fmt.Sprintf("%s-%d", account, i)] = true
	}
	if account == "a" { // by a SecretBinding of the same name
		want["a-by-secret"] = true
		n++
	}
	have := map[string]bool{}
	for _, user := range got {
		have[user.Name] = true
		equal(t, "kind", user.Kind, "Shoot")
		equal(t, user.Name+" is being deleted", user.Deleting, user.Name == "b-7")
	}
	if len(got) != n || !maps.Equal(have, want) {
		t.Errorf("%d users, %d different ones, want %d", len(got), len(have), n)
	}
}

func every(int) bool { return true }

func TestCount(t *testing.T) {
	t.Parallel()
	p, want := landscape(t)
	passes := func(first, more int) map[string]int {
		return map[string]int{"list " + shoots: first, "page " + shoots: more}
	}

	t.Run("every Shoot that names an account, once", func(t *testing.T) {
		t.Parallel()
		front := p.front(t, fifty)
		counts, err := p.garden(t, front.Through).Count(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		wantCounts(t, counts, want)
		equal(t, "requests", requests(front), passes(1, 2))
		equal(t, "length of the first page it asked for", front.Log()[0].Limit, kube.PageSize)
	})
	t.Run("users by bindings of both kinds", func(t *testing.T) {
		t.Parallel()
		for accountName, n := range map[string]int{"a": 69, "b": 60, "c": 1, "d": 0, "a-1": 2, "no-such-account": 0} {
			users, err := p.garden(t).Users(t.Context(), accountName, account.BindingOf(testbed.SecretBinding, accountName))
			if err != nil {
				t.Fatal(err)
			}
			wantUsers(t, users, accountName, n)
		}
	})
	// F15: an expired page restarts the whole list.
	for restarts, at := range map[int][]int{1: {1}, 2: {2, 3}, 3: {1, 3, 4}} {
		t.Run(fmt.Sprintf("the next page is forgotten, restarts: %d", restarts), func(t *testing.T) {
			t.Parallel()
			expiring := p.front(t, fifty)
			for _, nth := range at {
				expiring.Spoil(fault.Rule{Nth: nth, Resource: shoots, Fault: fault.ExpireToken()})
			}
			counts, err := p.garden(t, expiring.Through).Count(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			wantCounts(t, counts, want)
			equal(t, "passes", expiring.Count("list", shoots), 1+restarts)
		})
	}
	t.Run("users, and the next page is forgotten", func(t *testing.T) {
		t.Parallel()
		expiring := p.front(t, fifty, fault.Rule{Nth: 2, Resource: shoots, Fault: fault.ExpireToken()})
		users, err := p.garden(t, expiring.Through).Users(t.Context(), "b")
		if err != nil {
			t.Fatal(err)
		}
		wantUsers(t, users, "b", 60)
		equal(t, "requests", requests(expiring), passes(2, 4))
	})
	// F14: one page fails, in whatever way, and is asked for once more.
	for name, injected := range map[string]fault.Fault{
		"503": fault.Unavailable(0), "502": fault.LoseAfter(http.StatusBadGateway),
		"a cut": fault.CutBefore(), "half an answer": fault.CutWithin(), "a 401": fault.Unauthorized(),
	} {
		for protocol, options := range protocols {
			options.PageLimit = fifty.PageLimit
			t.Run("a page fails once: "+name+" "+protocol, func(t *testing.T) {
				t.Parallel()
				failing := p.front(t, options, fault.Rule{Verb: "page", Resource: shoots, Nth: 2, Fault: injected})
				counts, err := p.garden(t, failing.Through).Count(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				wantCounts(t, counts, want)
				equal(t, "requests", requests(failing), passes(1, 3))
			})
		}
	}
	for name, test := range map[string]struct {
		fault fault.Fault
		picks func(nth int) bool // of the pages after the first
		fails func(t *testing.T, err error)
		time  time.Duration
	}{
		"it is broken":                {fault.InternalError(), every, fails[*account.UnreachableError], 2 * time.Second},
		"it is cut":                   {fault.CutWithin(), every, fails[*account.UnreachableError], 2 * time.Second},
		"it may not be read any more": {fault.Forbidden(), every, fails[*account.ForbiddenError], time.Minute},
		// The second page comes, the third does not.
		"it is forgotten again and again": {fault.ExpireToken(), func(nth int) bool { return nth%2 == 0 }, fails[*account.UnreachableError], 2 * time.Second},
	} {
		t.Run("half a list is an error: "+name, func(t *testing.T) {
			t.Parallel()
			pages := 0
			failing := p.front(t, fifty, fault.Rule{
				Verb: "page", Resource: shoots, Fault: test.fault,
				When: func(fault.Exchange) bool {
					pages++
					return test.picks(pages)
				},
			})
			g := p.garden(t, failing.Through)
			ctx, cancel := context.WithTimeout(t.Context(), test.time)
			defer cancel()
			counts, err := g.Count(ctx)
			test.fails(t, err)
			equal(t, "count", counts, account.Counts{})
			users, err := g.Users(ctx, "a")
			if err == nil || users != nil {
				t.Errorf("%d users, %v", len(users), err)
			}
		})
	}
	t.Run("gives up after three restarts", func(t *testing.T) {
		t.Parallel()
		expiring := p.front(t, fifty, fault.Rule{Resource: shoots, Fault: fault.ExpireToken()})
		_, err := p.garden(t, expiring.Through).Count(t.Context())
		equal(t, "tries", as[*account.UnreachableError](t, err).Tries, 4)
		equal(t, "requests", requests(expiring), passes(4, 4))
	})
}

// The list of the accounts, too, is whole or not at all.
func TestListIsWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	const accounts = 51
	p := newProject(t)
	specs := make([]testbed.AccountSpec, accounts)
	for i := range specs {
		specs[i] = testbed.AccountSpec{Name: fmt.Sprintf("account-%03d", i), HyperscalerType: "aws"}
	}
	p.Accounts(t, specs...)
	for name, injected := range map[string]fault.Fault{
		"the next page is forgotten": fault.ExpireToken(), "half an answer": fault.CutWithin(),
		"502": fault.LoseAfter(http.StatusBadGateway),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			failing := p.front(t, fifty, fault.Rule{Verb: "page", Resource: bindings, Nth: 1, Fault: injected})
			listed, err := p.garden(t, failing.Through).List(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			names := map[string]bool{}
			for _, a := range listed {
				names[a.Name] = true
			}
			equal(t, "accounts, different ones", []int{len(listed), len(names)}, []int{accounts, accounts})
			equal(t, "second pages asked for", requests(failing)["page "+bindings], 2)
		})
	}
	t.Run("forbidden in the middle", func(t *testing.T) {
		t.Parallel()
		failing := p.front(t, fifty, fault.Rule{Verb: "page", Resource: bindings, Fault: fault.Answer(http.StatusForbidden, "no")})
		listed, err := p.garden(t, failing.Through).List(t.Context())
		fails[*account.ForbiddenError](t, err)
		if listed != nil {
			t.Errorf("%d accounts", len(listed))
		}
	})
}
