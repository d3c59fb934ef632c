package scenarios

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

const (
	manyRequests = 100
	manyAccesses = 30
	manyConfigs  = 20
)

// manyOnPlatform are many requests and accesses, which the operator leaves alone: it takes more than a minute for as many.
const manyOnPlatform = `
locals {
  ignored = { "openmcp.cloud/operation" = "ignore" }
}
resource "hap_cluster_request" "many" {
  count       = %d
  name        = "r-${count.index}"
  purpose     = "onboarding"

  deletion_protection = false
  annotations = local.ignored
}
resource "hap_access_request" "many" {
  count       = %d
  name        = "a-${count.index}"
  request_ref = { name = "r-0" }
  token       = { role_refs = [{ kind = "ClusterRole", name = "view" }] }
  annotations = local.ignored
  depends_on  = [hap_cluster_request.many]
}
resource "hap_gardener_provider_config" "many" {
  count          = %d
  name           = "c-${count.index}-%s"
  landscape_ref  = "canary"
  project        = "hap"
  environment    = "test"
  wait_for_profile = false
  shoot_template = "spec: { provider: { type: aws } }"
}
`

// What many objects of one configuration share: an apply and a destroy wait for all of a kind with one watch, and poll none of them; a plan
// that changes nothing reads them by few lists. Of an access its Secret is read: users may list no Secrets.
func TestPlatformManyShareReads(t *testing.T) {
	t.Parallel()
	s := newPlatformStage(t, fault.ProxyOptions{})
	stop, err := s.GrantAll(t.Context(), s.namespace)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	c := s.configure(t, fmt.Sprintf(manyOnPlatform, manyRequests, manyAccesses, manyConfigs, s.namespace))
	c.Setenv("TF_LOG_PROVIDER", "")

	asked := s.askedBy(func() { c.succeeds(t, applying...) })
	if n := len(c.wantStanding(t)); n != manyRequests+manyAccesses+manyConfigs {
		t.Errorf("the state has %d objects", n)
	}
	asked.want(t, "an apply", map[string]int{ // a get: of what the watch has not seen yet
		"create clusterrequests": manyRequests, "watch clusterrequests": 1, "get clusterrequests": manyRequests, "list clusterrequests": 2,
		"watch clusters": 1, "list clusters": manyConfigs + 3, // one just before each ProviderConfig is made; the others are shared
		"create accessrequests": manyAccesses, "watch accessrequests": 1, "get accessrequests": manyAccesses, "list accessrequests": 1,
		"get secrets":            manyAccesses,
		"create providerconfigs": manyConfigs,
	})

	asked = s.askedBy(func() { c.succeeds(t, "plan", "-detailed-exitcode") })
	asked.want(t, "a plan without changes", map[string]int{ // six for the requests, where it takes no longer than a list may be old
		"get clusterrequests": 1, "list clusterrequests": 2, "get clusters": 1, "list clusters": 2,
		"get accessrequests": 1, "list accessrequests": 1, "get secrets": manyAccesses,
		"get providerconfigs": 1, "list providerconfigs": 1,
	})

	s.mayLose(t, true)
	asked = s.askedBy(func() { c.succeeds(t, destroying...) })
	asked.want(t, "a destroy", map[string]int{ // each is looked at by its UID, and for the Clusters that go with it or use it
		"get clusterrequests": 2*manyRequests + 2, "list clusterrequests": 3, "delete clusterrequests": manyRequests, "watch clusterrequests": 1,
		"get clusters": 2*manyRequests + 2, "list clusters": manyConfigs + 2,
		"get accessrequests": 2*manyAccesses + 2, "list accessrequests": 3, "delete accessrequests": manyAccesses, "watch accessrequests": 1,
		"get secrets":         manyAccesses,
		"get providerconfigs": 2*manyConfigs + 2, "list providerconfigs": 3, "delete providerconfigs": manyConfigs, "watch providerconfigs": 1,
	})
	for _, of := range []platformKind{requestKind, accessKind, configKind} {
		if left := s.live(t, of); len(left) > 0 {
			t.Errorf("%d of kind %s are left", len(left), of.kind)
		}
	}
}

// requestCounts are how many requests there were, by verb and resource, and in what time.
type requestCounts struct {
	by   map[string]int
	took time.Duration
}

// listAge is how old a list may be that answers a read: a slow command lists again.
const listAge = 5 * time.Second

// watchGap is how long a watch goes on after its last reader. A server also ends the watch of a client that is slow to read.
const watchGap = 10 * time.Second

// askedBy counts our requests while something is done.
func (s platformStage) askedBy(do func()) requestCounts {
	from, began, by := len(s.proxy.Log()), time.Now(), map[string]int{}
	do()
	for _, x := range s.proxy.Log()[from:] {
		if isUs(x.Client) {
			by[x.Verb+" "+x.Resource]++
		}
	}
	return requestCounts{by, time.Since(began)}
}

// want checks that there were no more than these, and none of another kind.
func (asked requestCounts) want(t *testing.T, when string, most map[string]int) {
	t.Helper()
	for what, n := range asked.by {
		allowed := most[what]
		if strings.HasPrefix(what, "list ") && allowed > 0 {
			allowed += int(asked.took / listAge)
		}
		if strings.HasPrefix(what, "watch ") && allowed > 0 {
			allowed += 1 + int(asked.took/watchGap)
		}
		if n > allowed {
			t.Errorf("%s took %d of %q, want at most %d: %v", when, n, what, allowed, asked)
		}
	}
}
