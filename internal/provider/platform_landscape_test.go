package provider

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	gardens "github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

// clusterStages is the example that is applied in stages.
const clusterStages = "cluster-landscape"

// stagedLandscape is a pool of two accounts with a gardenlet, beside a platform cluster of its own with a cluster provider that makes
// Shoots there: the test starts the operator, and starts it again with another configuration.
type stagedLandscape struct {
	acceptance.ClusterLandscape
	platform  *openmcp.Platform
	namespace string // of requests and Clusters
	cli       *cli.CLI
}

// newStagedLandscape is a landscape without a configuration.
func newStagedLandscape(t *testing.T, accounts ...gardens.AccountSpec) stagedLandscape {
	t.Helper()
	l := stagedLandscape{ClusterLandscape: acceptance.NewClusterLandscape(t, accounts...), cli: cli.New(t)}
	platform := openmcp.Own(t)
	l.platform, l.namespace = platform, platform.NewNamespace(t)
	provider := &openmcp.Provider{Platform: platform, Garden: l.Landscape.Namespace}
	stop := provider.Start(context.Background())
	t.Cleanup(func() {
		if stop(); t.Failed() && provider.Err() != nil {
			t.Error(provider.Err())
		}
	})
	return l
}

// rolesOf are the roles of some files of examples/rbac.
func rolesOf(t *testing.T, names ...string) []byte {
	t.Helper()
	var roles [][]byte
	for _, name := range names {
		roles = append(roles, gardens.RoleExample(t, name))
	}
	return bytes.Join(roles, []byte("\n---\n"))
}

// newClusterStages is the landscape of the example that is applied in stages.
func newClusterStages(t *testing.T) stagedLandscape {
	t.Helper()
	l := newStagedLandscape(t, gardens.AccountSpec{Name: "aws-1", HyperscalerType: "aws"}, gardens.AccountSpec{Name: "aws-2", HyperscalerType: "aws"})
	user := l.platform.ServiceAccount(t, l.namespace, "hap",
		rolesOf(t, "platform.yaml", "platform-builtin.yaml", "platform-profiles.yaml", "platform-clusters.yaml"))
	if err := l.cli.CopyFrom(filepath.Join(repository(t), "examples", clusterStages)); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"garden_kubeconfig": l.Kubeconfig, "platform_kubeconfig": user.Kubeconfig, "platform_namespace": l.namespace,
		"project": strings.TrimPrefix(l.Name, "garden-"), "release_grace": "0s",
	} {
		l.cli.Setenv("TF_VAR_"+name, value)
	}
	return l
}

// operate starts the operator with the configuration that the landscape gives.
func (l stagedLandscape) operate(t *testing.T) {
	t.Helper()
	config, _ := l.cli.State(t).Outputs["operator_config"].(string)
	landscape, err := openmcp.ReadLandscape(config)
	if err == nil {
		err = l.platform.StartOperator(t.Context(), landscape)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// stage applies one stage. A second plan changes nothing, and no cluster moves.
func (l stagedLandscape) stage(t *testing.T, name string, homes map[string]string) cli.State {
	t.Helper()
	l.cli.Setenv("TF_VAR_stage", name)
	warnings := 1 // the provider is the one just built
	if name == "operator" {
		warnings++ // the preview of the next request says that the account is full, and that the operator does not know it
	}
	if said := acceptance.Run(t, l.cli, "apply", "-auto-approve").Output; strings.Count(said, "Warning: ") != warnings {
		t.Errorf("stage %s warns:\n%s", name, said)
	}
	if again := acceptance.Run(t, l.cli, "plan").Output; !strings.Contains(again, "\nNo changes.") {
		t.Errorf("stage %s: a second plan changes something:\n%s", name, again)
	}
	for shoot, home := range l.homes(t) {
		if was := homes[shoot]; was != "" && was != home {
			t.Errorf("stage %s: Shoot %s was %s, and is %s", name, shoot, was, home)
		}
		homes[shoot] = home
	}
	return l.cli.State(t)
}

// homes returns the UID and the account of each Shoot, by its name.
func (l stagedLandscape) homes(t *testing.T) map[string]string {
	t.Helper()
	var all gardencore.ShootList
	if err := l.Garden().AdminClient().List(t.Context(), &all, client.InNamespace(l.Name)); err != nil {
		t.Fatal(err)
	}
	homes := map[string]string{}
	for _, one := range all.Items {
		homes[one.Name] = fmt.Sprintf("%s on %s", one.UID, ptr.Deref(one.Spec.CredentialsBindingName, "no account"))
	}
	return homes
}

// number counts the Shoots on an account.
func number(homes map[string]string, account string) (n int) {
	for _, home := range homes {
		if strings.HasSuffix(home, " on "+account) {
			n++
		}
	}
	return n
}

// of lists the objects of a kind on the platform cluster.
func (l stagedLandscape) of(t *testing.T, kind string) []unstructured.Unstructured {
	t.Helper()
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(openmcp.New(kind+"List", "", "").GroupVersionKind())
	if err := l.platform.Client().List(t.Context(), list); err != nil {
		t.Fatal(err)
	}
	return list.Items
}

// version is the resourceVersion of the first Cluster.
func (l stagedLandscape) version(t *testing.T) string {
	t.Helper()
	first := openmcp.New("Cluster", l.namespace, "first")
	if err := l.platform.Client().Get(t.Context(), client.ObjectKeyFromObject(first), first); err != nil {
		t.Fatal(err)
	}
	return first.GetResourceVersion()
}

// A landscape grows from the first account to the second, each stage by one apply: the first Shoot is adopted as a Cluster, the operator
// takes over what the provider has granted, and no cluster moves when another account takes the next one. All of it goes by one destroy.
func TestAccExamples_clusterLandscape(t *testing.T) {
	t.Parallel()
	l := newClusterStages(t)
	homes := map[string]string{}
	wantNext := func(state cli.State, pattern string) {
		t.Helper()
		if got := fmt.Sprint(state.Outputs["next"]); !regexp.MustCompile("^" + pattern + "$").MatchString(got) {
			t.Errorf("the next cluster is %q, want %s", got, pattern)
		}
	}

	state := l.stage(t, "first", homes)
	account := fmt.Sprint(state.Attribute("hap_credentials_binding_claim.first", "binding_name"))
	if len(homes) != 1 || number(homes, account) != 1 {
		t.Fatalf("the Shoots are %v, want one on %s: the Cluster adopts it", homes, account)
	}
	version := l.version(t)
	l.expectServed(t, "hap-project.io/builtin-scheduler")
	prefix := state.Attribute("hap_cluster_request.platform", "prefix")

	l.operate(t)
	state = l.stage(t, "operator", homes)
	l.expectServed(t, "clusters.openmcp.cloud/request")
	if now := l.version(t); now != version {
		t.Errorf("the handover has changed the first Cluster: resourceVersion %s, then %s", version, now)
	}
	if now := state.Attribute("hap_cluster_request.platform", "prefix"); now != prefix || now != "core-" {
		t.Errorf("the prefix was %v, and is %v", prefix, now)
	}
	if len(homes) != 3 || number(homes, account) != 2 || number(homes, "no account") != 1 {
		t.Errorf("the Shoots are %v, want two on %s, and one without workers", homes, account)
	}
	wantNext(state, `create workload-[a-z2-7]{8} by test\.gardener\.aws-first on account `+account+
		` \(2 of 2 clusters\) which is full: claim another account`)
	l.expectAccess(t, 2)

	state = l.stage(t, "account", homes)
	second := fmt.Sprint(state.Attribute("hap_credentials_binding_claim.second[0]", "binding_name"))
	wantNext(state, `create workload-[a-z2-7]{8} by test\.gardener\.aws-second on account `+second+` \(0 of 2 clusters\)`)

	l.operate(t)
	state = l.stage(t, "full", homes)
	wantNext(state, `reuse workload-[a-z2-7]{8} by test\.gardener\.aws-second on account `+second+` \(1 of 2 clusters\)`)
	if second == account || number(homes, account) != 2 || number(homes, second) != 1 {
		t.Errorf("the Shoots are %v, want two on %s, and one on %s", homes, account, second)
	}

	acceptance.Run(t, l.cli, "destroy", "-auto-approve")
	l.expectNothing(t)
}

// expectServed sees that all requests have their Cluster, that of the platform the first one, and which scheduler serves them.
func (l stagedLandscape) expectServed(t *testing.T, finalizer string) {
	t.Helper()
	for _, one := range l.of(t, "ClusterRequest") {
		cluster, _, _ := unstructured.NestedString(one.Object, "status", "cluster", "name")
		if name := one.GetName(); cluster == "" || name == "platform" && cluster != "first" {
			t.Errorf("request %s has the Cluster %q", name, cluster)
		}
		if by := fmt.Sprint(one.GetFinalizers()); by != "["+finalizer+"]" {
			t.Errorf("request %s bears the finalizers %s, want %s", one.GetName(), by, finalizer)
		}
	}
}

// expectAccess sees that so many accesses lead into the cluster behind their Shoot, for what was asked for and nothing else, and that the
// tokens are not in the state.
func (l stagedLandscape) expectAccess(t *testing.T, want int) {
	t.Helper()
	granted := l.of(t, "AccessRequest")
	if len(granted) != want {
		t.Fatalf("there are %d AccessRequests", len(granted))
	}
	state, err := os.ReadFile(filepath.Join(l.cli.Folder, "terraform.tfstate"))
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range granted {
		name, _, _ := unstructured.NestedString(one.Object, "status", "secretRef", "name")
		secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: one.GetNamespace(), Name: name}}
		if err := l.platform.Client().Get(t.Context(), client.ObjectKeyFromObject(secret), secret); err != nil {
			t.Fatal(err)
		}
		config, err := clientcmd.RESTConfigFromKubeConfig(secret.Data["kubeconfig"])
		if err != nil {
			t.Fatal(err)
		}
		inside, err := client.New(config, client.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := inside.Get(t.Context(), client.ObjectKey{Name: l.Name}, &corev1.Namespace{}); err != nil {
			t.Errorf("%s does not lead into the cluster behind the Shoot: %v", one.GetName(), err)
		}
		if err := inside.List(t.Context(), &corev1.SecretList{}); !apierrors.IsForbidden(err) {
			t.Errorf("%s may list Secrets, which it does not ask for: %v", one.GetName(), err)
		}
		if config.BearerToken == "" || strings.Contains(string(state), config.BearerToken) {
			t.Errorf("the token of %s is empty, or is in the state", one.GetName())
		}
	}
}

// expectNothing sees that a destroy has left nothing: no Shoot, no object of openMCP, and no claim.
func (l stagedLandscape) expectNothing(t *testing.T) {
	t.Helper()
	if left := l.homes(t); len(left) > 0 {
		t.Errorf("Shoots are left: %v", left)
	}
	for _, kind := range []string{"AccessRequest", "ClusterRequest", "Cluster"} {
		for _, one := range l.of(t, kind) {
			t.Errorf("%s %s is left", kind, one.GetName())
		}
	}
	for _, one := range l.of(t, "ClusterProfile") {
		if name := one.GetName(); name != openmcp.WorkerProfile && name != openmcp.WorkerlessProfile {
			t.Errorf("ClusterProfile %s is left", name)
		}
	}
	for _, a := range l.ListAccounts(t) {
		if n := l.Records(t, a.Name); n > 0 {
			t.Errorf("%d claims are left on %s", n, a.Name)
		}
	}
}
