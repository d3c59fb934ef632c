package testbed_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	securityv1alpha1 "github.com/gardener/gardener/pkg/apis/security/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/utils/ptr"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/expect"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
)

const accountsResource = "credentialsbindings"

var proxiedRole = []byte(`
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: accounts}
rules:
- {apiGroups: [security.gardener.cloud], resources: [credentialsbindings], verbs: ["*"]}
- {apiGroups: [""], resources: [secrets], verbs: ["*"]}
`)

// protocols are those that clients and the proxy may agree on; cut connections look different in each.
var protocols = map[string]fault.ProxyOptions{"HTTP/2": {}, "HTTP/1.1": {HTTP1: true}}

// proxied is a namespace with accounts and a client that reaches it through a proxy.
type proxied struct {
	*fault.Proxy
	ns   *testbed.Namespace
	user *testbed.User
}

func newProxied(t *testing.T, options fault.ProxyOptions, accounts ...string) proxied {
	t.Helper()
	g := testbed.Shared(t)
	ns := g.NewNamespace(t)
	for _, name := range accounts {
		ns.Account(t, testbed.AccountSpec{Name: name, HyperscalerType: "aws"})
	}
	return proxied{Proxy: fault.NewProxy(t, g, options), ns: ns, user: ns.ServiceAccount(t, "user", proxiedRole)}
}

// client speaks an encoding with the accounts, under a name, and never sends anything twice.
func (p proxied) client(t *testing.T, agent, contentType string) *rest.RESTClient {
	t.Helper()
	config := p.user.Config()
	p.Through(config)
	config.UserAgent = agent
	config.APIPath = "/apis"
	config.GroupVersion = &securityv1alpha1.SchemeGroupVersion
	config.ContentType, config.AcceptContentTypes = contentType, contentType
	config.NegotiatedSerializer = serializer.NewCodecFactory(p.ns.Client().Scheme()).WithoutConversion()
	c, err := rest.RESTClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// claim patches an account with a precondition, as the provider does.
func (p proxied) claim(
	ctx context.Context, c *rest.RESTClient, read *securityv1alpha1.CredentialsBinding, tenant string,
) (*securityv1alpha1.CredentialsBinding, error) {
	body := `{"metadata":{"uid":"` + string(read.UID) + `","resourceVersion":"` + read.ResourceVersion +
		`","labels":{"tenantName":"` + tenant + `","dirty":null},"annotations":{"note":"mine"}}}`
	account := &securityv1alpha1.CredentialsBinding{}
	err := c.Patch(types.MergePatchType).Namespace(p.ns.Name).Resource(accountsResource).Name(read.Name).
		Body([]byte(body)).MaxRetries(0).Do(ctx).Into(account)
	return account, err
}

func (p proxied) list(ctx context.Context, c *rest.RESTClient, limit int64, next string) (*securityv1alpha1.CredentialsBindingList, error) {
	list := &securityv1alpha1.CredentialsBindingList{}
	err := c.Get().Namespace(p.ns.Name).Resource(accountsResource).
		VersionedParams(&metav1.ListOptions{Limit: limit, Continue: next}, runtime.NewParameterCodec(p.ns.Client().Scheme())).
		MaxRetries(0).Do(ctx).Into(list)
	return list, err
}

// last is the last request of the log; it must be done with.
func (p proxied) last(t *testing.T) fault.Exchange {
	t.Helper()
	var last fault.Exchange
	err := local.Poll(t.Context(), time.Minute, func(context.Context) error {
		log := p.Log()
		last = log[len(log)-1]
		if last.Ended.IsZero() {
			return context.DeadlineExceeded
		}
		return nil
	})
	if err != nil {
		t.Fatalf("still under way: %+v", last)
	}
	return last
}

func TestProxyLogsWrites(t *testing.T) {
	t.Parallel()
	for protocol, options := range protocols {
		for _, contentType := range []string{runtime.ContentTypeProtobuf, runtime.ContentTypeJSON} {
			t.Run(protocol+" "+contentType, func(t *testing.T) {
				t.Parallel()
				p := newProxied(t, options, "a")
				c := p.client(t, "claimer-1/2.3 (test)", contentType)
				read := p.ns.GetAccount(t, "a")
				written, err := p.claim(t.Context(), c, read, "ga-1")
				if err != nil {
					t.Fatal(err)
				}
				got := p.last(t)
				if got.Ended.Before(got.Began) || got.Began.Before(time.Now().Add(-time.Minute)) {
					t.Errorf("began %s, ended %s", got.Began, got.Ended)
				}
				got.Began, got.Ended = time.Time{}, time.Time{}
				want := fault.Exchange{
					Number: 1, Client: "claimer-1/2.3 (test)", Verb: "patch", Group: "security.gardener.cloud", Resource: accountsResource,
					Namespace: p.ns.Name, Name: "a", UID: string(read.UID), Version: read.ResourceVersion,
					Labels:      map[string]*string{"tenantName": ptr.To("ga-1"), "dirty": nil},
					Annotations: map[string]*string{"note": ptr.To("mine")},
					Code:        200, Sent: 200, Result: p.ns.GetAccount(t, "a").ResourceVersion,
				}
				expect.Equal(t, got, want)
				expect.Equal(t, written.ResourceVersion, want.Result)
				if !got.Committed() {
					t.Error("the write is not committed")
				}

				// The version is used up: the Garden's own refusal.
				_, err = p.claim(t.Context(), c, read, "ga-2")
				expect.Status(t, err, http.StatusConflict, metav1.StatusReasonConflict)
				if got := p.last(t); got.Number != 2 || got.Code != 409 || got.Sent != 409 || got.Result != "" || got.Committed() {
					t.Errorf("%+v", got)
				}

				// An update names all it keeps, in whatever encoding.
				written.Labels = map[string]string{"hyperscalerType": "gcp"}
				written.Annotations = nil
				updated := &securityv1alpha1.CredentialsBinding{}
				err = c.Put().Namespace(p.ns.Name).Resource(accountsResource).Name("a").Body(written).Do(t.Context()).Into(updated)
				if err != nil {
					t.Fatal(err)
				}
				got = p.last(t)
				expect.Equal(t, []any{got.Verb, got.UID, got.Version, got.Labels, len(got.Annotations), got.Result},
					[]any{"update", string(read.UID), want.Result, map[string]*string{"hyperscalerType": ptr.To("gcp")}, 0, updated.ResourceVersion})
			})
		}
	}
}

func TestProxyLogsReads(t *testing.T) {
	t.Parallel()
	p := newProxied(t, fault.ProxyOptions{}, "a", "b", "c")
	c := p.client(t, "reader", runtime.ContentTypeProtobuf)
	first, err := p.list(t.Context(), c, 2, "")
	if err != nil {
		t.Fatal(err)
	}
	rest, err := p.list(t.Context(), c, 2, first.Continue)
	if err != nil || len(first.Items) != 2 || len(rest.Items) != 1 {
		t.Fatalf("%d and %d accounts, %v", len(first.Items), len(rest.Items), err)
	}
	// Other kinds of paths, and an answer that is no success.
	_ = c.Get().Namespace(p.ns.Name).Resource(accountsResource).Name("missing").Do(t.Context()).Error()
	_ = c.Get().AbsPath("/api/v1/namespaces", p.ns.Name, "secrets/a").Do(t.Context()).Error()
	_ = c.Get().AbsPath("/version").SetHeader("Accept", "application/json").Do(t.Context()).Error()
	_ = c.Get().AbsPath("/apis/core.gardener.cloud/v1beta1/cloudprofiles").Do(t.Context()).Error()
	var got [][]any
	for _, x := range p.Log() {
		got = append(got, []any{x.Verb, x.Group, x.Resource, x.Namespace, x.Name, x.Code, x.Sent})
	}
	ns, security := p.ns.Name, "security.gardener.cloud"
	expect.Equal(t, got, [][]any{
		{"list", security, accountsResource, ns, "", 200, 200},
		{"page", security, accountsResource, ns, "", 200, 200},
		{"get", security, accountsResource, ns, "missing", 404, 404},
		{"get", "", "secrets", ns, "a", 200, 200},
		{"get", "", "", "", "", 200, 200},
		{"list", "core.gardener.cloud", "cloudprofiles", "", "", 403, 403},
	})
	expect.Equal(t, []int{p.Count("", ""), p.Count("list", accountsResource), p.Count("get", ""), p.Count("", accountsResource), p.Count("patch", "")},
		[]int{6, 1, 3, 3, 0})
}

// A watch brings each event when it happens, and does not keep the proxy from closing.
func TestProxyStreamsWatches(t *testing.T) {
	t.Parallel()
	for protocol, options := range protocols {
		t.Run(protocol, func(t *testing.T) {
			t.Parallel()
			p := newProxied(t, options, "a")
			c := p.client(t, "watcher", runtime.ContentTypeJSON)
			watch, err := c.Get().Namespace(p.ns.Name).Resource(accountsResource).Param("watch", "true").
				Param("resourceVersion", p.ns.Version(t)).Watch(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer watch.Stop()
			for _, tenant := range []string{"ga-1", "ga-2"} {
				p.ns.PatchLabels(t, "a", map[string]*string{"tenantName": &tenant})
				select {
				case event := <-watch.ResultChan():
					if account, ok := event.Object.(*securityv1alpha1.CredentialsBinding); !ok || account.Labels["tenantName"] != tenant {
						t.Errorf("%s %+v", event.Type, event.Object)
					}
				case <-time.After(time.Minute):
					t.Fatal("no event came")
				}
			}
			expect.Equal(t, p.Count("watch", accountsResource), 1)
			closes(t, p.Proxy)
			if left := p.Log()[0]; left.Ended.IsZero() || left.Sent != 200 {
				t.Errorf("%+v", left)
			}
		})
	}
}

// closes wants a proxy to end with all that it holds.
func closes(t *testing.T, p *fault.Proxy) {
	t.Helper()
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		p.Close()
	}()
	select {
	case <-closed:
	case <-time.After(time.Minute):
		t.Fatal("the proxy does not close")
	}
}

// What goes over the wire: the protocol asked for, and a wait where clients look for it.
func TestProxySpeaksTheProtocol(t *testing.T) {
	t.Parallel()
	for protocol, options := range protocols {
		t.Run(protocol, func(t *testing.T) {
			t.Parallel()
			p := newProxied(t, options)
			p.Spoil(fault.Rule{Nth: 2, Fault: fault.TooManyRequests(1500 * time.Millisecond)})
			config := p.user.Config()
			p.Through(config)
			c, err := rest.HTTPClientFor(config)
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range [][]any{{200, ""}, {429, "2"}} {
				response, err := c.Get(config.Host + "/version")
				if err != nil {
					t.Fatal(err)
				}
				_ = response.Body.Close()
				expect.Equal(t, []any{response.StatusCode, response.Header.Get("Retry-After")}, want)
				if got := strings.TrimSuffix(response.Proto, ".0"); got != protocol {
					t.Errorf("spoke %s", got)
				}
			}
		})
	}
}

func TestProxyKubeconfig(t *testing.T) {
	t.Parallel()
	p := newProxied(t, fault.ProxyOptions{}, "a")
	config, err := clientcmd.BuildConfigFromFlags("", p.Kubeconfig(t, p.user))
	if err != nil {
		t.Fatal(err)
	}
	config.UserAgent = "by-file"
	byFile, err := testbed.OpenNamespace(config, p.ns.Name)
	if err != nil {
		t.Fatal(err)
	}
	byFile.GetAccount(t, "a")
	if got := p.last(t); got.Client != "by-file" || got.Verb != "get" || got.Name != "a" {
		t.Errorf("%+v", got)
	}
}

// teapot is an answer that the Garden never gives.
var teapot = fault.Answer(http.StatusTeapot, `{"kind":"Status","apiVersion":"v1","status":"Failure","code":418}`)

func TestProxyRules(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		rules []fault.Rule
		want  []int // the codes of six reads of the account a
	}{
		"every":            {[]fault.Rule{{Fault: teapot}}, []int{418, 418, 418, 418, 418, 418}},
		"the second":       {[]fault.Rule{{Nth: 2, Fault: teapot}}, []int{200, 418, 200, 200, 200, 200}},
		"from the fourth":  {[]fault.Rule{{From: 4, Fault: teapot}}, []int{200, 200, 200, 418, 418, 418}},
		"this client":      {[]fault.Rule{{Client: "read", Fault: teapot}}, []int{418, 418, 418, 418, 418, 418}},
		"another client":   {[]fault.Rule{{Client: "eader", Fault: teapot}}, []int{200, 200, 200, 200, 200, 200}},
		"another verb":     {[]fault.Rule{{Verb: "list", Fault: teapot}}, []int{200, 200, 200, 200, 200, 200}},
		"another resource": {[]fault.Rule{{Resource: "shoots", Fault: teapot}}, []int{200, 200, 200, 200, 200, 200}},
		"another name":     {[]fault.Rule{{Name: "b", Fault: teapot}}, []int{200, 200, 200, 200, 200, 200}},
		"what a function says": {
			[]fault.Rule{{When: func(x fault.Exchange) bool { return x.Number%2 == 0 }, Fault: teapot}}, []int{200, 418, 200, 418, 200, 418},
		},
		"a fault for other verbs": {[]fault.Rule{{Fault: fault.ExpireToken()}}, []int{200, 200, 200, 200, 200, 200}},
		"the first rule decides, all count": {
			[]fault.Rule{{From: 2, Nth: 2}, {From: 2, Fault: fault.InternalError()}, {Fault: teapot}}, []int{418, 200, 500, 500, 500, 500},
		},
		"never by chance": {[]fault.Rule{{Chance: 1e-12, Fault: teapot}}, []int{200, 200, 200, 200, 200, 200}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProxied(t, fault.ProxyOptions{}, "a")
			c := p.client(t, "reader", runtime.ContentTypeJSON)
			lifts := make([]func(), len(test.rules))
			for i, rule := range test.rules {
				lifts[i] = p.Spoil(rule)
			}
			expect.Equal(t, p.reads(t, c, 6), test.want)
			for _, lift := range lifts {
				lift()
			}
			expect.Equal(t, p.reads(t, c, 1), []int{200})
		})
	}
}

// reads reads an account several times and returns the codes.
func (p proxied) reads(t *testing.T, c *rest.RESTClient, times int) []int {
	t.Helper()
	codes := make([]int, times)
	for i := range codes {
		c.Get().Namespace(p.ns.Name).Resource(accountsResource).Name("a").MaxRetries(0).Do(t.Context()).StatusCode(&codes[i])
	}
	return codes
}

// The same random seed spoils the same requests, and about as many as the chance says.
func TestProxyChanceIsRepeatable(t *testing.T) {
	t.Parallel()
	spoilt := func(seed uint64) []int {
		p := newProxied(t, fault.ProxyOptions{Seed: seed}, "a")
		p.Spoil(fault.Rule{Chance: 0.3, Fault: teapot})
		return p.reads(t, p.client(t, "reader", runtime.ContentTypeJSON), 100)
	}
	one, again, other := spoilt(1), spoilt(1), spoilt(2)
	expect.Equal(t, again, one)
	if slices.Equal(one, other) {
		t.Error("two random seeds spoil the same requests")
	}
	n := 0
	for _, code := range one {
		if code == http.StatusTeapot {
			n++
		}
	}
	if n < 10 || n > 50 {
		t.Errorf("%d of 100 spoilt", n)
	}
}
