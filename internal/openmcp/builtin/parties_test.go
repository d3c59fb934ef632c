package builtin_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"

	"github.com/hap-project/terraform-provider-hap/internal/clusters"
	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/builtin"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/edit"
	testbed "github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

// before does something once, right before the first write to a Cluster is sent.
type before struct {
	next http.RoundTripper
	do   func()
	once sync.Once
}

func (b *before) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodGet && strings.Contains(r.URL.Path+"/", "/clusters/") {
		b.once.Do(b.do)
	}
	return b.next.RoundTrip(r)
}

// Another process withdraws a request at the same moment in which it is granted: the grant leaves with it, whether it made a Cluster or
// joined one.
func TestBuiltin_withdrawnAtTheGrant(t *testing.T) {
	t.Parallel()
	for name, others := range map[string]int{"a new Cluster": 0, "beside another": 1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sound, ns := platform(t)
			for range others {
				grantedBy(t, sound, "other", asked(own(ns)))
			}
			config := rest.CopyConfig(testbed.Shared(t).Config())
			config.Wrap(func(next http.RoundTripper) http.RoundTripper {
				return &before{next: next, do: func() {
					live, err := sound.Objects.Requests.Get(context.Background(), api.Ref{Namespace: ns, Name: "one"})
					if err != nil {
						t.Error(err)
						return
					}
					withdrawn(t, sound, live)
				}}
			})
			p, err := openmcp.New(config, ns)
			if err != nil {
				t.Fatal(err)
			}
			_, err = tryGrant(t.Context(), p, "one", asked(own(ns)))
			var gone *api.GoneError
			if !errors.As(err, &gone) || gone.Kind != "ClusterRequest" {
				t.Errorf("it gets %v", err)
			}
			if others > 0 {
				holds(t, sound, others)
				return
			}
			awaitNoClusters(t, sound)
		})
	}
}

// awaitNoClusters waits until the cluster provider has let all Clusters of the namespace go.
func awaitNoClusters(t *testing.T, p *openmcp.Platform) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), operatorTime)
	defer cancel()
	for names := clusterNames(t, p); len(names) > 0; names = clusterNames(t, p) {
		if ctx.Err() != nil {
			t.Fatalf("Clusters %q stay", names)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// A request that was deleted by hand, or by a run that was cut short, hangs in its deletion: the next apply of its state ends that, and
// makes it anew.
func TestBuiltin_deletedByHand(t *testing.T) {
	t.Parallel()
	p, ns := platform(t)
	r := grantedBy(t, p, "one", asked(own(ns)))
	if err := testbed.Shared(t).Client().Delete(t.Context(), testbed.New("ClusterRequest", ns, "one")); err != nil {
		t.Fatal(err)
	}
	withdrawn(t, p, r)
	anew := grantedBy(t, p, "one", asked(own(ns)))
	if anew.UID == r.UID {
		t.Errorf("it is the same: %s", r.UID)
	}
	holds(t, p, 1)
}

// A preview says what the apply does where only the meaning of a purpose has changed: the request keeps its grant.
func TestPreviewADR_otherDefinitions(t *testing.T) {
	t.Parallel()
	p, ns := platform(t)
	r := grantedBy(t, p, "one", asked(own(ns)))
	other := asked(own(ns))
	other.Definitions[own(ns)] = adr.Purpose{Dedicated: true}
	d, err := p.Requests.PreviewADR(t.Context(), builtin.Wanted{Ref: r.Ref(), ADR: other})
	if err != nil || d.Reason != clusters.ReasonGranted {
		t.Errorf("%s %s, %v", d.Action, d.Reason, err)
	}
	other.Purposes = append(other.Purposes, "more")
	other.Definitions["more"] = adr.Purpose{}
	if d, err = p.Requests.PreviewADR(t.Context(), builtin.Wanted{Ref: r.Ref(), ADR: other}); err != nil || d.Reason != clusters.ReasonNew {
		t.Errorf("another request: %s %s, %v", d.Action, d.Reason, err)
	}
}

// Another party takes the finalizer of a request off its dedicated Cluster: the next apply gives it that very Cluster again, and a destroy
// takes the Cluster down.
func TestBuiltin_finalizerTakenOff(t *testing.T) {
	t.Parallel()
	p, ns := platform(t)
	s := asked(own(ns))
	s.Definitions[own(ns)] = adr.Purpose{Dedicated: true}
	r := grantedBy(t, p, "one", s)
	c, _ := clusterOf(t, p, r)
	takeOff(t, c)
	preview, err := p.Requests.PreviewADR(t.Context(), builtin.Wanted{Ref: r.Ref(), ADR: s})
	if err != nil || preview.Action != clusters.Reuse || api.Ref(preview.Cluster) != c.Ref() || preview.Profile != c.Spec.Profile {
		t.Errorf("the preview says %s %s %v of %s, %v", preview.Action, preview.Reason, preview.Cluster, preview.Profile, err)
	}
	again, err := p.Requests.AwaitGranted(t.Context(), r, quiet)
	if err != nil {
		t.Fatal(err)
	}
	if same, held := clusterOf(t, p, again); same.UID != c.UID || !held.Recorded {
		t.Errorf("%s in place of %s, %+v", same.UID, c.UID, held)
	}
	takeOff(t, c)
	withdrawn(t, p, r)
	awaitNoClusters(t, p)
}

// takeOff takes the finalizers of requests off a Cluster; none = of all.
func takeOff(t *testing.T, c *api.Cluster, of ...*api.ClusterRequest) {
	t.Helper()
	goes := func(finalizer string) bool {
		return strings.HasPrefix(finalizer, "request.") && (len(of) == 0 ||
			slices.ContainsFunc(of, func(r *api.ClusterRequest) bool { return strings.HasSuffix(finalizer, "/"+string(r.UID)) }))
	}
	edit.Object(t, testbed.Shared(t).Client(), testbed.New("Cluster", c.Namespace, c.Name), func(object *unstructured.Unstructured) {
		object.SetFinalizers(slices.DeleteFunc(object.GetFinalizers(), goes)) // its provider writes to it too
	})
}

// A denial that was handed over is no denial any more once the operator has granted the request.
func TestHandOver_denied(t *testing.T) {
	t.Parallel()
	p, ns := platform(t)
	s := asked("mcp")
	s.Traits = []adr.Trait{{Name: "infrastructure/vendor/moon"}}
	_, err := tryGrant(t.Context(), p, "one", s)
	var denied *builtin.DeniedError
	if !errors.As(err, &denied) {
		t.Fatal(err)
	}
	live, err := p.Objects.Requests.Get(t.Context(), api.Ref{Namespace: ns, Name: "one"})
	if err != nil {
		t.Fatal(err)
	}
	p.Requests.Patience = operatorTime
	ctx, cancel := context.WithTimeout(t.Context(), operatorTime)
	defer cancel()
	over, err := p.Requests.HandOver(ctx, live)
	if err == nil {
		over, err = p.Requests.AwaitGranted(ctx, over, quiet)
	}
	if err != nil || over.Status.Phase != api.Granted {
		t.Fatalf("%v, %+v", err, over.Status)
	}
	for _, c := range over.Status.Conditions {
		if c.Status == metav1.ConditionFalse {
			t.Errorf("granted, with %+v", c)
		}
	}
}
