package openmcp_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/clusters/operator"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/builtin"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/clusters"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/expect"
	testbed "github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

// platform is openMCP in a namespace of its own, as an administrator sees it.
func platform(t *testing.T) (p *openmcp.Platform, namespace string) {
	t.Helper()
	needsPlatform(t)
	cluster := testbed.Shared(t)
	namespace = cluster.NewNamespace(t)
	p, err := openmcp.New(cluster.Config(), namespace)
	if err != nil {
		t.Fatal(err)
	}
	return p, namespace
}

func quiet(string) {}

// request makes a request, and waits until it is granted.
func request(t *testing.T, p *openmcp.Platform, namespace, name, purpose string) *api.ClusterRequest {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), operatorTime)
	defer cancel()
	made, found, err := p.Requests.Make(ctx, builtin.Wanted{Ref: api.Ref{Namespace: namespace, Name: name}, Purpose: purpose})
	if err == nil {
		made, err = p.Requests.AwaitGranted(ctx, made, quiet)
	}
	if err != nil || found {
		t.Fatalf("requesting %s: %v, found %t", name, err, found)
	}
	return made
}

// Each purpose gets the Cluster that its tenancy says: one for all, one for two requests each, and one for each request.
func TestRequestsGetTheirClusters(t *testing.T) {
	t.Parallel()
	p, ns := platform(t)
	of := func(name, purpose string) string { return request(t, p, ns, name, purpose).Status.Cluster.Name }
	if a, b := of("p1", "platform"), of("p2", "platform"); a != "platform" || b != "platform" {
		t.Errorf("platform: %s and %s", a, b)
	}
	workload := []string{of("w1", "workload"), of("w2", "workload"), of("w3", "workload")}
	if workload[0] != workload[1] || workload[2] == workload[0] || workload[0] != "workload-"+operator.NameHash(ns, "w1") ||
		workload[2] != "workload-"+operator.NameHash(ns, "w3") {
		t.Errorf("workload: %q", workload)
	}
	if a, b := of("m1", "mcp"), of("m2", "mcp"); a != "mcp-"+operator.NameHash(ns, "m1") || b != "mcp-"+operator.NameHash(ns, "m2") {
		t.Errorf("mcp: %s and %s", a, b)
	}
	all, err := p.Objects.Clusters.All(t.Context())
	all = slices.DeleteFunc(all, func(c *api.Cluster) bool { return c.Namespace != ns })
	if err != nil || len(all) != 5 {
		t.Errorf("%d Clusters, %v", len(all), err)
	}
}

// A Cluster is waited for until its provider says that it is ready; a wait that ends says what does not hold.
func TestAwaitCluster(t *testing.T) {
	t.Parallel()
	p, ns := platform(t)
	provider := testbed.SharedProvider()
	provider.Set(ns, "", testbed.Course{Never: true, Says: "the quota is used up"})
	granted := request(t, p, ns, "one", "mcp")
	ctx, cancel := context.WithTimeout(t.Context(), operatorTime)
	defer cancel()
	_, err := p.Requests.AwaitCluster(ctx, *granted.Status.Cluster, func(phase string) {
		if phase == "Not Ready" {
			cancel() // it has seen what keeps the Cluster
		}
	})
	expect.Error(t, err, "until it is ready has ended", "Not Ready", "ShootReady is False", "the quota is used up")

	provider.Set(ns, "", testbed.Course{})
	ctx, cancel = context.WithTimeout(t.Context(), operatorTime)
	defer cancel()
	ready, err := p.Requests.AwaitCluster(ctx, *granted.Status.Cluster, quiet)
	if err != nil || ready.Status.Phase != api.Ready || len(ready.Status.Endpoints) != 1 {
		t.Fatalf("%+v, %v", ready, err)
	}
	if got := api.Tenants(ready); !slices.Equal(got, []string{string(granted.UID)}) {
		t.Errorf("tenants %q", got)
	}
}

// A purpose that the operator does not know is never granted, and the operator does not say so: the error says what can be seen.
func TestAwaitGranted_unknownPurpose(t *testing.T) {
	t.Parallel()
	p, ns := platform(t)
	request(t, p, ns, "known", "mcp")
	made, _, err := p.Requests.Make(t.Context(), builtin.Wanted{Ref: api.Ref{Namespace: ns, Name: "x"}, Purpose: "nonsense"})
	if err != nil {
		t.Fatal(err)
	}
	made = awaitPending(t, p, made.Ref())
	ctx, cancel := context.WithTimeout(t.Context(), shortTime)
	defer cancel()
	last, err := p.Requests.AwaitGranted(ctx, made, quiet)
	expect.Error(t, err, "is not granted, it is Pending", `no Cluster has the purpose "nonsense"`, "purposeMappings", "mcp")
	if !errors.As(err, new(*api.NotGrantedError)) || last.Status.Cluster != nil {
		t.Errorf("%T, %+v", err, last.Status)
	}
}

// awaitPending waits until the operator has seen a request, and has said so.
func awaitPending(t *testing.T, p *openmcp.Platform, of api.Ref) *api.ClusterRequest {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), operatorTime)
	defer cancel()
	for ; ; time.Sleep(100 * time.Millisecond) {
		live, err := p.Objects.Requests.Get(ctx, of)
		if err != nil {
			t.Fatalf("awaiting that the operator sees %s: %v", of, err)
		}
		if live.Status.Phase == api.Pending {
			return live
		}
	}
}

// A label with which the operator never makes a Cluster is reported.
func TestAwaitGranted_randomized(t *testing.T) {
	t.Parallel()
	p, ns := platform(t)
	p.Requests.Longest = 2 * time.Second
	made, _, err := p.Requests.Make(t.Context(), builtin.Wanted{Ref: api.Ref{Namespace: ns, Name: "x"}, Purpose: "mcp",
		Labels: map[string]string{"clusters.openmcp.cloud/randomize-cluster-name": "true"}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.Requests.AwaitGranted(t.Context(), made, quiet)
	expect.Error(t, err, "the request bears the label clusters.openmcp.cloud/randomize-cluster-name")
}

// A request that is hopeless does not wait as long as a cluster may take.
func TestAwaitGranted_longestTime(t *testing.T) {
	t.Parallel()
	p, ns := platform(t)
	p.Requests.Longest = 2 * time.Second
	ctx, cancel := context.WithTimeout(t.Context(), operatorTime)
	defer cancel()
	made, _, err := p.Requests.Make(ctx, builtin.Wanted{Ref: api.Ref{Namespace: ns, Name: "x"}, Purpose: "nonsense"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.Requests.AwaitGranted(ctx, awaitPending(t, p, made.Ref()), quiet)
	expect.Error(t, err, "is not granted, it is Pending", "has not granted it for 2s", `no Cluster has the purpose "nonsense"`)
	if ctx.Err() != nil {
		t.Error("it waited as long as the caller has")
	}
}

// A request whose purpose is not in use anywhere does not wait as long as one whose purpose is.
func TestAwaitGranted_unusedPurpose(t *testing.T) {
	t.Parallel()
	p, ns := platform(t)
	p.Requests.Unused = 2 * time.Second
	ctx, cancel := context.WithTimeout(t.Context(), operatorTime)
	defer cancel()
	made, _, err := p.Requests.Make(ctx, builtin.Wanted{Ref: api.Ref{Namespace: ns, Name: "x"}, Purpose: "mistyped-" + ns})
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.Requests.AwaitGranted(ctx, made, quiet)
	expect.Error(t, err, "has not granted it for 2s", `no Cluster has the purpose "mistyped-`)
	if ctx.Err() != nil {
		t.Error("it waited as long as the caller has")
	}
	used, _, err := p.Clusters.Make(ctx, clusters.Wanted{
		Ref: api.Ref{Namespace: ns, Name: "used"}, Profile: testbed.WorkerlessProfile, Tenancy: api.Exclusive,
		Purposes: []string{"mistyped-" + ns}, Labels: map[string]string{}, Annotations: map[string]string{},
	})
	if err != nil {
		t.Fatal(err)
	}
	p.Requests.Longest = 4 * time.Second
	_, err = p.Requests.AwaitGranted(ctx, made, quiet)
	expect.Error(t, err, "has not granted it for 4s")
	if err := p.Clusters.Remove(ctx, used.Ref(), string(used.UID), quiet); err != nil {
		t.Error(err)
	}
}

// A request that bears the annotation ignore is left alone by the operator, and the error says so.
func TestAwaitGranted_ignored(t *testing.T) {
	t.Parallel()
	p, ns := platform(t)
	made, _, err := p.Requests.Make(t.Context(), builtin.Wanted{Ref: api.Ref{Namespace: ns, Name: "x"}, Purpose: "mcp",
		Annotations: map[string]string{api.OperationAnnotation: api.OperationIgnore}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), shortTime)
	defer cancel()
	_, err = p.Requests.AwaitGranted(ctx, made, quiet)
	expect.Error(t, err, api.OperationAnnotation+": ignore", "leaves it alone")
}

// A request of the same configuration is found again; that of another is not touched.
func TestRequest_exists(t *testing.T) {
	t.Parallel()
	p, ns := platform(t)
	wanted := builtin.Wanted{Ref: api.Ref{Namespace: ns, Name: "one"}, Purpose: "mcp"}
	first := request(t, p, ns, "one", "mcp")
	again, found, err := p.Requests.Make(t.Context(), wanted)
	if err != nil || !found || again.UID != first.UID {
		t.Errorf("%v, found %t, %s and %s", err, found, first.UID, again.UID)
	}
	wanted.Purpose = "workload"
	_, _, err = p.Requests.Make(t.Context(), wanted)
	expect.Error(t, err, "there is a ClusterRequest "+ns+"/one already")
}

// The last request takes its Cluster with it, and the withdrawal waits for that; one of two does not.
func TestWithdraw(t *testing.T) {
	t.Parallel()
	p, ns := platform(t)
	testbed.SharedProvider().Set(ns, "", testbed.Course{Deletes: 3 * time.Second})
	one, two := request(t, p, ns, "one", "workload"), request(t, p, ns, "two", "workload")
	ctx, cancel := context.WithTimeout(t.Context(), operatorTime)
	defer cancel()
	cluster := *one.Status.Cluster
	if _, err := p.Requests.AwaitCluster(ctx, cluster, quiet); err != nil { // the provider holds it from now on
		t.Fatal(err)
	}
	if err := p.Requests.Withdraw(ctx, one.Ref(), string(one.UID), quiet); err != nil {
		t.Fatal(err)
	}
	if c, err := p.Objects.Clusters.Read(ctx, cluster); err != nil || c.DeletionTimestamp != nil {
		t.Fatalf("the Cluster of another request: %v", err)
	}
	if err := p.Requests.Withdraw(ctx, two.Ref(), "another-uid", quiet); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Objects.Requests.Get(ctx, two.Ref()); err != nil {
		t.Errorf("a request was withdrawn by another's uid: %v", err)
	}
	var reported []string
	if err := p.Requests.Withdraw(ctx, two.Ref(), string(two.UID), func(what string) { reported = append(reported, what) }); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Objects.Clusters.Read(ctx, cluster); !errors.As(err, new(*api.GoneError)) {
		t.Errorf("the Cluster is still there: %v", err)
	}
	if got := strings.Join(reported, ", "); !strings.Contains(got, "goes with its last request") {
		t.Errorf("reported %s", got)
	}
}

// Where all requests of a Cluster are withdrawn at once, the withdrawals wait until the Cluster is gone.
func TestWithdraw_allAtOnce(t *testing.T) {
	t.Parallel()
	p, ns := platform(t)
	testbed.SharedProvider().Set(ns, "", testbed.Course{Deletes: 3 * time.Second})
	both := []*api.ClusterRequest{request(t, p, ns, "one", "workload"), request(t, p, ns, "two", "workload")}
	cluster := *both[0].Status.Cluster
	if *both[1].Status.Cluster != cluster {
		t.Fatal("they are not on one Cluster: the test tests nothing")
	}
	ctx, cancel := context.WithTimeout(t.Context(), operatorTime)
	defer cancel()
	if _, err := p.Requests.AwaitCluster(ctx, cluster, quiet); err != nil { // the provider holds it from now on
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for _, r := range both {
		wg.Go(func() {
			if err := p.Requests.Withdraw(ctx, r.Ref(), string(r.UID), quiet); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if _, err := p.Objects.Clusters.Get(ctx, cluster); !errors.As(err, new(*api.GoneError)) {
		t.Errorf("the Cluster is still there: %v", err)
	}
}

// A plan names the Cluster whose last requests it withdraws. A request that is withdrawn by itself is not the last while another holds its
// Cluster.
func TestLastHold(t *testing.T) {
	t.Parallel()
	p, ns := platform(t)
	one, two := request(t, p, ns, "one", "workload"), request(t, p, ns, "two", "workload")
	for name, test := range map[string]struct {
		withdrawn string
		ends      bool
	}{"alone": {"", false}, "with the other": {string(two.UID), true}} {
		cluster, err := p.Requests.LastHold(t.Context(), one, func(uid string) bool { return uid == test.withdrawn })
		if err != nil || (cluster != nil) != test.ends {
			t.Errorf("%s: %v, %v", name, cluster, err)
		}
	}
	none := func(string) bool { return false }
	if cluster, err := p.Requests.LastHoldNow(t.Context(), one, none); cluster != nil || err != nil {
		t.Errorf("beside another: %v, %v", cluster, err)
	}
	if err := p.Requests.Withdraw(t.Context(), two.Ref(), string(two.UID), quiet); err != nil {
		t.Fatal(err)
	}
	if cluster, err := p.Requests.LastHoldNow(t.Context(), one, none); cluster == nil || err != nil {
		t.Errorf("by itself: %v, %v", cluster, err)
	}
}

// A request that is given up goes, unless it is granted by then: a cluster is not lost because it was slow.
func TestGiveUp(t *testing.T) {
	t.Parallel()
	p, ns := platform(t)
	granted := request(t, p, ns, "granted", "mcp")
	pending := *granted
	pending.Status = api.RequestStatus{} // as it was seen before
	kept, err := p.Requests.GiveUp(t.Context(), &pending)
	if err != nil || kept == nil || !api.IsGranted(kept) {
		t.Errorf("%+v, %v", kept, err)
	}
	hopeless, _, err := p.Requests.Make(t.Context(), builtin.Wanted{
		Ref: api.Ref{Namespace: ns, Name: "x"}, Purpose: "nonsense",
		Annotations: map[string]string{api.OperationAnnotation: "ignore"}, // the operator may take its time to let go of a request
	})
	if err != nil {
		t.Fatal(err)
	}
	if kept, err := p.Requests.GiveUp(t.Context(), hopeless); err != nil || kept != nil {
		t.Errorf("%+v, %v", kept, err)
	}
	if _, err := p.Objects.Requests.Get(t.Context(), hopeless.Ref()); !errors.As(err, new(*api.GoneError)) {
		t.Errorf("the hopeless request is still there: %v", err)
	}
	if _, err := p.Objects.Requests.Get(t.Context(), granted.Ref()); err != nil {
		t.Errorf("the granted request: %v", err)
	}
}

// A field that the server does not know is refused, never dropped.
func TestStrictValidation(t *testing.T) {
	t.Parallel()
	p, ns := platform(t)
	made := request(t, p, ns, "one", "mcp")
	_, err := p.Requests.Describe(t.Context(), made.Ref(), "another-uid", builtin.Wanted{}, builtin.Wanted{})
	expect.Error(t, err, "does not exist any more")
	described, err := p.Requests.Describe(t.Context(), made.Ref(), string(made.UID),
		builtin.Wanted{Labels: map[string]string{"b": "2"}}, builtin.Wanted{Labels: map[string]string{"a": "1"}})
	if err != nil || described.Labels["b"] != "2" || described.Labels["a"] != "" {
		t.Errorf("%v, labels %v", err, described.Labels)
	}
}

// Many that wait share one watch, and none of them is lost.
func TestManyRequests(t *testing.T) { //nolint:paralleltest // it keeps the operator busy for half a minute
	p, ns := platform(t)
	const many = 30
	var wg sync.WaitGroup
	clusters := make([]string, many)
	errs := make([]error, many)
	for i := range many {
		wg.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), operatorTime)
			defer cancel()
			made, _, err := p.Requests.Make(ctx, builtin.Wanted{
				Ref: api.Ref{Namespace: ns, Name: fmt.Sprintf("w%02d", i)}, Purpose: "workload",
			})
			if err == nil {
				made, err = p.Requests.AwaitGranted(ctx, made, quiet)
			}
			if err == nil {
				clusters[i] = made.Status.Cluster.Name
			}
			errs[i] = err
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	holds := map[string]int{}
	for _, c := range clusters {
		holds[c]++
	}
	for c, n := range holds {
		if n > 2 {
			t.Errorf("%d requests on %s", n, c)
		}
	}
	if len(holds) < many/2 {
		t.Errorf("%d Clusters for %d requests", len(holds), many)
	}
}
