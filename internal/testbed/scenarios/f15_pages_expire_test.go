package scenarios

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/history"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

const (
	// page is how many objects come at a time: the proxy lowers what the provider asks for.
	page = 50
	// maxLists is how often a list is begun whose pages expire: once, and three times anew.
	maxLists = 4
)

// bulky is a pool whose lists have two pages: of 50 accounts that another Global Account has and, on the second page, the account
// of ga-full and free ones; of 50 clusters on the account of ga-full and, on the second page, one more.
func bulky(t *testing.T) stage {
	t.Helper()
	var accounts []testbed.AccountSpec
	for i := range page {
		accounts = append(accounts, testbed.AccountSpec{Name: fmt.Sprintf("a-%03d", i), HyperscalerType: "aws", Tenant: "ga-crowd"})
	}
	accounts = append(accounts, testbed.AccountSpec{Name: "z-full", HyperscalerType: "aws", Tenant: "ga-full"})
	for i := range 5 {
		accounts = append(accounts, testbed.AccountSpec{Name: fmt.Sprintf("z-free-%d", i), HyperscalerType: "aws"})
	}
	s := newStageBehind(t, fault.ProxyOptions{PageLimit: page}, accounts...)
	s.Shoots(t, "z-full", page)
	s.Shoot(t, "zz-last", "z-full")
	return s
}

// expire has the next pages of a resource expire for a client: the first ones, or all.
func (s stage) expire(client, resource string, first int) {
	for n := range first {
		s.proxy.Spoil(fault.Rule{Client: client, Resource: resource, Nth: n + 1, Fault: fault.ExpireToken()})
	}
	if first == 0 {
		s.proxy.Spoil(fault.Rule{Client: client, Resource: resource, Fault: fault.ExpireToken()})
	}
}

// asked counts the requests of a client.
func (s stage) asked(client, verb, resource string) int {
	n := 0
	for _, x := range s.proxy.Log() {
		if strings.HasPrefix(x.Client, client) && x.Verb == verb && x.Resource == resource {
			n++
		}
	}
	return n
}

// F15: the server forgets where the second page of a list begins. The list is begun anew, three times at most; half a
// list never decides anything.
func TestF15ExpiredPages(t *testing.T) {
	t.Parallel()
	s := bulky(t)
	request := func(ga string) protocol.ClaimRequest {
		return protocol.ClaimRequest{Name: "blue", GlobalAccount: ga, Target: awsPool}
	}
	for resource, what := range map[string]string{"credentialsbindings": "accounts", "shoots": "clusters"} {
		for _, times := range []int{1, 3} {
			client := fmt.Sprintf("%s-%d", what, times)
			s.expire(client, resource, times)
			// Half a list of accounts has no free one; half a list of clusters has a place left for ga-full.
			policy := account.Policy{AllowedGlobalAccounts: []string{"ga-full"}, Limits: map[string]int{account.DefaultLimit: page + 1}}
			ga := "ga-" + client
			if resource == "shoots" {
				ga = "ga-full"
			}
			p := s.process(t, client, policy)
			req := request(ga)
			req.Name = client
			began := time.Now()
			got := s.held(t, p, req)
			// A list that takes longer than it stays fresh is asked for again before a free account is taken.
			most := times + 1 + int(time.Since(began)/history.ListFreshness)
			if !strings.HasPrefix(got.Account.Name, "z-free-") {
				t.Errorf("%s: the claim stands on %s", client, got.Account.Name)
			}
			if lists := s.asked(client, "list", resource); lists < times+1 || lists > most {
				t.Errorf("%s: %d lists, want %d to %d", client, lists, times+1, most)
			}
		}
		client := what + "-always"
		s.expire(client, resource, 0)
		before := len(s.committed())
		_, err := s.process(t, client, account.Policy{}).Claim(t.Context(), request("ga-unlucky"))
		var unreachable *account.UnreachableError
		if !errors.As(err, &unreachable) || unreachable.Tries != maxLists || unreachable.Resource != resource {
			t.Errorf("%s: %v", client, err)
		}
		if lists := s.asked(client, "list", resource); lists != maxLists {
			t.Errorf("%s: %d lists, want %d", client, lists, maxLists)
		}
		if n := s.asked(client, "patch", "credentialsbindings"); n != 0 || len(s.committed()) != before {
			t.Errorf("%s: %d patches", client, n)
		}
	}
	s.releaseUnderExpiredPages(t)
	s.applyUnderExpiredPages(t)
}

// releaseUnderExpiredPages: a release that cannot read all clusters does not know whether the account is in use.
func (s stage) releaseUnderExpiredPages(t *testing.T) {
	t.Helper()
	got := s.held(t, s.process(t, "releaser", account.Policy{}), protocol.ClaimRequest{Name: "blue", GlobalAccount: "ga-released", Target: awsPool})
	before := s.versions(t)
	s.expire("releasing", "shoots", 0)
	_, err := s.process(t, "releasing", account.Policy{}).Release(t.Context(), protocol.ReleaseRequest{
		Identity: got.Identity, Account: got.Account.Name, UID: got.Account.UID, Mode: account.MarkDirty,
	})
	if err == nil || !strings.Contains(err.Error(), "whether clusters are on account "+got.Account.Name+" is not known") {
		t.Errorf("release: %v", err)
	}
	s.unwritten(t, before)
}

// applyUnderExpiredPages: what the user is told.
func (s stage) applyUnderExpiredPages(t *testing.T) {
	t.Helper()
	before := s.versions(t)
	s.expire("Terraform/", "credentialsbindings", 0)
	c := s.configure(t, claim("blue", "ga-1"))
	c.fails(t, applying, "Garden not reachable", "list credentialsbindings after 4 tries", "run the same command again")
	c.wantState(t)
	s.unwritten(t, before)
}
