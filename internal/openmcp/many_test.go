package openmcp_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/builtin"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/requests"
	testbed "github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

// slowScheduler picks up one request of a namespace after the other, and grants it. The operator leaves these requests alone.
func slowScheduler(ctx context.Context, t *testing.T, admin client.Client, namespace string, pause time.Duration, most int) {
	t.Helper()
	for done := 0; done < most; {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(testbed.New("ClusterRequestList", "", "").GroupVersionKind())
		if err := admin.List(ctx, list, client.InNamespace(namespace)); err != nil {
			return // the test is over
		}
		for i := range list.Items {
			request := &list.Items[i]
			if len(request.GetFinalizers()) > 0 || done == most {
				continue
			}
			time.Sleep(pause)
			if err := grant(ctx, admin, request); err != nil {
				return
			}
			done++
		}
		time.Sleep(pause)
	}
}

// grant grants a request as a scheduler does, with a Cluster that is none.
func grant(ctx context.Context, admin client.Client, request *unstructured.Unstructured) error {
	request.SetFinalizers([]string{"clusters.openmcp.cloud/request"})
	if err := admin.Update(ctx, request); err != nil {
		return err
	}
	request.Object["status"] = map[string]any{
		"phase": "Granted", "observedGeneration": int64(1), "cluster": map[string]any{"namespace": request.GetNamespace(), "name": "played"},
	}
	return admin.Status().Update(ctx, request)
}

// A scheduler that works, and has very many requests before this one, is not absent; one that does nothing any more is.
func TestAwaitGranted_slowScheduler(t *testing.T) {
	t.Parallel()
	p, ns := platform(t)
	const many, picked = 100, 98
	p.Requests.Patience = 10 * time.Second // a busy machine does not grant for some time; all grants take far longer
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	go slowScheduler(ctx, t, testbed.Shared(t).Client(), ns, 200*time.Millisecond, picked)
	var wg sync.WaitGroup
	errs := make([]error, many)
	for i := range many {
		wg.Go(func() {
			made, _, err := p.Requests.Make(ctx, builtin.Wanted{
				Ref: api.Ref{Namespace: ns, Name: fmt.Sprintf("r%03d", i)}, Purpose: "mcp",
				Annotations: map[string]string{api.OperationAnnotation: api.OperationIgnore},
			})
			if err == nil {
				_, err = p.Requests.AwaitGranted(ctx, made, quiet)
			}
			errs[i] = err
		})
	}
	wg.Wait()
	absent := 0
	for _, err := range errs {
		if errors.As(err, new(*requests.NoSchedulerError)) {
			absent++
		} else if err != nil {
			t.Error(err)
		}
	}
	if absent != many-picked {
		t.Errorf("%d requests were not picked up, and the scheduler left %d", absent, many-picked)
	}
}

// A scheduler that grants the requests of other namespaces is busy, not absent; one that grants none any more is.
func TestAwaitGranted_busyElsewhere(t *testing.T) {
	t.Parallel()
	p, ns := platform(t)
	shared := testbed.Shared(t)
	p.Requests.Patience = 12 * time.Second
	elsewhere := testbed.New("Cluster", shared.NewNamespace(t), "busy")
	elsewhere.Object["spec"] = map[string]any{"profile": testbed.WorkerlessProfile, "tenancy": "Shared", "purposes": []any{"busy"}}
	elsewhere.SetFinalizers([]string{"request.clusters.openmcp.cloud/first"})
	if err := shared.Client().Create(t.Context(), elsewhere); err != nil {
		t.Fatal(err)
	}
	made, _, err := p.Requests.Make(t.Context(), builtin.Wanted{Ref: api.Ref{Namespace: ns, Name: "late"}, Purpose: "mcp",
		Annotations: map[string]string{api.OperationAnnotation: api.OperationIgnore}})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		ctx, cancel := context.WithTimeout(t.Context(), 2*operatorTime)
		defer cancel()
		_, err := p.Requests.AwaitGranted(ctx, made, quiet)
		ended <- err
	}()
	// One in far less than the patience, for a busy machine shows it late; all in more.
	for granted := range 9 {
		select {
		case err := <-ended:
			t.Fatalf("given up after %d grants: %v", granted, err)
		case <-time.After(2 * time.Second):
		}
		tenant := fmt.Sprintf(`[{"op":"add","path":"/metadata/finalizers/-","value":"request.clusters.openmcp.cloud/%d"}]`, granted)
		if err := shared.Client().Patch(t.Context(), elsewhere, client.RawPatch(types.JSONPatchType, []byte(tenant))); err != nil {
			t.Fatal(err)
		}
	}
	if err := <-ended; !errors.As(err, new(*requests.NoSchedulerError)) {
		t.Errorf("it ended with %v", err)
	}
}

// Without the right to list Clusters a scheduler that is busy elsewhere cannot be distinguished from an absent one. The error says so, and
// the server is not asked in each second, nor once for each request that waits.
func TestAwaitGranted_withoutTheRightToLook(t *testing.T) {
	t.Parallel()
	needsPlatform(t)
	shared := testbed.Shared(t)
	ns := shared.NewNamespace(t)
	user := shared.ServiceAccount(t, ns, "narrow", []byte(`
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: requests
rules:
  - apiGroups: [clusters.openmcp.cloud]
    resources: [clusterrequests]
    verbs: [get, list, watch, create, patch, delete]
`))
	config := rest.CopyConfig(user.Config)
	var looks atomic.Int32
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return roundTrip(func(r *http.Request) (*http.Response, error) {
			if strings.HasSuffix(r.URL.Path, "/clusters") {
				looks.Add(1)
			}
			return next.RoundTrip(r)
		})
	})
	p, err := openmcp.New(config, ns)
	if err != nil {
		t.Fatal(err)
	}
	const waiting, patience = 3, 6 * time.Second
	p.Requests.Patience = patience
	begun := time.Now()
	var wg sync.WaitGroup
	for i := range waiting {
		wg.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), operatorTime)
			defer cancel()
			made, _, err := p.Requests.Make(ctx, builtin.Wanted{
				Ref: api.Ref{Namespace: ns, Name: fmt.Sprintf("r%d", i)}, Purpose: "mcp",
				Annotations: map[string]string{api.OperationAnnotation: api.OperationIgnore},
			})
			if err == nil {
				_, err = p.Requests.AwaitGranted(ctx, made, quiet)
			}
			var absent *requests.NoSchedulerError
			if !errors.As(err, &absent) || absent.Blind == nil {
				t.Errorf("it ended with %v", err)
			}
		})
	}
	wg.Wait()
	took := time.Since(begun)                                                   // the requests do not begin to wait at the same time
	if n, most := looks.Load(), 2+int32(took/(patience/3)); n < 1 || n > most { // one in each third of the patience
		t.Errorf("the Clusters were asked for %d times in %s, want at most %d", n, took, most)
	}
}
