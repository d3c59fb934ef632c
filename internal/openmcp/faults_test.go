package openmcp_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/builtin"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
	testbed "github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

// rbac is what a user of these tests may do.
const rbac = `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: all},
  rules: [{apiGroups: [clusters.openmcp.cloud], resources: ["*"], verbs: [get, list, watch, create, patch, delete]}]}`

// behind is openMCP in a namespace of its own, behind a proxy.
type behind struct {
	*openmcp.Platform
	proxy *fault.Proxy
	admin client.Client
}

func newBehind(t *testing.T) behind {
	t.Helper()
	needsPlatform(t)
	cluster := testbed.Shared(t)
	namespace := cluster.NewNamespace(t)
	config := rest.CopyConfig(cluster.ServiceAccount(t, namespace, "user", []byte(rbac)).Config)
	b := behind{proxy: fault.NewProxy(t, cluster.Server(), fault.ProxyOptions{}), admin: cluster.Client()}
	b.proxy.Through(config)
	p, err := openmcp.New(config, namespace)
	if err != nil {
		t.Fatal(err)
	}
	b.Platform = p
	return b
}

// other makes a request that the operator leaves alone, as another party does.
func (b behind) other(t *testing.T, name string) string {
	t.Helper()
	object := testbed.New("ClusterRequest", b.Objects.Namespace, name)
	object.SetAnnotations(map[string]string{api.OperationAnnotation: api.OperationIgnore})
	object.Object["spec"] = map[string]any{"purpose": "mcp"}
	if err := b.admin.Create(t.Context(), object); err != nil {
		t.Error(err)
	}
	return string(object.GetUID())
}

// The answer to the POST of a request is lost: the run finds out what exists, and there is one request, which is this run's own.
func TestRequest_answerLost(t *testing.T) {
	t.Parallel()
	b := newBehind(t)
	for name, lost := range map[string]fault.Fault{
		"before": fault.CutBefore(), "after": fault.CutAfter(), "gateway": fault.LoseAfter(http.StatusBadGateway), "late": fault.CommitLate(time.Second),
	} {
		b.proxy.Spoil(fault.Rule{Verb: "create", Resource: "clusterrequests", Name: name, Nth: 1, Fault: lost})
		if name == "late" { // the first POST comes before the second one
			b.proxy.Spoil(fault.Rule{Verb: "create", Resource: "clusterrequests", Name: name, Nth: 2, Fault: fault.Delay(2 * time.Second)})
		}
		of := api.Ref{Namespace: b.Objects.Namespace, Name: name}
		made, found, err := b.Requests.Make(t.Context(), builtin.Wanted{Ref: of, Purpose: "mcp"})
		if err != nil || found {
			t.Errorf("%s: %v, found %t", name, err, found)
			continue
		}
		if live, err := b.Objects.Requests.Get(t.Context(), of); err != nil || live.UID != made.UID {
			t.Errorf("%s: %v, %v", name, live, err)
		}
	}
}

// A request is granted between the read of it and its deletion: it stays. No time of the withdrawal is left to wait for the operator.
func TestGiveUp_grantedMeanwhile(t *testing.T) {
	t.Parallel()
	b := newBehind(t)
	uid := b.other(t, "late")
	of := api.Ref{Namespace: b.Objects.Namespace, Name: "late"}
	request, err := b.Objects.Requests.Get(t.Context(), of)
	if err != nil {
		t.Fatal(err)
	}
	b.proxy.Spoil(fault.Rule{Verb: "delete", Resource: "clusterrequests", Nth: 1, Fault: fault.Do(func() {
		object := testbed.New("ClusterRequest", of.Namespace, of.Name)
		if err := b.admin.Get(t.Context(), client.ObjectKeyFromObject(object), object); err != nil {
			t.Error(err)
		}
		if err := grant(t.Context(), b.admin, object); err != nil {
			t.Error(err)
		}
	}, nil)})
	granted, err := b.Requests.GiveUp(t.Context(), request)
	if err != nil || granted == nil || string(granted.UID) != uid || !api.IsGranted(granted) {
		t.Errorf("%v, %v", granted, err)
	}
}

// A request is made anew by another party between the read of it and its deletion: that one stays.
func TestWithdraw_madeAnew(t *testing.T) {
	t.Parallel()
	b := newBehind(t)
	of := api.Ref{Namespace: b.Objects.Namespace, Name: "anew"}
	uid, other := b.other(t, "anew"), ""
	b.proxy.Spoil(fault.Rule{Verb: "delete", Resource: "clusterrequests", Nth: 1, Fault: fault.Do(func() {
		if err := b.admin.Delete(t.Context(), testbed.New("ClusterRequest", of.Namespace, of.Name)); err != nil {
			t.Error(err)
		}
		other = b.other(t, "anew")
	}, nil)})
	if err := b.Requests.Withdraw(t.Context(), of, uid, quiet); err != nil {
		t.Error(err)
	}
	if live, err := b.Objects.Requests.Get(t.Context(), of); err != nil || string(live.UID) != other || live.DeletionTimestamp != nil {
		t.Errorf("%v, %v; the other party made %s", live, err, other)
	}
}

// Many that are read share a list, and many that wait one after the other a watch.
func TestReads_shareLists(t *testing.T) {
	t.Parallel()
	b := newBehind(t)
	const many = 10
	var refs []api.Ref
	for i := range many {
		name := "r-" + string(rune('a'+i))
		b.other(t, name)
		refs = append(refs, api.Ref{Namespace: b.Objects.Namespace, Name: name})
	}
	for _, of := range refs {
		if _, err := b.Objects.Requests.Read(t.Context(), of); err != nil {
			t.Error(err)
		}
	}
	if gets, lists := b.proxy.Count("get", "clusterrequests"), b.proxy.Count("list", "clusterrequests"); gets > 1 || lists > 1 {
		t.Errorf("%d were read by %d requests, and %d lists", many, gets, lists)
	}
	for _, of := range refs {
		live, err := b.Objects.Requests.Get(t.Context(), of)
		if err == nil {
			err = b.Requests.Withdraw(t.Context(), of, string(live.UID), quiet)
		}
		if err != nil {
			t.Error(err)
		}
	}
	watches := slices.DeleteFunc(b.proxy.Log(), func(x fault.Exchange) bool { return x.Verb != "watch" })
	if len(watches) > 2 { // a server ends the watch of a client that is slow to read
		t.Errorf("%d waited one after the other with %d watches", many, len(watches))
	}
}
