package scenarios

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

const (
	manyRequests = 100
	manyAccesses = 50
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
  shoot_template = "spec: { provider: { type: aws } }"
}
`

// What many objects of one configuration share: an apply and a destroy wait for all of a kind with one watch, and poll none of them; a plan
// that changes nothing reads them by few lists. Of an access its Secret is read: users may list no Secrets.
func TestPlatformManyShareReads(t *testing.T) {
	t.Parallel()
	s := newPlatformStage(t, fault.ProxyOptions{})
	s.grantAll(t)
	c := s.configure(t, fmt.Sprintf(manyOnPlatform, manyRequests, manyAccesses, manyConfigs, s.namespace))
	c.Setenv("TF_LOG_PROVIDER", "")

	asked := s.askedBy(func() { c.succeeds(t, applying...) })
	if n := len(c.wantStanding(t)); n != manyRequests+manyAccesses+manyConfigs {
		t.Errorf("the state has %d objects", n)
	}
	asked.want(t, "an apply", map[string]int{ // get: what a list of before the POST cannot have
		"create clusterrequests": manyRequests, "watch clusterrequests": 1, "get clusterrequests": 30, "list clusterrequests": 8,
		"watch clusters": 1, "list clusters": 1,
		"create accessrequests": manyAccesses, "watch accessrequests": 1, "get accessrequests": 30, "list accessrequests": 1,
		"get secrets":            manyAccesses,
		"create providerconfigs": manyConfigs,
	})

	asked = s.askedBy(func() { c.succeeds(t, "plan", "-detailed-exitcode") })
	requests := asked.of("clusterrequests") + asked.of("clusters")
	if accesses, configs := asked.of("accessrequests"), asked.of("providerconfigs"); requests > 6 || accesses > 3 || configs > 3 ||
		asked.of("") != requests+accesses+configs+manyAccesses {
		t.Errorf("a plan without changes took %v", asked)
	}

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

// requestCounts are how many requests there were, by verb and resource.
type requestCounts map[string]int

// askedBy counts our requests while something is done.
func (s platformStage) askedBy(do func()) requestCounts {
	from, asked := len(s.proxy.Log()), requestCounts{}
	do()
	for _, x := range s.proxy.Log()[from:] {
		if isUs(x.Client) {
			asked[x.Verb+" "+x.Resource]++
		}
	}
	return asked
}

// of counts those of a resource; empty = of all.
func (asked requestCounts) of(resource string) (n int) {
	for what, of := range asked {
		if resource == "" || strings.HasSuffix(what, " "+resource) {
			n += of
		}
	}
	return n
}

// want checks that there were no more than these, and none of another kind.
func (asked requestCounts) want(t *testing.T, when string, most map[string]int) {
	t.Helper()
	for what, n := range asked {
		if n > most[what] {
			t.Errorf("%s took %d of %q, want at most %d: %v", when, n, what, most[what], asked)
		}
	}
}

// grantAll plays a scheduler and a cluster provider that answer at once, with one Cluster and one Secret for all.
func (s platformStage) grantAll(t *testing.T) {
	t.Helper()
	cluster := openmcp.New("Cluster", s.namespace, "shared")
	cluster.Object["spec"] = map[string]any{"profile": openmcp.WorkerlessProfile, "tenancy": "Shared", "purposes": []any{"shared"}}
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: "shared"}}
	content, err := s.Kubeconfig(s.namespace)
	if err != nil {
		t.Fatal(err)
	}
	secret.Data = map[string][]byte{"kubeconfig": content}
	for _, object := range []client.Object{cluster, secret} {
		if err := s.Client().Create(t.Context(), object); err != nil {
			t.Fatal(err)
		}
	}
	granted := func(status map[string]any) map[string]any {
		status["phase"], status["observedGeneration"], status["lastReconcileTime"] = "Granted", 1, time.Now().UTC().Format(time.RFC3339)
		return status
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for ctx.Err() == nil {
			s.grant(ctx, requestKind, granted(map[string]any{"cluster": map[string]any{"namespace": s.namespace, "name": "shared"}}))
			s.grant(ctx, accessKind, granted(map[string]any{"secretRef": map[string]any{"name": "shared"}}))
			time.Sleep(20 * time.Millisecond)
		}
	}()
	t.Cleanup(func() { stop(); <-ended })
}

// grant gives all objects of a kind that have none a status. One that cannot be written is met again.
func (s platformStage) grant(ctx context.Context, of platformKind, status map[string]any) {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(openmcp.New(of.kind+"List", "", "").GroupVersionKind())
	if s.Client().List(ctx, list, client.InNamespace(s.namespace)) != nil {
		return
	}
	for _, object := range list.Items {
		if phase, _, _ := unstructured.NestedString(object.Object, "status", "phase"); phase != "Granted" {
			base := object.DeepCopy()
			object.Object["status"] = status
			_ = s.Client().Status().Patch(ctx, &object, client.MergeFrom(base))
		}
	}
}
