package clusterrequest_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
)

// A protected request is withdrawn while another one holds its Cluster, and that one leaves it at the same time: the Cluster stays, and the
// request on it.
func TestAccBuiltin_lastMeanwhile(t *testing.T) {
	t.Parallel()
	l := acceptance.NewPlatformLandscape(t)
	var cluster string
	var once sync.Once
	block := atDeletion(t, l, "one", func() { once.Do(func() { leave(t, l, "two", cluster) }) })
	c := cli.New(t)
	c.Write(t, required+block+l.ADRRequest("one", "deletion_protection = true")+l.ADRRequest("two"))
	run(t, c, 0, "Apply complete", "apply", "-auto-approve")
	cluster, uid := clusterOf(t, l)
	c.Write(t, required+block+l.ADRRequest("two"))
	run(t, c, 1, "these have left it meanwhile", "apply", "-auto-approve")
	stays(t, l, cluster, uid)
	run(t, c, 1, "deletion_protection = true", "apply", "-auto-approve")
	stays(t, l, cluster, uid)
	c.Write(t, required+block+l.ADRRequest("one"))
	run(t, c, 0, "Apply complete", "apply", "-auto-approve")
	run(t, c, 0, "Destroy complete", "destroy", "-auto-approve")
	if err := l.NoRequests(nil); err != nil {
		t.Error(err)
	}
}

// atDeletion is the provider block of a connection on which something happens right before the deletion of a request.
func atDeletion(t *testing.T, l acceptance.PlatformLandscape, request string, does func()) string {
	t.Helper()
	return gatewayTo(t, l, "builtin", func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodDelete && strings.HasSuffix(r.URL.Path, "/clusterrequests/"+request) {
			does()
		}
		return false
	})
}

// gatewayTo is the provider block of a connection through a gateway that answers some requests itself.
func gatewayTo(t *testing.T, l acceptance.PlatformLandscape, scheduler string, answers func(http.ResponseWriter, *http.Request) bool) string {
	t.Helper()
	config := rest.CopyConfig(l.Config())
	transport, err := rest.TransportFor(config)
	if err != nil {
		t.Fatal(err)
	}
	target, err := url.Parse(config.Host)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{Transport: transport, FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.Out.Header.Del("Authorization")
	}}
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !answers(w, r) {
			proxy.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() }) // watches last
	return fmt.Sprintf("provider \"hap\" {\n  platform = { host = %q, insecure = true, token = \"any\", namespace = %q, scheduler = %q }\n}\n",
		server.URL, l.Namespace, scheduler)
}

// leave takes a request off its Cluster and ends it, as a run of another state does.
func leave(t *testing.T, l acceptance.PlatformLandscape, request, cluster string) {
	t.Helper()
	r, err := l.Live("ClusterRequest", request)
	c, failed := l.Live("Cluster", cluster)
	if err != nil || failed != nil || r == nil || c == nil {
		t.Errorf("%v, %v, %v, %v", r, c, err, failed)
		return
	}
	base, uid := c.DeepCopy(), string(r.GetUID())
	c.SetFinalizers(slices.DeleteFunc(c.GetFinalizers(), func(f string) bool { return strings.HasSuffix(f, uid) }))
	annotations := c.GetAnnotations()
	delete(annotations, "grant.hap-project.io/"+uid)
	c.SetAnnotations(annotations)
	err = l.Client().Patch(context.Background(), c, client.MergeFrom(base))
	if err == nil {
		err = l.Client().Patch(context.Background(), r, client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`)))
	}
	if err == nil {
		err = l.Client().Delete(context.Background(), r)
	}
	if err != nil {
		t.Error(err)
	}
}
