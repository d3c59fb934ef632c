package openmcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/access"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/builtin"
	gardens "github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/expect"
	testbed "github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

// accesses is a namespace with a Cluster, and its user with exactly the documented rights.
type accesses struct {
	*openmcp.Platform
	namespace string
	cluster   api.Ref // of the request "one"
	admin     client.Client
}

func newAccesses(t *testing.T) accesses {
	t.Helper()
	needsPlatform(t)
	cluster := testbed.Shared(t)
	a := accesses{namespace: cluster.NewNamespace(t), admin: cluster.Client()}
	user := cluster.ServiceAccount(t, a.namespace, "hap", gardens.RoleExample(t, "platform.yaml"))
	var err error
	if a.Platform, err = openmcp.New(user.Config, a.namespace); err != nil {
		t.Fatal(err)
	}
	ctx := within(t, time.Minute)
	request, _, err := a.Requests.Make(ctx, builtin.Wanted{Ref: a.named("one"), Purpose: "mcp"})
	if err == nil {
		request, err = a.Requests.AwaitGranted(ctx, request, func(string) {})
	}
	if err == nil {
		a.cluster = *request.Status.Cluster
		_, err = a.Requests.AwaitCluster(ctx, a.cluster, func(string) {})
	}
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func within(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

func (a accesses) named(name string) api.Ref {
	return api.Ref{Namespace: a.namespace, Name: name}
}

// reading is an access that may do something with namespaces.
func (a accesses) reading(name string, verbs ...string) access.Wanted {
	token := map[string]any{"permissions": []any{map[string]any{
		"rules": []any{map[string]any{"apiGroups": []string{""}, "resources": []string{"namespaces"}, "verbs": verbs}},
	}}}
	text, _ := json.Marshal(token)
	return access.Wanted{Ref: a.named(name), ClusterRef: &a.cluster, Token: text}
}

// granted makes an access and waits until it is granted.
func (a accesses) granted(t *testing.T, w access.Wanted) *api.AccessRequest {
	t.Helper()
	ctx := within(t, operatorTime)
	made, found, err := a.Access.Make(ctx, w)
	if err == nil {
		made, err = a.Access.Await(ctx, made, func(string) {})
	}
	if err != nil || found {
		t.Fatalf("access %s: %v, found %t", w.Name, err, found)
	}
	return made
}

// enters lists the namespaces, and reads the Secrets of one, by access.
func enters(t *testing.T, credentials access.Credentials) (list, secrets error) {
	t.Helper()
	config, err := clientcmd.RESTConfigFromKubeConfig(credentials.Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	if config.Host != credentials.Host || config.BearerToken != credentials.Token || string(config.CAData) != string(credentials.ServerAuthority) {
		t.Errorf("the kubeconfig leads to %s, and the access to %s", config.Host, credentials.Host)
	}
	inside, err := client.New(config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return inside.List(t.Context(), &corev1.NamespaceList{}), inside.List(t.Context(), &corev1.SecretList{}, client.InNamespace("default"))
}

// Access allows what was asked for, and no more; a change of it counts from the moment in which it is granted anew.
func TestAccessIsExactlyWhatWasAskedFor(t *testing.T) {
	t.Parallel()
	a := newAccesses(t)
	w := a.reading("reader", "list")
	made := a.granted(t, w)
	credentials, err := a.Access.Read(t.Context(), made)
	if err != nil || time.Until(credentials.ExpiresAt) < time.Minute {
		t.Fatalf("access until %v, %v", credentials.ExpiresAt, err)
	}
	if list, secrets := enters(t, credentials); list != nil || !apierrors.IsForbidden(secrets) {
		t.Errorf("namespaces: %v, secrets: %v", list, secrets)
	}

	before := w
	w.Labels = map[string]string{"team": "a"}
	w.Token = []byte(strings.Replace(string(w.Token), "namespaces", "nodes", 1))
	changed, err := a.Access.Change(t.Context(), made, w, before)
	if err != nil || changed.Generation != made.Generation+1 || access.IsGranted(changed) {
		t.Fatalf("generation %d after %d: %v", changed.Generation, made.Generation, err)
	}
	if made, err = a.Access.Await(within(t, operatorTime), changed, func(string) {}); err != nil || made.Labels["team"] != "a" {
		t.Fatalf("labels %v, %v", made.Labels, err)
	}
	if credentials, err = a.Access.Read(t.Context(), made); err != nil {
		t.Fatal(err)
	}
	if list, _ := enters(t, credentials); !apierrors.IsForbidden(list) {
		t.Errorf("namespaces: %v", list)
	}
	before, w.Labels = w, nil
	if made, err = a.Access.Change(t.Context(), made, w, before); err != nil || made.Labels["team"] != "" {
		t.Errorf("labels %v, %v", made.Labels, err)
	}
	if err := a.Access.Withdraw(within(t, operatorTime), w.Ref, string(made.UID), func(string) {}); err != nil {
		t.Error(err)
	}
	if _, err := a.Objects.Accesses.Get(t.Context(), w.Ref); !errors.As(err, new(*api.GoneError)) {
		t.Errorf("it is not gone: %v", err)
	}
	if err := a.Access.Withdraw(t.Context(), w.Ref, string(made.UID), func(string) {}); err != nil {
		t.Errorf("once more: %v", err)
	}
}

// A change between OIDC and token leaves nothing of the other, nor of a list that is wanted no more.
func TestChangeAccess_leavesNothingBehind(t *testing.T) {
	t.Parallel()
	a := newAccesses(t)
	w := a.reading("both", "list")
	w.Token = []byte(strings.Replace(string(w.Token), "{", `{"roleRefs":[{"kind":"ClusterRole","name":"view"}],`, 1))
	made := a.granted(t, w)
	for _, step := range []struct{ token, oidc, want string }{
		{token: `{"roleRefs":[{"kind":"ClusterRole","name":"edit"}]}`, want: `{"roleRefs":[{"kind":"ClusterRole","name":"edit"}]}null`},
		{oidc: `{"name":"corp","issuer":"https://id.example.com","clientID":"x","roleBindings":[],"groupsPrefix":""}`,
			want: `null{"clientID":"x","groupsClaim":"groups","groupsPrefix":"","issuer":"https://id.example.com","name":"corp","roleBindings":[],` +
				`"usernameClaim":"sub"}`},
		{oidc: `{"name":"corp","issuer":"https://id.example.com","clientID":"y","roleBindings":[]}`,
			want: `null{"clientID":"y","groupsClaim":"groups","issuer":"https://id.example.com","name":"corp","roleBindings":[],"usernameClaim":"sub"}`},
	} {
		before := w
		w.Token, w.OIDC = raw(step.token), raw(step.oidc)
		changed, err := a.Access.Change(t.Context(), made, w, before)
		if err == nil {
			made, err = a.Access.Await(within(t, operatorTime), changed, func(string) {})
		}
		if err != nil {
			t.Fatal(err)
		}
		token, _ := json.Marshal(made.Spec.Token)
		oidc, _ := json.Marshal(made.Spec.OIDC)
		if got := string(token) + string(oidc); got != step.want {
			t.Errorf("it is\n%s, and not\n%s", got, step.want)
		}
	}
	credentials, err := a.Access.Read(t.Context(), made)
	if err != nil || credentials.Token != "" || credentials.Host == "" || !credentials.ExpiresAt.IsZero() {
		t.Errorf("access by OIDC: %d bytes of a token, until %v, %v", len(credentials.Token), credentials.ExpiresAt, err)
	}
}

func raw(text string) json.RawMessage {
	if text == "" {
		return nil
	}
	return json.RawMessage(text)
}

// A request that is edited while it waits is granted as it was written last: not by an answer to what it said before.
func TestAwaitAccess_editedWhileWaiting(t *testing.T) {
	t.Parallel()
	a := newAccesses(t)
	w := a.reading("edited", "list")
	made := a.granted(t, w)
	provider := testbed.SharedProvider()
	provider.GrantNothing(a.namespace, true)
	t.Cleanup(func() { provider.GrantNothing(a.namespace, false) })
	changed, err := a.Access.Change(t.Context(), made, a.reading("edited", "get"), w)
	if err != nil {
		t.Fatal(err)
	}
	last, err := a.Access.Await(within(t, shortTime), changed, func(string) {})
	expect.Error(t, err, "AccessRequest "+w.String()+" is not granted, it is Pending", "handed to cluster provider gardener, which has not answered")
	if last.Status.SecretRef == nil {
		t.Error("the Secret is not named any more: the test tests nothing")
	}
	ended := make(chan error, 1)
	go func() {
		last, err := a.Access.Await(within(t, operatorTime), changed, func(string) {})
		if err == nil && last.Generation != changed.Generation+1 {
			err = fmt.Errorf("granted at generation %d, and the last is %d", last.Generation, changed.Generation+1)
		}
		ended <- err
	}()
	if _, err := a.Access.Change(t.Context(), changed, a.reading("edited", "watch"), w); err != nil {
		t.Fatal(err)
	}
	provider.GrantNothing(a.namespace, false)
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// What a watch has seen of before the last change does not answer for it.
func TestAwaitAccess_withAnOlderWatch(t *testing.T) {
	t.Parallel()
	a := newAccesses(t)
	w := a.reading("one", "list")
	made := a.granted(t, w)
	changed := *made
	changed.Generation++ // as the answer to a change says, of which the watch does not know yet
	_, err := a.Access.Await(within(t, shortTime), &changed, func(string) {})
	expect.Error(t, err, "is not granted")
	if _, err := a.Access.Change(t.Context(), made, a.reading("one", "get"), w); err != nil {
		t.Fatal(err)
	}
	last, err := a.Access.Await(within(t, operatorTime), &changed, func(string) {})
	if err != nil || last.Generation != changed.Generation {
		t.Errorf("granted at generation %d, %v", last.Generation, err)
	}
}

// Access through a request is that to its Cluster.
func TestAccessThroughARequest(t *testing.T) {
	t.Parallel()
	a := newAccesses(t)
	w, one := a.reading("through", "list"), a.named("one")
	w.ClusterRef, w.RequestRef = nil, &one
	made := a.granted(t, w)
	if made.Spec.ClusterRef == nil || *made.Spec.ClusterRef != a.cluster || *made.Spec.RequestRef != one {
		t.Errorf("it refers to %v and %v", made.Spec.ClusterRef, made.Spec.RequestRef)
	}
}

// The error says what keeps access from being granted, as far as it can be seen.
func TestAwaitAccess_explains(t *testing.T) {
	t.Parallel()
	a := newAccesses(t)
	absent, one := a.named("absent"), a.named("one")
	stray := testbed.New("Cluster", a.namespace, "stray")
	stray.Object["spec"] = map[string]any{"profile": "test.gardener.nowhere", "tenancy": "Shared", "purposes": []any{"x"}}
	if err := a.admin.Create(t.Context(), stray); err != nil {
		t.Fatal(err)
	}
	waiting, _, err := a.Requests.Make(t.Context(), builtin.Wanted{Ref: a.named("waiting"), Purpose: "nonsense"})
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		cluster, request *api.Ref
		annotations      map[string]string
		words            []string
	}{
		"no-cluster":  {cluster: &absent, words: []string{"there is no Cluster " + absent.String()}},
		"no-request":  {request: &absent, words: []string{"there is no ClusterRequest " + absent.String()}},
		"not-granted": {request: ptr(waiting.Ref()), words: []string{"ClusterRequest " + waiting.Ref().String() + " is not granted itself"}},
		"no-profile":  {cluster: ptr(a.named("stray")), words: []string{"has the profile test.gardener.nowhere", "there is no ClusterProfile test.gardener.nowhere"}},
		"ignored": {request: &one, annotations: map[string]string{api.OperationAnnotation: "ignore"}, words: []string{
			"openmcp.cloud/operation: ignore", "controller accessrequest does not run, or does not serve this AccessRequest"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := a.reading(name, "list")
			w.ClusterRef, w.RequestRef, w.Annotations = test.cluster, test.request, test.annotations
			made, _, err := a.Access.Make(t.Context(), w)
			if err != nil {
				t.Fatal(err)
			}
			_, err = a.Access.Await(within(t, shortTime), made, func(string) {})
			expect.Error(t, err, append([]string{"is not granted", "Seen on the platform cluster"}, test.words...)...)
			if got := err.Error(); len(test.words) == 1 && strings.Contains(got, "does not run") {
				t.Errorf("it says more than what is in the way: %s", got)
			}
		})
	}
}

func ptr[T any](v T) *T { return &v }

// An access that another party has made, or that says something else, is not taken over; one of a run that was cut short is.
func TestRequestAccess_findsItsOwn(t *testing.T) {
	t.Parallel()
	a := newAccesses(t)
	made := a.granted(t, a.reading("mine", "list"))
	again, found, err := a.Access.Make(t.Context(), a.reading("mine", "list"))
	if err != nil || !found || again.UID != made.UID {
		t.Errorf("its own: %v, found %t", err, found)
	}
	_, _, err = a.Access.Make(t.Context(), a.reading("mine", "get"))
	if !errors.As(err, new(*api.ExistsError)) {
		t.Errorf("another one: %v", err)
	}
}

// What the API does not know, or does not allow, is refused: nothing is dropped without a word.
func TestRequestAccess_strict(t *testing.T) {
	t.Parallel()
	a := newAccesses(t)
	for name, test := range map[string]struct {
		token string
		word  string
	}{
		"unknown-field": {`{"permissions":[{"rules":[{"verbs":["get"]}],"admin":true}]}`, `unknown field "spec.token.permissions[0].admin"`},
		"no-verbs":      {`{"permissions":[{"rules":[{"resources":["pods"]}]}]}`, "verbs"},
		"another-kind":  {`{"roleRefs":[{"kind":"Group","name":"x"}]}`, "Unsupported value"},
	} {
		w := a.reading(name, "list")
		w.Token = []byte(test.token)
		_, _, err := a.Access.Make(t.Context(), w)
		expect.Error(t, err, test.word)
		if !errors.As(err, new(*api.ServerError)) {
			t.Errorf("%s: %T", name, err)
		}
	}
	w := a.reading("moved", "list")
	made := a.granted(t, w)
	made.Spec.ClusterRef = nil
	w.Name = "elsewhere"
	if _, err := a.Access.Change(t.Context(), made, w, w); err != nil {
		t.Errorf("what it refers to is not sent: %v", err)
	}
}

// A Secret that cannot be used is distinguished from one that cannot be read, and no error shows its content.
func TestAccess_secrets(t *testing.T) {
	t.Parallel()
	a := newAccesses(t)
	made := a.granted(t, a.reading("reader", "list"))
	name := client.ObjectKey{Namespace: a.namespace, Name: made.Status.SecretRef.Name}
	var original corev1.Secret
	if err := a.admin.Get(t.Context(), name, &original); err != nil {
		t.Fatal(err)
	}
	set := func(change func(map[string][]byte)) {
		t.Helper()
		secret := original.DeepCopy()
		secret.ResourceVersion = ""
		change(secret.Data)
		if err := a.admin.Update(t.Context(), secret); err != nil {
			t.Fatal(err)
		}
	}
	set(func(data map[string][]byte) { data["expirationTimestamp"] = []byte("1700000000") })
	credentials, err := a.Access.Read(t.Context(), made)
	if !errors.As(err, new(*access.ExpiredError)) || credentials.ExpiresAt.Unix() != 1700000000 {
		t.Errorf("expired: %v, %v", credentials.ExpiresAt, err)
	}
	expect.Error(t, err, "ended at 2023-11-14T22:13:20Z")

	set(func(data map[string][]byte) { delete(data, "kubeconfig") })
	_, err = a.Access.Read(t.Context(), made)
	expect.Error(t, err, "Secret reader.kubeconfig of AccessRequest "+made.Ref().String()+" has no key kubeconfig")

	set(func(data map[string][]byte) { data["kubeconfig"] = []byte("token: PLANTED\n\tuser") })
	_, err = a.Access.Read(t.Context(), made)
	expect.Error(t, err, "has a key kubeconfig that cannot be read")
	if strings.Contains(err.Error(), "PLANTED") {
		t.Errorf("it shows what it has read: %v", err)
	}

	set(func(data map[string][]byte) { data["expirationTimestamp"] = []byte("tomorrow") })
	_, err = a.Access.Read(t.Context(), made)
	expect.Error(t, err, "has a key expirationTimestamp that cannot be read")

	set(func(data map[string][]byte) { delete(data, "expirationTimestamp") })
	if credentials, err := a.Access.Read(t.Context(), made); err != nil || !credentials.ExpiresAt.IsZero() || credentials.Token == "" {
		t.Errorf("without an end: %v, %v", credentials.ExpiresAt, err)
	}

	if err := a.admin.Delete(t.Context(), &original); err != nil {
		t.Fatal(err)
	}
	_, err = a.Access.AwaitUsable(within(t, 100*time.Millisecond), made)
	expect.Error(t, err, "is granted, and its Secret reader.kubeconfig is not there")
	if made, err = a.Access.Renew(t.Context(), made); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Access.AwaitUsable(within(t, operatorTime), made); err != nil {
		t.Errorf("a read of the request does not bring the Secret back: %v", err)
	}
}

// Denied access ends the wait at once, and time does not help; shown to the operator again it is granted, and the denial of before is not
// taken for the answer.
func TestAccess_denied(t *testing.T) {
	t.Parallel()
	a := newAccesses(t)
	provider := testbed.SharedProvider()
	provider.GrantNothing(a.namespace, true)
	t.Cleanup(func() { provider.GrantNothing(a.namespace, false) })
	made, _, err := a.Access.Make(within(t, operatorTime), a.reading("denied", "list"))
	if err != nil {
		t.Fatal(err)
	}
	deny(t, a.admin, "AccessRequest", made.Ref(), made.Generation)
	last, err := a.Access.Await(within(t, operatorTime), made, func(string) {})
	refused, ok := errors.AsType[*api.NotGrantedError](err)
	if !ok || !refused.Denied() || !access.IsDenied(last) {
		t.Fatalf("denied: %v", err)
	}
	expect.Error(t, err, "it was denied", "Played is False: Denied no such rights")
	provider.GrantNothing(a.namespace, false)
	if live, err := a.Objects.Accesses.Get(t.Context(), made.Ref()); err != nil || !access.IsDenied(live) {
		t.Errorf("it is %s, %v: nothing has asked for it again", live.Status.Phase, err)
	}
	again, err := a.Access.Renew(t.Context(), last)
	if err == nil {
		last, err = a.Access.Await(within(t, operatorTime), again, func(string) {})
	}
	if err != nil || !access.IsGranted(last) {
		t.Errorf("shown to the operator again: %v", err)
	}
}

// A request that a scheduler of another party has denied ends the wait at once; shown to the scheduler again it is granted.
func TestRequest_denied(t *testing.T) {
	t.Parallel()
	a := newAccesses(t)
	w := builtin.Wanted{Ref: a.named("denied"), Purpose: "mcp", Annotations: map[string]string{api.OperationAnnotation: api.OperationIgnore}}
	made, _, err := a.Requests.Make(within(t, operatorTime), w) // no scheduler grants it before it is denied
	if err != nil {
		t.Fatal(err)
	}
	hold := client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"finalizers":["clusters.openmcp.cloud/request"]}}`))
	if err := a.admin.Patch(t.Context(), testbed.New("ClusterRequest", a.namespace, "denied"), hold); err != nil {
		t.Fatal(err)
	}
	deny(t, a.admin, "ClusterRequest", made.Ref(), made.Generation)
	live, err := a.Objects.Requests.Get(t.Context(), made.Ref())
	if err != nil || !builtin.IsRefused(live) {
		t.Fatalf("%v, %v", live, err)
	}
	_, err = a.Requests.AwaitGranted(within(t, operatorTime), live, func(string) {})
	if refused, ok := errors.AsType[*api.NotGrantedError](err); !ok || !refused.Denied() {
		t.Errorf("denied: %v", err)
	}
	again, err := a.Requests.Reschedule(t.Context(), made.Ref(), string(made.UID))
	if err == nil {
		live, err = a.Requests.AwaitGranted(within(t, operatorTime), again, func(string) {})
	}
	if err != nil || !api.IsGranted(live) {
		t.Errorf("shown to the scheduler again: %v", err)
	}
}

// deny plays the controller that denies a request.
func deny(t *testing.T, admin client.Client, kind string, of api.Ref, generation int64) {
	t.Helper()
	status := fmt.Sprintf(`{"status":{"phase":"Denied","observedGeneration":%d,"conditions":[{"type":"Played","status":"False","reason":"Denied",`+
		`"message":"no such rights","lastTransitionTime":"2026-01-01T00:00:00Z"}]}}`, generation)
	// After the first pass of the operator, which says Pending.
	for until := time.Now().Add(operatorTime); ; time.Sleep(100 * time.Millisecond) {
		object := testbed.New(kind, of.Namespace, of.Name)
		if err := admin.Get(t.Context(), client.ObjectKeyFromObject(object), object); err != nil {
			t.Fatal(err)
		}
		if kind == "AccessRequest" && object.GetLabels()[api.ProfileLabel] == "" && time.Now().Before(until) {
			continue
		}
		if err := admin.Status().Patch(t.Context(), object, client.RawPatch("application/merge-patch+json", []byte(status))); err != nil {
			t.Fatal(err)
		}
		return
	}
}

// A request that hangs in its deletion is reported with what holds it.
func TestWithdrawAccess_hangs(t *testing.T) {
	t.Parallel()
	a := newAccesses(t)
	made := a.granted(t, a.reading("held", "list"))
	patch := func(finalizers string) {
		t.Helper()
		object := testbed.New("AccessRequest", a.namespace, "held")
		err := a.admin.Patch(context.WithoutCancel(t.Context()), object,
			client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"finalizers":[`+finalizers+`]}}`)))
		if client.IgnoreNotFound(err) != nil {
			t.Fatal(err)
		}
	}
	patch(`"example.com/holds"`)
	t.Cleanup(func() { patch("") })
	err := a.Access.Withdraw(within(t, shortTime), made.Ref(), string(made.UID), func(string) {})
	expect.Error(t, err, "until it is gone has ended", "It is held by the finalizer", "example.com/holds (its owner is not known here)")
	if !errors.As(err, new(*api.WaitError)) {
		t.Errorf("%T", err)
	}
}

// The access of another namespace is found there; without the right to read there the error says so.
func TestAccessOfAnotherNamespace(t *testing.T) {
	t.Parallel()
	a, b := newAccesses(t), newAccesses(t)
	made := b.granted(t, b.reading("theirs", "list"))
	_, err := a.Objects.Accesses.Read(t.Context(), made.Ref())
	expect.Error(t, err, "accessrequests", b.namespace)
	admin, err := openmcp.New(testbed.Shared(t).Config(), a.namespace)
	if err != nil {
		t.Fatal(err)
	}
	if last, err := admin.Access.Await(within(t, operatorTime), made, func(string) {}); err != nil || last.UID != made.UID {
		t.Errorf("%v", err)
	}
}

// A wait whose time is over within a read still says that the Secret cannot be used.
func TestAwaitUsable_overWithinARead(t *testing.T) {
	t.Parallel()
	a := newAccesses(t)
	made := a.granted(t, a.reading("one", "list"))
	lost := *made
	lost.Status.SecretRef = &api.Ref{Name: "absent"}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := a.Access.AwaitUsable(ctx, &lost); !access.IsUnusable(err) {
		t.Errorf("%v", err)
	}
	if credentials, err := a.Access.AwaitUsable(ctx, made); err != nil || credentials.Token == "" {
		t.Errorf("access that can be used: %v", err)
	}
}
