package builtin_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/builtin"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/history/grants"
	testbed "github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

var errKilled = errors.New("the process was killed")

// dying is a connection that ends at a write: before it is sent, or after it, when it is carried out. Nothing passes after that.
type dying struct {
	next  http.RoundTripper
	last  int64 // the write at which it ends; 0 = none
	after bool
	count atomic.Int64
	dead  atomic.Bool
}

func (d *dying) RoundTrip(r *http.Request) (*http.Response, error) {
	if d.dead.Load() {
		return nil, errKilled
	}
	if r.Method == http.MethodGet {
		return d.next.RoundTrip(r)
	}
	n := d.count.Add(1)
	if n != d.last {
		return d.next.RoundTrip(r)
	}
	d.dead.Store(true)
	if d.after {
		if answer, err := d.next.RoundTrip(r); err == nil {
			_ = answer.Body.Close()
		}
	}
	return nil, errKilled
}

// process is openMCP as one process of the provider sees it, which dies at a write; 0 = at none. It counts the writes that it has sent.
func process(t *testing.T, namespace string, last int64, after bool) (p *openmcp.Platform, writes func() int64) {
	t.Helper()
	config := rest.CopyConfig(testbed.Shared(t).Config())
	transport := &dying{last: last, after: after}
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { transport.next = next; return transport })
	p, err := openmcp.New(config, namespace)
	if err != nil {
		t.Fatal(err)
	}
	return p, transport.count.Load
}

// A run is killed at each of its writes, before or after it. The next run of the same configuration comes to the same end, and nothing is
// left over: one Cluster, which each request holds once, with prefixes that do not collide; and after the destroy none. Each revision on
// the way keeps the invariants of grants.
func TestBuiltin_killedAtEachWrite(t *testing.T) {
	t.Parallel()
	needsPlatform(t)
	run := func(ctx context.Context, p *openmcp.Platform, name string) error {
		_, err := tryGrant(ctx, p, name, asked(own(p.Objects.Namespace)))
		return err
	}
	destroy := func(ctx context.Context, p *openmcp.Platform, name string) error {
		r, err := p.Objects.Requests.Get(ctx, api.Ref{Namespace: p.Objects.Namespace, Name: name})
		var gone *api.GoneError
		if errors.As(err, &gone) {
			return nil
		}
		if err == nil {
			err = p.Requests.Withdraw(ctx, r.Ref(), string(r.UID), quiet)
		}
		return err
	}
	for name, test := range map[string]struct {
		others int // requests that hold the Cluster already
		do     func(context.Context, *openmcp.Platform, string) error
		writes int64
		left   int // requests that hold the Cluster in the end; 0 = there is no Cluster
	}{
		"create alone":        {0, run, 3, 1},
		"create beside one":   {1, run, 3, 2},
		"destroy the last":    {0, destroy, 4, 0},
		"destroy beside one":  {1, destroy, 3, 1},
		"destroy beside many": {3, destroy, 3, 3},
	} {
		for at := int64(1); at <= test.writes; at++ {
			for _, after := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/%d/%t", name, at, after), func(t *testing.T) {
					t.Parallel()
					ns := testbed.Shared(t).NewNamespace(t)
					history := grants.Follow(t, testbed.Shared(t), ns)
					ctx, cancel := context.WithTimeout(t.Context(), operatorTime)
					defer cancel()
					sound, _ := process(t, ns, 0, false)
					for i := range test.others {
						grantedBy(t, sound, fmt.Sprintf("other-%d", i), asked(own(ns)))
					}
					if name[0] == 'd' {
						grantedBy(t, sound, "one", asked(own(ns)))
					}
					killed, writes := process(t, ns, at, after)
					short, end := context.WithCancel(ctx)
					defer end()
					go func() { // a dead process waits for nothing
						for writes() < at && short.Err() == nil {
							time.Sleep(20 * time.Millisecond)
						}
						time.AfterFunc(shortTime, end)
					}()
					if err := test.do(short, killed, "one"); err == nil || writes() < at {
						t.Fatalf("it was to be killed at write %d of %d: %v", at, writes(), err)
					}
					next, _ := process(t, ns, 0, false)
					if err := test.do(ctx, next, "one"); err != nil {
						t.Fatalf("the next run: %v", err)
					}
					holds(t, next, test.left)
					history.MustHold(t)
				})
			}
		}
	}
}

// holds checks that the Clusters of a namespace are one, held by so many requests, or none; that all requests there are granted; and that
// prefixes do not collide.
func holds(t *testing.T, p *openmcp.Platform, want int) {
	t.Helper()
	all, err := p.Objects.Clusters.All(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	all = slices.DeleteFunc(all, func(c *api.Cluster) bool { return c.Namespace != p.Objects.Namespace })
	requests, err := p.Objects.Requests.All(t.Context(), p.Objects.Namespace)
	if err != nil || len(requests) != want {
		t.Errorf("%d requests, %d wanted, %v", len(requests), want, err)
	}
	if want == 0 { // a run that was killed after its last write has not waited for the cluster provider
		awaitNoClusters(t, p)
		return
	}
	if len(all) != 1 {
		t.Fatalf("%d Clusters", len(all))
	}
	grants := api.Grants(all[0])
	if len(grants) != want || len(all[0].Annotations) != want {
		t.Errorf("%d grants, %d wanted, in %d annotations", len(grants), want, len(all[0].Annotations))
	}
	for i, g := range grants {
		if g.Prefix == "" || !slices.ContainsFunc(requests, func(r *api.ClusterRequest) bool {
			return string(r.UID) == g.UID && api.IsGranted(r) && *r.Status.Cluster == all[0].Ref()
		}) {
			t.Errorf("grant %+v", g)
		}
		for _, other := range grants[:i] {
			if adr.PrefixesCollide(g.Prefix, other.Prefix) {
				t.Errorf("prefixes %q and %q", g.Prefix, other.Prefix)
			}
		}
	}
}

// Requests that come at once from several processes share one Cluster: as many finalizers, grants and prefixes, all distinct, none lost.
// Then half of them leave at once, and the others stay; then all leave, and the Cluster goes. Each revision keeps the invariants of grants.
func TestBuiltin_race(t *testing.T) {
	t.Parallel()
	needsPlatform(t)
	for _, many := range []int{20, 200} {
		t.Run(fmt.Sprint(many), func(t *testing.T) {
			t.Parallel()
			ns := testbed.Shared(t).NewNamespace(t)
			history := grants.Follow(t, testbed.Shared(t), ns)
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
			defer cancel()
			const processes = 5
			platforms := make([]*openmcp.Platform, processes)
			for i := range platforms {
				platforms[i], _ = process(t, ns, 0, false)
			}
			requests := make([]*api.ClusterRequest, many)
			each := func(which func(i int) bool, do func(i int, p *openmcp.Platform) error) {
				t.Helper()
				var wg sync.WaitGroup
				for i := range many {
					if which(i) {
						wg.Go(func() {
							if err := do(i, platforms[i%processes]); err != nil {
								t.Errorf("request %d: %v", i, err)
							}
						})
					}
				}
				wg.Wait()
			}
			all := func(int) bool { return true }
			each(all, func(i int, p *openmcp.Platform) (err error) {
				s := asked(own(ns))
				s.Prefix = fmt.Sprintf("tenant-%d", i%10) // each is proposed often, and tenant-1 begins none of the others
				requests[i], err = tryGrant(ctx, p, fmt.Sprintf("r%d", i), s)
				return err
			})
			if t.Failed() {
				return
			}
			holds(t, platforms[0], many)
			leave := func(i int, p *openmcp.Platform) error {
				return p.Requests.Withdraw(ctx, requests[i].Ref(), string(requests[i].UID), quiet)
			}
			each(func(i int) bool { return i%2 == 0 }, leave)
			holds(t, platforms[1], many/2)
			each(func(i int) bool { return i%2 == 1 }, leave)
			holds(t, platforms[2], 0)
			history.MustHold(t)
		})
	}
}

// A prefix is drawn around those that are granted: where these are all letters that one may begin with, but b, it begins with that.
func TestBuiltin_drawsAround(t *testing.T) {
	t.Parallel()
	p, ns := platform(t)
	first := asked(own(ns))
	first.Prefix = "zulu-"
	cluster := *grantedBy(t, p, "first", first).Status.Cluster
	var finalizers, records []string
	for letter := 'c'; letter < 'z'; letter++ {
		uid := fmt.Sprintf("00000000-0000-0000-0000-%012d", letter)
		finalizers = append(finalizers, fmt.Sprintf("{\"op\":\"add\",\"path\":\"/metadata/finalizers/-\",\"value\":\"request.clusters.openmcp.cloud/%s\"}", uid))
		records = append(records, fmt.Sprintf("{\"op\":\"add\",\"path\":\"/metadata/annotations/grant.hap-project.io~1%s\",\"value\":%q}", uid,
			fmt.Sprintf(`{"request":{"namespace":%q,"name":"letter-%c"},"prefix":"%c"}`, ns, letter, letter)))
	}
	patch := client.RawPatch(types.JSONPatchType, []byte("["+strings.Join(append(finalizers, records...), ",")+"]"))
	if err := testbed.Shared(t).Client().Patch(t.Context(), testbed.New("Cluster", cluster.Namespace, cluster.Name), patch); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"second", "third", "fourth"} {
		if _, drawn := clusterOf(t, p, grantedBy(t, p, name, asked(own(ns)))); !strings.HasPrefix(drawn.Prefix, "b") || len(drawn.Prefix) < 2 {
			t.Errorf("%s holds %+v", name, drawn)
		}
	}
}

// late carries a patch of a Cluster out when the run that has sent it is over.
type late struct {
	next   http.RoundTripper
	cancel func()
	once   sync.Once
	done   chan struct{}
}

func (l *late) RoundTrip(r *http.Request) (answer *http.Response, err error) {
	if r.Method != http.MethodPatch || !strings.Contains(r.URL.Path, "/clusters/") {
		return l.next.RoundTrip(r)
	}
	l.once.Do(func() {
		body, _ := r.GetBody()
		again := r.Clone(context.Background())
		again.Body = body
		go func() {
			defer close(l.done)
			time.Sleep(time.Second)
			if answer, err := l.next.RoundTrip(again); err == nil {
				_ = answer.Body.Close()
			}
		}()
		l.cancel()
	})
	return nil, errKilled
}

// A run is interrupted while its grant is on its way, and the server carries the grant out when the run is over: the error says that this
// is not known, so that the request lives on; withdrawn, it would leave a grant that nothing takes off the Cluster. The next run finds it.
func TestBuiltin_grantComesLate(t *testing.T) {
	t.Parallel()
	needsPlatform(t)
	ns := testbed.Shared(t).NewNamespace(t)
	sound, _ := process(t, ns, 0, false)
	one := grantedBy(t, sound, "one", asked(own(ns)))
	if _, err := sound.Requests.AwaitCluster(t.Context(), *one.Status.Cluster, quiet); err != nil { // its provider writes to it no more
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	config, transport := rest.CopyConfig(testbed.Shared(t).Config()), &late{cancel: cancel, done: make(chan struct{})}
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { transport.next = next; return transport })
	p, err := openmcp.New(config, ns)
	if err != nil {
		t.Fatal(err)
	}
	_, err = tryGrant(ctx, p, "two", asked(own(ns)))
	var undecided *builtin.UndecidedError
	if !errors.As(err, &undecided) {
		t.Fatalf("it gets %v", err)
	}
	<-transport.done
	two, err := tryGrant(t.Context(), sound, "two", asked(own(ns)))
	if err != nil || *two.Status.Cluster != *one.Status.Cluster {
		t.Fatalf("the next run gets %v, %v", two.Status.Cluster, err)
	}
	holds(t, sound, 2)
	withdrawn(t, sound, one)
	withdrawn(t, sound, two)
	holds(t, sound, 0)
}

// The built-in scheduler is busy with another request of the run for longer than a request has time: the wait for it ends all the same, and
// says so. Given up, the request is reported as being deleted, and the next run ends that.
func TestBuiltin_busyBeyondTheWait(t *testing.T) {
	t.Parallel()
	p, ns := platform(t)
	made, _, err := p.Requests.Make(t.Context(), builtin.Wanted{Ref: api.Ref{Namespace: ns, Name: "one"}, ADR: asked(own(ns))})
	if err != nil {
		t.Fatal(err)
	}
	done, err := p.Requests.Busy(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		ctx, cancel := context.WithTimeout(t.Context(), shortTime)
		defer cancel()
		var turn *builtin.TurnError
		if _, err := p.Requests.AwaitGranted(ctx, made, quiet); !errors.As(err, &turn) || turn.Leaving {
			t.Errorf("granted: %v", err)
		}
		granted, err := p.Requests.GiveUp(ctx, made)
		var left *api.WaitError
		if granted != nil || !errors.As(err, &left) || !errors.As(err, &turn) || !turn.Leaving {
			t.Errorf("given up: %v, %v", granted, err)
		}
	}()
	select {
	case <-ended:
	case <-time.After(time.Minute):
		t.Error("the wait has no end")
	}
	live, err := p.Objects.Requests.Get(t.Context(), made.Ref())
	if err != nil || !builtin.IsLeaving(live) {
		t.Errorf("it is %+v, %v", live, err)
	}
	done()
	withdrawn(t, p, made)
	holds(t, p, 0)
}
