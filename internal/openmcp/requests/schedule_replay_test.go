package requests_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/clusters"
	"github.com/hap-project/terraform-provider-hap/internal/clusters/operator"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/requests"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
	testbed "github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

// replay makes requests against the real operator, and compares what it does with what was foretold.
type replay struct {
	t          *testing.T
	chance     *rand.Rand
	platform   *testbed.Platform
	api        *openmcp.Platform // of all namespaces
	blind      *openmcp.Platform // of the namespace of each request alone, as a provider block leads to it
	namespaces []string
	landscape  testbed.Landscape
	config     operator.Config
	made       int // names
	seen       map[string]int
	prefixes   map[string]grantedPrefix // by the uids of their requests
	chosen     map[api.Ref]bool         // the names of the requests that the running operator has had in its queue
}

// grantedPrefix is the prefix that was reported of a request.
type grantedPrefix struct {
	of     api.Ref
	prefix string
}

// pause is the time between two looks at what the operator has done.
const pause = 25 * time.Millisecond

// newReplay has a platform cluster to itself: the landscapes change what the operator does with all requests.
func newReplay(t *testing.T) *replay {
	t.Helper()
	needsPlatform(t)
	platform := testbed.Own(t)
	api, err := openmcp.New(platform.Config(), "")
	if err != nil {
		t.Fatal(err)
	}
	blind, err := openmcp.New(platform.Config(), "elsewhere")
	if err != nil {
		t.Fatal(err)
	}
	r := &replay{t: t, platform: platform, api: api, blind: blind, seen: map[string]int{}, prefixes: map[string]grantedPrefix{}}
	// The server lists a-b/x before a/x: a dash sorts before a slash.
	a := platform.NewNamespace(t)
	namespace := testbed.New("Namespace", "", a+"-b")
	namespace.SetAPIVersion("v1")
	r.must(platform.Client().Create(t.Context(), namespace))
	r.namespaces = []string{a, a + "-b", platform.NewNamespace(t)}
	return r
}

func (r *replay) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

// run starts the operator with a landscape.
func (r *replay) run(landscape testbed.Landscape) {
	r.t.Helper()
	text, err := landscape.Config()
	r.must(err)
	r.landscape = landscape
	r.config, err = requests.ReadSchedulerConfig(string(text))
	r.must(err)
	r.must(r.platform.StartOperator(r.t.Context(), landscape))
	r.chosen = map[api.Ref]bool{}
}

// one returns one of some.
func one[T any](chance *rand.Rand, of ...T) T { return of[chance.IntN(len(of))] }

// tiers are the labels that selectors look at.
func (r *replay) tier() map[string]string {
	return one(r.chance, nil, map[string]string{"tier": "gold"}, map[string]string{"tier": "silver"},
		map[string]string{"tier": "gold", "stage": "dev"})
}

func (r *replay) selector() *testbed.Selector {
	expression := func(key, operator string, values ...string) *testbed.Selector {
		return &testbed.Selector{MatchExpressions: []testbed.Expression{{Key: key, Operator: operator, Values: values}}}
	}
	return one(r.chance, nil, nil, nil, &testbed.Selector{}, &testbed.Selector{MatchLabels: map[string]string{"tier": "gold"}},
		expression("tier", "In", "gold", "silver"), expression("tier", "NotIn", "silver"), expression("stage", "DoesNotExist"),
		expression("tier", "Exists"))
}

// purposes are those of all landscapes, and the last is in none.
var purposes = []string{"alpha", "beta", "gamma", "delta", "unheard-of"}

// random is a landscape by chance that the operator starts with.
func (r *replay) random() testbed.Landscape {
	for {
		l := testbed.Landscape{
			Scope:    one(r.chance, "", "Cluster", "Namespaced", "Namespaced"),
			Strategy: one(r.chance, "", "Balanced", "Simple", "Random"),
			Purposes: map[string]testbed.Purpose{}, Selectors: map[string]testbed.Selector{},
		}
		for _, of := range []string{"clusters", "requests"} {
			if s := r.selector(); s != nil && r.chance.IntN(2) == 0 {
				l.Selectors[of] = *s
			}
		}
		for _, name := range purposes[:len(purposes)-1] {
			l.Purposes[name] = r.purpose()
		}
		text, err := l.Config()
		r.must(err)
		if _, err := requests.ReadSchedulerConfig(string(text)); err == nil {
			return l
		}
	}
}

func (r *replay) purpose() testbed.Purpose {
	p := testbed.Purpose{Selector: r.selector(), Template: testbed.Template{
		Metadata: testbed.TemplateMetadata{
			Name:         one(r.chance, "", "common"),
			GenerateName: one(r.chance, "", "", "", "", "", "gen-", "gen-", strings.Repeat("long", 14)),
			Namespace:    one(r.chance, "", "", r.namespaces[0]),
			Labels:       r.tier(),
		},
		Spec: testbed.TemplateSpec{
			Tenancy:  one(r.chance, "Shared", "Shared", "Exclusive"),
			Profile:  one(r.chance, testbed.WorkerProfile, testbed.WorkerProfile, testbed.WorkerlessProfile),
			Purposes: one(r.chance, nil, nil, []string{"alpha", "beta"}, []string{"gamma"}),
		},
	}}
	if p.Template.Spec.Tenancy == "Shared" {
		p.TenancyCount = r.chance.IntN(4)
	}
	return p
}

// wanted is a request by chance.
func (r *replay) wanted() requests.Wanted {
	r.made++
	labels := r.tier()
	if r.chance.IntN(20) == 0 {
		labels = maps.Clone(labels)
		if labels == nil {
			labels = map[string]string{}
		}
		labels[operator.RandomNameLabel] = "true"
	}
	name := "r" + strconv.Itoa(r.made)
	if r.chance.IntN(3) == 0 {
		name = "again" + strconv.Itoa(r.chance.IntN(3)) // a name that was there before, or is
	}
	return requests.Wanted{
		Ref: api.Ref{Namespace: one(r.chance, r.namespaces...), Name: name}, Labels: labels,
		Purpose: purposes[min(r.chance.IntN(17)/4, len(purposes)-1)],
	}
}

// inTime bounds one step.
func (r *replay) inTime() (context.Context, context.CancelFunc) {
	return context.WithTimeout(r.t.Context(), operatorTime)
}

// request foretells what becomes of a request, makes it, and compares.
func (r *replay) request(w requests.Wanted) {
	r.t.Helper()
	ctx, cancel := r.inTime()
	defer cancel()
	if _, err := r.api.Objects.Requests.Get(ctx, w.Ref); err == nil {
		return // it is there already
	}
	before := r.clusters(ctx)
	forecast, err := r.api.Requests.Schedule(ctx, r.config, w)
	r.must(err)
	r.compareBlind(ctx, w, forecast)
	// The operator asks its selectors at each event, and its queue holds names alone. It tries the name of a denied request again, and then
	// schedules the request that has the name by now, whatever its labels are.
	if forecast.Reason != operator.ReasonNotSelected {
		r.chosen[w.Ref] = true
	} else if r.chosen[w.Ref] {
		return
	}
	made, _, err := r.api.Requests.Operator.Make(ctx, w)
	r.must(err)
	r.compare(ctx, w, made, forecast, before)
}

// compareBlind compares what is foretold by all requests with what is foretold by those of one namespace: that may be uncertain where who
// holds a name cannot be seen, and is the same otherwise.
func (r *replay) compareBlind(ctx context.Context, w requests.Wanted, all operator.Decision) {
	r.t.Helper()
	blind, err := r.blind.Requests.Schedule(ctx, r.config, w)
	r.must(err)
	if blind.Uncertain {
		r.seen["uncertain: "+string(all.Reason)]++
		if all.Reason != operator.ReasonNameConflict && all.Reason != operator.ReasonTakenOver || blind.Cluster != all.Cluster {
			r.t.Fatalf("%s: foretold %+v, and in one namespace %+v", w.Ref, all, blind)
		}
		return
	}
	if blind.Action != all.Action || blind.Reason != all.Reason || blind.Cluster != all.Cluster || blind.Tenants != all.Tenants ||
		blind.Prefix != all.Prefix {
		r.t.Fatalf("%s: foretold %+v, and in one namespace %+v", w.Ref, all, blind)
	}
}

// clusters are the uids of all Clusters.
func (r *replay) clusters(ctx context.Context) map[api.Ref]string {
	all, err := r.api.Objects.Clusters.All(ctx)
	r.must(err)
	uids := map[api.Ref]string{}
	for _, c := range all {
		uids[c.Ref()] = string(c.UID)
	}
	return uids
}

// clusterNow reads a Cluster by itself; nil = it does not exist.
func (r *replay) clusterNow(ctx context.Context, ref api.Ref) *api.Cluster {
	all, err := r.api.Objects.Clusters.All(ctx)
	r.must(err)
	if i := slices.IndexFunc(all, func(c *api.Cluster) bool { return c.Ref() == ref }); i >= 0 {
		return all[i]
	}
	return nil
}

// compare waits for what the operator does with a request, and compares it with what was foretold. A denied request goes again, so that
// it is not granted behind the test's back later.
func (r *replay) compare(
	ctx context.Context, w requests.Wanted, made *api.ClusterRequest, forecast operator.Decision, before map[api.Ref]string,
) {
	r.t.Helper()
	r.seen[string(forecast.Reason)]++
	r.t.Logf("%s %s labels %v: foretold %s %s %s", w.Ref, w.Purpose, w.Labels, forecast.Action, forecast.Reason, forecast.Cluster)
	wrong := func(format string, args ...any) {
		r.t.Helper()
		text, _ := r.landscape.Config()
		r.t.Fatalf("%s %s labels %v: %s\nforetold: %+v\nlandscape: %s", w.Ref, w.Purpose, w.Labels, fmt.Sprintf(format, args...), forecast, text)
	}
	patience := operatorTime / 2
	if forecast.Reason == operator.ReasonNotSelected {
		patience = 1500 * time.Millisecond
	}
	live, answered := r.outcome(ctx, made, patience)
	if forecast.Uncertain && api.IsGranted(live) { // the holder is gone
		if _, was := before[*live.Status.Cluster]; !was || clusters.Ref(*live.Status.Cluster) != forecast.Cluster {
			wrong("the operator gave %s", live.Status.Cluster)
		}
		return
	}
	if forecast.Action == clusters.Deny {
		if api.IsGranted(live) || answered != (forecast.Reason != operator.ReasonNotSelected) {
			wrong("the operator answered %t, and granted %v", answered, live.Status.Cluster)
		}
		r.must(r.api.Requests.Withdraw(ctx, w.Ref, string(live.UID), func(string) {}))
		return
	}
	if !api.IsGranted(live) {
		wrong("the operator answered %t, and did not grant it", answered)
	}
	given := r.clusterNow(ctx, *live.Status.Cluster)
	if given == nil {
		wrong("the operator gave %s, which does not exist", live.Status.Cluster)
	}
	ref := clusters.Ref(given.Ref())
	if uid, was := before[given.Ref()]; (was && uid == string(given.UID)) != (forecast.Action == clusters.Reuse) {
		wrong("Cluster %s was there before: %t", ref, was)
	}
	if forecast.Reason == operator.ReasonDrawn {
		if i := slices.IndexFunc(forecast.Candidates, func(c clusters.Candidate) bool { return c.Ref == ref }); i < 0 ||
			!strings.Contains(forecast.Candidates[i].Reason, "draws from") {
			wrong("the operator gave %s, which is none of those that it draws from", ref)
		}
		r.comparePrefix(ctx, live, given, forecast, wrong)
		return
	}
	if ref != forecast.Cluster || given.Spec.Profile != forecast.Profile || given.Spec.Tenancy != forecast.Tenancy ||
		len(api.Tenants(given)) != forecast.Tenants {
		wrong("the operator gave %s with profile %s, %s, %d tenants", ref, given.Spec.Profile, given.Spec.Tenancy, len(api.Tenants(given)))
	}
	r.comparePrefix(ctx, live, given, forecast, wrong)
}

// comparePrefix compares the prefix that was foretold with that of the granted request, and with those of the others on its Cluster: none
// begins another.
func (r *replay) comparePrefix(
	ctx context.Context, live *api.ClusterRequest, given *api.Cluster, forecast operator.Decision, wrong func(string, ...any),
) {
	r.t.Helper()
	prefix, err := r.api.Requests.Prefix(ctx, live, given)
	r.must(err)
	if forecast.PrefixKnown && prefix != forecast.Prefix {
		wrong("its prefix is %q", prefix)
	}
	for _, uid := range api.Tenants(given) {
		other, prefixes := r.prefixes[uid]
		if !prefixes || other.of == live.Ref() { // that one is gone, and its finalizer is not: it had this prefix by its name
			continue
		}
		if strings.HasPrefix(other.prefix, prefix) || strings.HasPrefix(prefix, other.prefix) {
			wrong("its prefix is %q, and that of %s on the Cluster %q", prefix, other.of, other.prefix)
		}
	}
	r.prefixes[string(live.UID)] = grantedPrefix{live.Ref(), prefix}
}

// outcome waits until the operator has answered a request, or has not seen it for so long.
func (r *replay) outcome(
	ctx context.Context, made *api.ClusterRequest, patience time.Duration,
) (live *api.ClusterRequest, answered bool) {
	unseen := time.Now().Add(patience)
	for {
		live, err := r.api.Objects.Requests.Get(ctx, made.Ref())
		r.must(err)
		switch {
		case api.IsGranted(live), live.Status.Phase == api.Pending && live.Status.ObservedGeneration == live.Generation:
			return live, true
		case len(live.Finalizers) == 0 && time.Now().After(unseen):
			return live, false
		}
		time.Sleep(pause)
	}
}

// withdraw takes a granted request back.
func (r *replay) withdraw() {
	ctx, cancel := r.inTime()
	defer cancel()
	if granted := r.granted(ctx); len(granted) > 0 {
		r.remove(ctx, one(r.chance, granted...))
	}
}

// granted are the requests that the operator answers to, in a fixed order.
func (r *replay) granted(ctx context.Context) []*api.ClusterRequest {
	all := &unstructured.UnstructuredList{}
	all.SetGroupVersionKind(testbed.New("ClusterRequestList", "", "").GroupVersionKind())
	r.must(r.platform.Client().List(ctx, all))
	requests := make([]*api.ClusterRequest, len(all.Items))
	for i := range all.Items {
		requests[i] = &api.ClusterRequest{}
		r.must(runtime.DefaultUnstructuredConverter.FromUnstructured(all.Items[i].Object, requests[i]))
	}
	return requests
}

// remove deletes a request, and waits until it is gone; its Cluster may stay for another party's finalizer.
func (r *replay) remove(ctx context.Context, request *api.ClusterRequest) {
	object := testbed.New("ClusterRequest", request.Namespace, request.Name)
	r.must(client.IgnoreNotFound(r.platform.Client().Delete(ctx, object)))
	for {
		if _, err := r.api.Objects.Requests.Get(ctx, request.Ref()); err != nil {
			if ctx.Err() != nil {
				r.must(ctx.Err())
			}
			return
		}
		time.Sleep(pause)
	}
}

// byHand makes a Cluster that no request has asked for, some under the name that a request would get.
func (r *replay) byHand() {
	ctx, cancel := r.inTime()
	defer cancel()
	purpose := one(r.chance, purposes[:4]...)
	namespace := one(r.chance, r.namespaces...)
	cluster := testbed.New("Cluster", namespace, one(r.chance, "hand", "common", purpose, purpose+"-"+operator.NameHash(namespace, "again1"),
		"gen-"+operator.NameHash(namespace, "again2")))
	cluster.SetLabels(r.tier())
	if r.chance.IntN(3) == 0 {
		cluster.SetFinalizers([]string{held})
	}
	cluster.Object["spec"] = map[string]any{
		"profile": one(r.chance, testbed.WorkerProfile, testbed.WorkerlessProfile), "tenancy": one(r.chance, "Shared", "Shared", "Exclusive"),
		"purposes": []any{one(r.chance, purpose, "alpha", "other")},
	}
	_ = r.platform.Client().Create(ctx, cluster) // it may be there
}

// held is a finalizer of another party.
const held = "example.com/held"

// perish deletes a Cluster by hand. Its requests keep it.
func (r *replay) perish() {
	ctx, cancel := r.inTime()
	defer cancel()
	if cluster := r.cluster(ctx); cluster != nil {
		r.must(client.IgnoreNotFound(r.platform.Client().Delete(ctx, cluster)))
	}
}

// cluster is one that exists; nil = none does.
func (r *replay) cluster(ctx context.Context) *unstructured.Unstructured {
	all, err := r.api.Objects.Clusters.All(ctx)
	r.must(err)
	if len(all) == 0 {
		return nil
	}
	of := one(r.chance, all...)
	cluster := testbed.New("Cluster", of.Namespace, of.Name)
	r.must(r.platform.Client().Get(ctx, client.ObjectKeyFromObject(cluster), cluster))
	return cluster
}

// forget has a request vanish without the operator, which leaves its finalizer on the Cluster.
func (r *replay) forget() {
	ctx, cancel := r.inTime()
	defer cancel()
	granted := r.granted(ctx)
	if len(granted) == 0 {
		return
	}
	r.vanish(ctx, one(r.chance, granted...))
}

func (r *replay) vanish(ctx context.Context, request *api.ClusterRequest) {
	object := testbed.New("ClusterRequest", request.Namespace, request.Name)
	patch := `{"metadata":{"finalizers":null,"annotations":{"openmcp.cloud/operation":"ignore"}}}`
	r.must(r.platform.Client().Patch(ctx, object, client.RawPatch("application/merge-patch+json", []byte(patch))))
	r.remove(ctx, request)
}

// lose has the Cluster of a request vanish, and the operator look again.
func (r *replay) lose() {
	ctx, cancel := r.inTime()
	defer cancel()
	granted := r.granted(ctx)
	if len(granted) == 0 {
		return
	}
	request := one(r.chance, granted...)
	if request.Status.Cluster == nil {
		return
	}
	r.drop(ctx, *request.Status.Cluster)
	w := requests.Wanted{Ref: request.Ref(), Purpose: request.Spec.Purpose, Labels: request.Labels}
	before := r.clusters(ctx)
	forecast, err := r.api.Requests.Schedule(ctx, r.config, w)
	r.must(err)
	if forecast.Reason != operator.ReasonRecreated {
		r.t.Fatalf("foretold %+v for a request whose Cluster is gone", forecast)
	}
	again, err := r.api.Requests.Reschedule(ctx, request.Ref(), string(request.UID))
	r.must(err)
	for { // the operator takes the annotation away first, and the status stays as it was
		if r.clusterNow(ctx, *request.Status.Cluster) != nil {
			break
		}
		time.Sleep(pause)
	}
	r.compare(ctx, w, again, forecast, before)
	for _, other := range granted { // they lost it, too
		if other.UID != request.UID && other.Status.Cluster != nil && *other.Status.Cluster == *request.Status.Cluster {
			r.vanish(ctx, other)
		}
	}
}

// drop deletes a Cluster with its finalizers.
func (r *replay) drop(ctx context.Context, ref api.Ref) {
	cluster := testbed.New("Cluster", ref.Namespace, ref.Name)
	r.must(client.IgnoreNotFound(r.platform.Client().Delete(ctx, cluster)))
	r.must(client.IgnoreNotFound(r.platform.Client().Patch(ctx, cluster,
		client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"finalizers":null}}`)))))
}

// clear takes everything down.
func (r *replay) clear() {
	ctx, cancel := r.inTime()
	defer cancel()
	for _, request := range r.granted(ctx) {
		r.vanish(ctx, request)
	}
	all, err := r.api.Objects.Clusters.All(ctx)
	r.must(err)
	for _, c := range all {
		r.drop(ctx, c.Ref())
	}
}

func randomSeed(t *testing.T) uint64 {
	t.Helper()
	n, err := strconv.ParseUint(os.Getenv("HAP_SEED"), 10, 64)
	if err != nil {
		n = rand.Uint64()
	}
	t.Logf("HAP_SEED=%d", n)
	return n
}

// Whatever the landscape and the history, the operator does with a request what was foretold: reuse or create, which Cluster, under which
// name, or nothing.
func TestScheduleIsWhatTheOperatorDoes(t *testing.T) {
	t.Parallel()
	r := newReplay(t)
	r.chance = rand.New(rand.NewPCG(randomSeed(t), 0))
	const landscapes, steps = 4, 16
	rounds := 1
	if n, err := strconv.Atoi(os.Getenv("HAP_ROUNDS")); err == nil {
		rounds = n
	}
	for range landscapes * rounds {
		r.run(r.random())
		for range steps {
			switch r.chance.IntN(14) {
			case 0, 1:
				r.withdraw()
			case 2, 3:
				r.byHand()
			case 4:
				r.perish()
			case 5:
				r.forget()
			case 6:
				r.lose()
			default:
				r.request(r.wanted())
			}
		}
		r.clear()
	}
	t.Logf("foretold and met: %v", r.seen)
}

// A request whose Cluster bears its finalizer, and whose status does not say so, gets that Cluster again: the operator died in between.
func TestScheduleAfterCrash(t *testing.T) {
	t.Parallel()
	r := newReplay(t)
	r.run(testbed.Usual())
	ctx, cancel := r.inTime()
	defer cancel()
	for _, name := range []string{"a", "b", "c", "d"} { // two Clusters with two requests each
		r.request(requests.Wanted{Ref: api.Ref{Namespace: r.namespaces[0], Name: name}, Purpose: "workload"})
	}
	r.must(r.platform.KillOperator())
	all, err := r.api.Objects.Clusters.All(ctx)
	r.must(err)
	w := requests.Wanted{Ref: api.Ref{Namespace: r.namespaces[0], Name: "e"}, Purpose: "workload"}
	made, _, err := r.api.Requests.Operator.Make(ctx, w)
	r.must(err)
	full := testbed.New("Cluster", all[1].Namespace, all[1].Name)
	r.must(r.platform.Client().Get(ctx, client.ObjectKeyFromObject(full), full))
	full.SetFinalizers(append(full.GetFinalizers(), "request.clusters.openmcp.cloud/"+string(made.UID)))
	r.must(r.platform.Client().Update(ctx, full))
	before := r.clusters(ctx)
	forecast, err := r.api.Requests.Schedule(ctx, r.config, w)
	r.must(err)
	if forecast.Reason != operator.ReasonRecovered || forecast.Cluster.Name != all[1].Name || forecast.Tenants != 3 {
		t.Fatalf("foretold %+v", forecast)
	}
	r.run(testbed.Usual())
	r.compare(ctx, w, made, forecast, before)
	again, err := r.api.Requests.Schedule(ctx, r.config, w)
	r.must(err)
	if again.Reason != clusters.ReasonGranted || again.Cluster != forecast.Cluster || again.Tenants != 3 {
		t.Errorf("a granted request: %+v", again)
	}
}

// A request that is there is seen with its own labels, whatever a configuration says of it.
func TestScheduleLiveLabels(t *testing.T) {
	t.Parallel()
	r := newReplay(t)
	landscape := testbed.Usual()
	landscape.Selectors = map[string]testbed.Selector{"requests": {MatchLabels: map[string]string{"tier": "gold"}}}
	r.run(landscape)
	r.must(r.platform.KillOperator())
	ctx, cancel := r.inTime()
	defer cancel()
	w := requests.Wanted{Ref: api.Ref{Namespace: r.namespaces[0], Name: "one"}, Purpose: "mcp", Labels: map[string]string{"tier": "gold"}}
	made, _, err := r.api.Requests.Operator.Make(ctx, w)
	r.must(err)
	w.Labels = nil
	forecast, err := r.api.Requests.Schedule(ctx, r.config, w)
	r.must(err)
	before := r.clusters(ctx)
	r.run(landscape)
	r.compare(ctx, w, made, forecast, before)
}

// A request that goes, or that another purpose replaces, gives up its place: the preview counts it no more.
func TestScheduleReplaced(t *testing.T) {
	t.Parallel()
	r := newReplay(t)
	r.run(testbed.Usual())
	ctx, cancel := r.inTime()
	defer cancel()
	of := func(name, purpose string) requests.Wanted {
		return requests.Wanted{Ref: api.Ref{Namespace: r.namespaces[0], Name: name}, Purpose: purpose}
	}
	r.request(of("a", "workload"))
	r.request(of("b", "workload"))
	for _, test := range []struct {
		w    requests.Wanted
		want clusters.Reason
	}{
		{of("a", "mcp"), clusters.ReasonNew},          // it leaves one place of two
		{of("c", "workload"), clusters.ReasonNew},     // both are taken
		{of("a", "workload"), clusters.ReasonGranted}, // it stays
	} {
		d, err := r.api.Requests.Schedule(ctx, r.config, test.w)
		if err != nil || d.Reason != test.want {
			t.Errorf("%s %s: %+v, %v", test.w.Ref, test.w.Purpose, d, err)
		}
	}
	r.must(r.platform.KillOperator()) // the finalizers stay, and the deletion waits
	r.must(r.platform.Client().Delete(ctx, testbed.New("ClusterRequest", r.namespaces[0], "a")))
	d, err := r.api.Requests.Schedule(ctx, r.config, of("a", "workload"))
	if err != nil || d.Reason != clusters.ReasonShared || d.Tenants != 2 {
		t.Errorf("a request that goes comes again: %+v, %v", d, err)
	}
	r.must(r.platform.Client().Delete(ctx, testbed.New("ClusterRequest", r.namespaces[0], "b")))
}

// Of two that hold the name of the new Cluster, the request itself and one before it that lives, the operator throws that one out. When it
// starts anew, it gives that one its finalizer back. The test has it leave the first request alone until then: at its start the operator
// looks at both requests, and either may come first.
func TestScheduleOwnAfterAnother(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		lives bool
		says  string
	}{
		"lives":   {true, "until the operator looks at the request again"},
		"is gone": {false, "The operator overwrites the spec"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newReplay(t)
			a := r.namespaces[0]
			landscape := testbed.Landscape{Scope: "Namespaced", Purposes: map[string]testbed.Purpose{"alpha": {Template: testbed.Template{
				Metadata: testbed.TemplateMetadata{Name: "common"}, Spec: testbed.TemplateSpec{Tenancy: "Shared", Profile: testbed.WorkerProfile},
			}}}}
			r.run(landscape)
			ctx, cancel := r.inTime()
			defer cancel()
			r.request(requests.Wanted{Ref: api.Ref{Namespace: a, Name: "first"}, Purpose: "alpha"})
			operation := func(value string) { // of the first request
				patch := client.RawPatch("application/merge-patch+json",
					fmt.Appendf(nil, `{"metadata":{"annotations":{%q:%s}}}`, api.OperationAnnotation, value))
				r.must(r.platform.Client().Patch(ctx, testbed.New("ClusterRequest", a, "first"), patch))
			}
			operation(`"ignore"`)
			r.must(r.platform.KillOperator())
			w := requests.Wanted{Ref: api.Ref{Namespace: a, Name: "second"}, Purpose: "alpha"}
			made, _, err := r.api.Requests.Operator.Make(ctx, w)
			r.must(err)
			cluster := testbed.New("Cluster", a, "common")
			r.must(r.platform.Client().Get(ctx, client.ObjectKeyFromObject(cluster), cluster))
			cluster.SetFinalizers(append(cluster.GetFinalizers(), "request.clusters.openmcp.cloud/"+string(made.UID)))
			r.must(unstructured.SetNestedStringSlice(cluster.Object, []string{"other"}, "spec", "purposes")) // out of the operator's sight
			r.must(r.platform.Client().Update(ctx, cluster))
			if !test.lives {
				r.forgetNamed(ctx, a, "first")
			}
			before := r.clusters(ctx)
			forecast, err := r.api.Requests.Schedule(ctx, r.config, w)
			r.must(err)
			if forecast.Reason != operator.ReasonTakenOver || forecast.Tenants != 1 || !strings.Contains(fmt.Sprint(forecast.Warnings), test.says) {
				t.Errorf("foretold %+v", forecast)
			}
			r.run(landscape)
			r.compare(ctx, w, made, forecast, before)
			if !test.lives {
				return
			}
			r.must(r.platform.KillOperator())
			operation("null")
			r.run(landscape)
			r.must(local.Poll(ctx, operatorTime, func(context.Context) error {
				if c := r.clusterNow(ctx, api.Ref{Namespace: a, Name: "common"}); c == nil || len(api.Tenants(c)) != 2 {
					return fmt.Errorf("Cluster common, that two requests hold, is %+v", c)
				}
				return nil
			}))
		})
	}
}

// make makes a Cluster by hand.
func (r *replay) make(namespace, name, purpose, tenancy, profile string, finalizers ...string) {
	r.t.Helper()
	ctx, cancel := r.inTime()
	defer cancel()
	cluster := testbed.New("Cluster", namespace, name)
	cluster.SetFinalizers(finalizers)
	cluster.Object["spec"] = map[string]any{"profile": profile, "tenancy": tenancy, "purposes": []any{purpose}}
	r.must(r.platform.Client().Create(ctx, cluster))
}

// expect requests a purpose, and fails where the forecast or the outcome is another than the reason.
func (r *replay) expect(reason clusters.Reason, namespace, name, purpose string, labels map[string]string) {
	r.t.Helper()
	before := r.seen[string(reason)]
	r.request(requests.Wanted{Ref: api.Ref{Namespace: namespace, Name: name}, Purpose: purpose, Labels: labels})
	if r.seen[string(reason)] == before {
		r.t.Errorf("%s/%s was not foretold to be %s", namespace, name, reason)
	}
}

// What chance meets seldom: each of the operator's answers, one by one.
func TestScheduleEachAnswer(t *testing.T) {
	t.Parallel()
	r := newReplay(t)
	a, b, other := r.namespaces[0], r.namespaces[1], r.namespaces[2]
	named := func(tenancy, name string) testbed.Purpose {
		return testbed.Purpose{Template: testbed.Template{
			Metadata: testbed.TemplateMetadata{Name: name}, Spec: testbed.TemplateSpec{Tenancy: tenancy, Profile: testbed.WorkerProfile},
		}}
	}
	generated := named("Exclusive", "")
	generated.Template.Metadata.GenerateName = strings.Repeat("x", 56)
	invalid := named("Shared", "No_Name")
	landscape := testbed.Landscape{Scope: "Namespaced", Strategy: "Simple", Purposes: map[string]testbed.Purpose{
		"alpha": named("Shared", "common"), "beta": named("Shared", "common"), "gamma": named("Shared", ""), "delta": named("Exclusive", ""),
		"long": generated, "invalid": invalid,
	}, Selectors: map[string]testbed.Selector{"requests": {MatchExpressions: []testbed.Expression{{Key: "unseen", Operator: "DoesNotExist"}}}}}
	r.run(landscape)

	r.expect(clusters.ReasonUnknownPurpose, a, "r1", "unheard-of", nil)
	r.expect(operator.ReasonNotSelected, a, "r2", "alpha", map[string]string{"unseen": ""})
	r.expect(operator.ReasonInvalidName, a, "r3", "long", nil)
	r.expect(operator.ReasonInvalidName, a, "r4", "invalid", nil)
	r.expect(operator.ReasonRandomName, a, "r5", "delta", map[string]string{operator.RandomNameLabel: "true"})
	r.expect(clusters.ReasonNew, a, "one", "alpha", map[string]string{operator.RandomNameLabel: "true"}) // no name is derived
	r.expect(clusters.ReasonShared, a, "two", "alpha", nil)
	r.expect(operator.ReasonNameConflict, a, "r6", "beta", nil)
	r.expect(clusters.ReasonNew, b, "three", "beta", nil)

	// Of two that hold the name the operator looks at the first alone: where that is gone, it overlooks the second.
	ctx, cancel := r.inTime()
	defer cancel()
	r.forgetNamed(ctx, a, "one")
	r.expect(operator.ReasonTakenOver, a, "four", "beta", nil)
	if r.seen["uncertain: "+string(operator.ReasonTakenOver)] != 1 {
		t.Errorf("who cannot see all requests is certain all the same: %v", r.seen)
	}

	r.make(other, "gamma", "something-else", "Shared", testbed.WorkerlessProfile)
	r.expect(operator.ReasonProfileConflict, other, "r7", "gamma", nil)
	r.make(b, "gamma", "something-else", "Shared", testbed.WorkerProfile, held)
	r.must(r.platform.Client().Delete(ctx, testbed.New("Cluster", b, "gamma")))
	r.expect(operator.ReasonInDeletion, b, "r8", "gamma", nil)
	r.make(a, "own", "gamma", "Exclusive", testbed.WorkerlessProfile) // given to a shared request all the same
	r.expect(clusters.ReasonShared, a, "five", "gamma", nil)

	// By the order of the keys a-b/x comes before a/x; the scope is Cluster where none is said.
	landscape.Scope, landscape.Strategy = "", "Simple"
	r.run(landscape)
	r.make(a, "x", "alpha", "Shared", testbed.WorkerProfile)
	r.make(b, "x", "alpha", "Shared", testbed.WorkerProfile)
	r.expect(clusters.ReasonShared, other, "six", "alpha", nil)
	landscape.Strategy = "Random"
	r.run(landscape)
	r.expect(operator.ReasonDrawn, other, "seven", "alpha", nil)
}

func (r *replay) forgetNamed(ctx context.Context, namespace, name string) {
	for _, request := range r.granted(ctx) {
		if request.Namespace == namespace && request.Name == name {
			r.vanish(ctx, request)
		}
	}
}
