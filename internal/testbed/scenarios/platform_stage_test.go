package scenarios

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

// platformStage is a namespace on a platform cluster with the real operator, the proxy before it, and what becomes of its Clusters.
type platformStage struct {
	*openmcp.Platform
	provider  *openmcp.Provider
	namespace string
	user      openmcp.User
	proxy     *fault.Proxy
	clusters  *clusterWatch
}

// newPlatformStage makes a stage on the platform cluster of all tests. The user has the documented rights and no more.
func newPlatformStage(t *testing.T, options fault.ProxyOptions) platformStage {
	t.Helper()
	acceptance(t)
	platform := openmcp.Shared(t)
	return newPlatformStageOn(t, platform, openmcp.SharedProvider(), options)
}

func newPlatformStageOn(t *testing.T, platform *openmcp.Platform, provider *openmcp.Provider, options fault.ProxyOptions) platformStage {
	t.Helper()
	s := platformStage{Platform: platform, provider: provider, namespace: platform.NewNamespace(t)}
	roles := slices.Concat(testbed.RoleExample(t, "platform.yaml"), []byte("\n---\n"), testbed.RoleExample(t, "platform-profiles.yaml"))
	s.user = platform.ServiceAccount(t, s.namespace, "hap", roles)
	s.proxy = fault.NewProxy(t, platform.Server(), options)
	s.clusters = s.watchClusters(t)
	return s
}

// platformKind says where objects of a kind are: in the API, and in a state.
type platformKind struct{ kind, resource, address string }

var (
	requestKind = platformKind{"ClusterRequest", "clusterrequests", "hap_cluster_request"}
	accessKind  = platformKind{"AccessRequest", "accessrequests", "hap_access_request"}
	configKind  = platformKind{"ProviderConfig", "providerconfigs", "hap_gardener_provider_config"}
	ownKind     = platformKind{"Cluster", "clusters", "hap_cluster"} // that of a request is in no state
)

// live returns the objects of a kind that this stage has, by UID.
func (s platformStage) live(t *testing.T, of platformKind) map[string]unstructured.Unstructured {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(openmcp.New(of.kind+"List", "", "").GroupVersionKind())
	if of == configKind {
		list.SetAPIVersion("gardener.clusters.openmcp.cloud/v1alpha1")
	}
	if err := s.Client().List(ctx, list); err != nil {
		t.Fatal(err)
	}
	found := map[string]unstructured.Unstructured{}
	for _, o := range list.Items { // configurations lie in no namespace: their names end with it
		if o.GetNamespace() == s.namespace || strings.HasSuffix(o.GetName(), "-"+s.namespace) {
			found[string(o.GetUID())] = o
		}
	}
	return found
}

// only returns the only object of a kind.
func (s platformStage) only(t *testing.T, of platformKind) *unstructured.Unstructured {
	t.Helper()
	all := s.live(t, of)
	if len(all) != 1 {
		t.Fatalf("%d of kind %s, want 1", len(all), of.kind)
	}
	for _, o := range all {
		return &o
	}
	return nil
}

// wantNothing checks that nothing is left of what was asked for.
func (s platformStage) wantNothing(t *testing.T, when string) {
	t.Helper()
	for _, of := range []platformKind{requestKind, accessKind, configKind, ownKind} {
		for _, o := range s.live(t, of) {
			t.Errorf("%s: %s %s is there", when, of.kind, o.GetName())
		}
	}
}

// lose deletes an object as another party does, also what others hold, and waits until it is gone.
func (s platformStage) lose(t *testing.T, object client.Object) {
	t.Helper()
	if err := s.Client().Delete(t.Context(), object); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		err := s.Client().Get(t.Context(), client.ObjectKeyFromObject(object), object)
		if client.IgnoreNotFound(err) == nil && err != nil {
			return
		}
		free := client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"finalizers":null}}`))
		_ = s.Client().Patch(t.Context(), object, free) // the cluster provider writes at the same time
	}
	t.Fatalf("%s does not go", object.GetName())
}

// platformConfiguration is a pipeline whose provider leads to the platform cluster alone, by the proxy. It logs all it can.
type platformConfiguration struct {
	*cli.CLI
	stage      platformStage
	kubeconfig string
}

// configure begins a pipeline with these resources. At the end of the test nothing that it has written shows a secret.
func (s platformStage) configure(t *testing.T, resources ...string) platformConfiguration {
	t.Helper()
	c := platformConfiguration{cli.New(t), s, s.user.Through(t, s.proxy.Through)}
	c.Setenv("TF_LOG_PROVIDER", "TRACE")
	c.Setenv("TF_LOG_PATH", filepath.Join(c.Folder, "trace"))
	c.write(t, resources...)
	t.Cleanup(func() { s.secrets(t).keptQuietIn(t, c.Folder) })
	return c
}

// secrets are the tokens of the user and of all access that was granted.
func (s platformStage) secrets(t *testing.T) secrets {
	t.Helper()
	all := secrets{"token of the user": s.user.Config.BearerToken}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var granted corev1.SecretList
	if err := s.Client().List(ctx, &granted, client.InNamespace(s.namespace)); err != nil {
		t.Fatal(err)
	}
	for _, secret := range granted.Items { // the testbed's cluster provider leaves them
		if config, err := clientcmd.RESTConfigFromKubeConfig(secret.Data["kubeconfig"]); err == nil && config.BearerToken != "" {
			all["token of "+secret.Name], all[secret.Name] = config.BearerToken, string(secret.Data["kubeconfig"])
		}
	}
	return all
}

// write writes the configuration anew.
func (c platformConfiguration) write(t *testing.T, resources ...string) {
	t.Helper()
	c.writeWith(t, fmt.Sprintf("platform = { config_path = %q }", c.kubeconfig), resources...)
}

// writeWith is write with other settings of the provider.
func (c platformConfiguration) writeWith(t *testing.T, settings string, resources ...string) {
	t.Helper()
	c.Write(t, fmt.Sprintf("terraform {\n  required_providers {\n    hap = { source = \"hap-project/hap\" }\n  }\n}\n"+
		"provider \"hap\" {\n  %s\n}\n%s\n", settings, strings.Join(resources, "\n")))
}

func (c platformConfiguration) succeeds(t *testing.T, arguments ...string) cli.Result {
	t.Helper()
	result := c.Run(t, arguments...)
	if result.ExitCode != 0 {
		t.Fatalf("%s: exit code %d:\n%s", strings.Join(arguments, " "), result.ExitCode, result.Output)
	}
	return result
}

func (c platformConfiguration) fails(t *testing.T, arguments []string, summary string, words ...string) {
	t.Helper()
	result := c.Run(t, arguments...)
	if result.ExitCode == 0 {
		t.Fatalf("%s should have failed:\n%s", strings.Join(arguments, " "), result.Output)
	}
	wantMessage(t, result.Output, "Error: "+summary, words...)
}

// tell has nothing to add: the history of a platform cluster is read from its server.
func (c platformConfiguration) tell(*testing.T) {}

// platformWrite picks the first write of a kind.
func platformWrite(of platformKind) fault.Rule {
	return fault.Rule{Resource: of.resource, Nth: 1, When: func(x fault.Exchange) bool { return x.Writes() && isUs(x.Client) }}
}

// wantStanding checks that the state has what is there and nothing else, untainted, and that no two requests have the same prefix on a
// Cluster. It returns the UID of each object of the state, by address.
func (c platformConfiguration) wantStanding(t *testing.T) map[string]string {
	t.Helper()
	return c.standing(t, false)
}

// standing is wantStanding; after a destroy the state may have what is gone.
func (c platformConfiguration) standing(t *testing.T, destroyed bool) map[string]string {
	t.Helper()
	state, uids, prefixes := c.State(t), map[string]string{}, map[string]string{}
	for _, address := range state.Addresses() {
		r := state.Resource(address)
		if r.Tainted {
			t.Errorf("%s is tainted: the next apply destroys it", address)
		}
		uids[address] = fmt.Sprint(r.Values["uid"])
		if prefix, _ := r.Values["prefix"].(string); prefix != "" {
			key := fmt.Sprint(r.Values["cluster"]) + prefix
			if other := prefixes[key]; other != "" {
				t.Errorf("%s and %s have the prefix %s on one Cluster", address, other, prefix)
			}
			prefixes[key] = address
		}
	}
	known := slices.Collect(maps.Values(uids))
	for _, of := range []platformKind{requestKind, accessKind, configKind, ownKind} {
		for uid, o := range c.stage.live(t, of) {
			if !slices.Contains(known, uid) && of != ownKind {
				t.Errorf("%s %s (UID %s) is in no state", of.kind, o.GetName(), uid)
			}
			known = slices.DeleteFunc(known, func(one string) bool { return one == uid })
		}
	}
	if len(known) > 0 && !destroyed {
		t.Errorf("the state has objects that are not there: %v", known)
	}
	return uids
}

// platformBlue is the address of the request blue.
const platformBlue = "hap_cluster_request.blue"

// wantReady checks that the request blue has a cluster that is ready, and that it is the one of this UID; "" = any.
func (c platformConfiguration) wantReady(t *testing.T, uid string) {
	t.Helper()
	if now := c.wantStanding(t)[platformBlue]; now == "" || uid != "" && now != uid {
		t.Errorf("the request has the UID %q, before %q", now, uid)
	}
	if ready := c.State(t).Attribute(platformBlue, "ready"); ready != true {
		t.Errorf("ready is %v", ready)
	}
}

// takenDown checks that nothing is left to do, and destroys all that there is.
func (c platformConfiguration) takenDown(t *testing.T) {
	t.Helper()
	c.succeeds(t, "plan", "-detailed-exitcode")
	c.stage.mayLose(t, true)
	c.succeeds(t, destroying...)
	c.stage.wantNothing(t, "destroyed")
	if left := c.State(t).Addresses(); len(left) > 0 {
		t.Errorf("destroyed: the state has %v", left)
	}
}

// awaitLog waits until the provider's log says something: what the server holds, the provider may not have seen yet.
func (c platformConfiguration) awaitLog(t *testing.T, words string) {
	t.Helper()
	for deadline := time.Now().Add(operatorTime); ; time.Sleep(50 * time.Millisecond) {
		log, err := os.ReadFile(filepath.Join(c.Folder, "trace"))
		switch {
		case strings.Contains(string(log), words):
			return
		case err != nil && !os.IsNotExist(err):
			t.Fatal(err)
		case time.Now().After(deadline):
			t.Fatalf("the log does not say %q", words)
		}
	}
}

// awaitGranted waits until the only request is granted.
func (s platformStage) awaitGranted(t *testing.T) {
	t.Helper()
	for deadline := time.Now().Add(operatorTime); ; time.Sleep(50 * time.Millisecond) {
		switch phase, _, _ := unstructured.NestedString(s.only(t, requestKind).Object, "status", "phase"); {
		case phase == "Granted":
			return
		case time.Now().After(deadline):
			t.Fatalf("the request is not granted, its phase is %q", phase)
		}
	}
}

// operatorTime bounds what the operator is waited for: its client sends five requests a second of each kind, for all tests together.
const operatorTime = 3 * time.Minute

// awaitWithdrawn waits until the operator has let go of the requests that are being deleted.
func (s platformStage) awaitWithdrawn(t *testing.T) {
	t.Helper()
	leaves := func(o unstructured.Unstructured) bool { return o.GetDeletionTimestamp() != nil }
	for deadline := time.Now().Add(operatorTime); ; time.Sleep(50 * time.Millisecond) {
		if !slices.ContainsFunc(slices.Collect(maps.Values(s.live(t, requestKind))), leaves) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("the operator does not let go of a request")
		}
	}
}

// platformRequest writes a request that is not protected; extra attributes go into it.
func platformRequest(name, purpose string, extra ...string) string {
	return platformResource(requestKind, name, append([]string{
		fmt.Sprintf("name = %q", name), fmt.Sprintf("purpose = %q", purpose), "deletion_protection = false",
	}, extra...)...)
}

// platformAccess writes access to the Cluster of a request that allows a verb on namespaces.
func platformAccess(name, request, verb string, extra ...string) string {
	return platformResource(accessKind, name, append([]string{
		fmt.Sprintf("name = %q", name), fmt.Sprintf("request_ref = { name = hap_cluster_request.%s.name }", request),
		fmt.Sprintf(`token = { permissions = [{ rules = [{ api_groups = [""], resources = ["namespaces"], verbs = [%q] }] }] }`, verb),
	}, extra...)...)
}

// providerConfig writes a configuration for clusters without workers in a region, which need no account.
func (s platformStage) providerConfig(name, region string, extra ...string) string {
	return platformResource(configKind, name, append([]string{
		fmt.Sprintf("name = %q", name+"-"+s.namespace), `landscape_ref = "canary"`, `project = "hap"`, `environment = "test"`, "wait_for_profile = false",
		fmt.Sprintf(`shoot_template = yamlencode({ spec = {
    cloudProfile = { kind = "CloudProfile", name = "aws" }, region = %q, kubernetes = { version = "1.33.2" }, provider = { type = "aws" }
  } })`, region),
	}, extra...)...)
}

func platformResource(of platformKind, label string, lines ...string) string {
	return fmt.Sprintf("resource %q %q {\n  %s\n}\n", of.address, label, strings.Join(lines, "\n  "))
}
