package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	authentication "github.com/gardener/gardener/pkg/apis/authentication/v1alpha1"
	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/access"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/builtin"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/postgres"
)

func TestGarden(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	folder := filepath.Join(root, ".garden")
	ctx, interrupt := context.WithCancel(t.Context())
	reader, writer := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := run(ctx, root, writer)
		_ = writer.CloseWithError(errors.Join(err, io.EOF))
		ended <- err
	}()

	lines := bufio.NewReader(reader)
	line, err := lines.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if want := "ready: in another shell, . " + quote(filepath.Join(folder, "env")) + "\n"; line != want {
		t.Errorf("got  %swant %s", line, want)
	}
	for name, want := range map[string]string{
		"env": "unset KUBE_HOST KUBE_TOKEN KUBE_CLUSTER_CA_CERT_DATA\nexport KUBE_CONFIG_PATH=" + quote(filepath.Join(folder, "kubeconfig")) + " KUBECONFIG=" + quote(filepath.Join(folder, "kubeconfig")) +
			" HAP_NAMESPACE=garden-hap\nexport TF_CLI_CONFIG_FILE=" + quote(filepath.Join(folder, "terraform.rc")) +
			` PATH="$PATH":` + quote(filepath.Join(root, "bin", "tools")) + "\n",
		"terraform.rc":   `path    = "` + filepath.Join(root, "bin", "mirror") + `"`,
		"development.rc": `"registry.opentofu.org/hap-project/hap" = "` + filepath.Join(root, "bin") + `"`,
	} {
		if content, err := os.ReadFile(filepath.Join(folder, name)); err != nil || !strings.Contains(string(content), want) {
			t.Errorf("%s: %s, %v", name, content, err)
		}
	}
	config, err := clientcmd.BuildConfigFromFlags("", filepath.Join(folder, "kubeconfig"))
	if err != nil {
		t.Fatal(err)
	}
	api, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := api.Discovery().ServerResourcesForGroupVersion("security.gardener.cloud/v1alpha1"); err != nil {
		t.Errorf("asking the Garden: %v", err)
	}
	expectCluster(t, config)
	expectPlatform(t, filepath.Join(folder, "platform"))
	address := expectDatabase(t, filepath.Join(folder, "database-url"), "hap_provider")
	if broker := expectDatabase(t, filepath.Join(folder, "broker-database-url"), "broker"); broker != address {
		t.Errorf("the broker's URL leads to %s, the other one to %s", broker, address)
	}

	interrupt()
	if err := <-ended; err != nil {
		t.Errorf("at the end: %v", err)
	}
	if _, err := lines.ReadString('\n'); !errors.Is(err, io.EOF) {
		t.Errorf("more than one line (%v)", err)
	}
	if _, err := os.Stat(folder); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s still exists", folder)
	}
	if connection, err := net.Dial("tcp", address); err == nil {
		_ = connection.Close()
		t.Errorf("PostgreSQL still listens on %s", address)
	}
}

// expectCluster sees that the user of the kubeconfig can make a cluster, which comes up step by step and can be entered, and delete it.
func expectCluster(t *testing.T, config *rest.Config) {
	t.Helper()
	namespace, err := testbed.OpenNamespace(config, "garden-"+project)
	if err != nil {
		t.Fatal(err)
	}
	namespace.Account(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Tenant: "ga-1"})
	namespace.Shoot(t, "blue", "aws-1")
	shoot := &gardencore.Shoot{ObjectMeta: metav1.ObjectMeta{Namespace: namespace.Name, Name: "blue"}}
	steps := map[int32]bool{}
	err = local.Poll(t.Context(), 10*course.Pace*time.Duration(course.Steps), func(ctx context.Context) error {
		if err := namespace.Client().Get(ctx, client.ObjectKeyFromObject(shoot), shoot); err != nil {
			return err
		}
		last := shoot.Status.LastOperation
		if last == nil || last.State != gardencore.LastOperationStateSucceeded {
			if last != nil {
				steps[last.Progress] = true
			}
			return fmt.Errorf("the last operation is %v", last)
		}
		return nil
	})
	if err != nil || len(steps) < 2 {
		t.Errorf("the cluster came up by the steps %v: %v", slices.Collect(maps.Keys(steps)), err)
	}
	request := &authentication.AdminKubeconfigRequest{}
	if err := namespace.Client().SubResource("adminkubeconfig").Create(t.Context(), shoot, request); err != nil {
		t.Fatal(err)
	}
	inside, err := clientcmd.RESTConfigFromKubeConfig(request.Status.Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	api, err := kubernetes.NewForConfig(inside)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := api.CoreV1().Namespaces().List(t.Context(), metav1.ListOptions{}); err != nil {
		t.Errorf("looking into the cluster: %v", err)
	}
	expectTakenDown(t, namespace.Client(), shoot)
}

// expectTakenDown sees that a cluster is taken down once a user has it deleted.
func expectTakenDown(t *testing.T, api client.Client, shoot *gardencore.Shoot) {
	t.Helper()
	confirmed := shoot.DeepCopy()
	metav1.SetMetaDataAnnotation(&confirmed.ObjectMeta, "confirmation.gardener.cloud/deletion", "true")
	if err := api.Patch(t.Context(), confirmed, client.MergeFrom(shoot)); err != nil {
		t.Fatal(err)
	}
	if err := api.Delete(t.Context(), shoot); err != nil {
		t.Fatal(err)
	}
	err := local.Poll(t.Context(), 10*course.Pace*time.Duration(course.Steps), func(ctx context.Context) error {
		err := api.Get(ctx, client.ObjectKeyFromObject(shoot), shoot)
		if err == nil {
			return errors.New("it is still there")
		}
		return client.IgnoreNotFound(err)
	})
	if err != nil {
		t.Errorf("taking the cluster down: %v", err)
	}
}

// expectPlatform sees that the file leads to a platform cluster, by a user who can request a cluster, which comes up after a while, ask for
// access to it and enter it, and give both back.
func expectPlatform(t *testing.T, path string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	config, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		t.Fatal(err)
	}
	platform, err := openmcp.New(config, platformNamespace)
	if err != nil {
		t.Fatal(err)
	}
	of, began := api.Ref{Namespace: platformNamespace, Name: "blue"}, time.Now()
	request, _, err := platform.Requests.Make(ctx, builtin.Wanted{Ref: of, Purpose: "mcp"})
	if err == nil {
		request, err = platform.Requests.AwaitGranted(ctx, request, func(string) {})
	}
	if err == nil {
		_, err = platform.Requests.AwaitCluster(ctx, *request.Status.Cluster, func(string) {})
	}
	if err != nil || time.Since(began) < clusterTime {
		t.Fatalf("requesting a cluster: %v, after %v", err, time.Since(began))
	}
	access, _, err := platform.Access.Make(ctx, access.Wanted{
		Ref: of, RequestRef: &of, Token: json.RawMessage(`{"roleRefs":[{"kind":"ClusterRole","name":"cluster-admin"}]}`),
	})
	if err == nil {
		access, err = platform.Access.Await(ctx, access, func(string) {})
	}
	if err != nil {
		t.Fatal(err)
	}
	granted, err := platform.Access.Read(ctx, access)
	if err != nil {
		t.Fatal(err)
	}
	inside, err := clientcmd.RESTConfigFromKubeConfig(granted.Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	cluster, err := kubernetes.NewForConfig(inside)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := cluster.CoreV1().Namespaces().List(ctx, metav1.ListOptions{}); err != nil {
		t.Errorf("looking into the cluster: %v", err)
	}
	if err := platform.Access.Withdraw(ctx, of, string(access.UID), func(string) {}); err != nil {
		t.Error(err)
	}
	if err := platform.Requests.Withdraw(ctx, of, string(request.UID), func(string) {}); err != nil {
		t.Error(err)
	}
}

// Without the operator among the programs there is no platform cluster, and all else works.
func TestPlatformThatIsNotBuilt(t *testing.T) {
	t.Parallel()
	if p, err := startPlatform(t.Context(), nil, nil, t.TempDir()); p != nil || err != nil {
		t.Errorf("%v, %v", p, err)
	}
}

// expectDatabase sees that the file leads to PostgreSQL as the role that may only read, and returns the address.
func expectDatabase(t *testing.T, path, as string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the URL holds a password, and may be read by others: %v, %v", info.Mode(), err)
	}
	database, err := url.Parse(strings.TrimSpace(string(content)))
	if err != nil {
		t.Fatal(err)
	}
	if role := database.User.Username(); role != as {
		t.Errorf("the URL is one of the role %q", role)
	}
	connection, err := net.Dial("tcp", database.Host)
	if err != nil {
		t.Fatal(err)
	}
	_ = connection.Close()
	return database.Host
}

func TestDatabaseThatIsNotThere(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for _, test := range []struct{ err, want error }{{postgres.ErrNotInstalled, nil}, {broken, broken}} {
		d, err := startDatabase(t.Context(), func(context.Context, postgres.Options) (*postgres.Server, error) {
			return nil, test.err
		})
		if d != nil || !errors.Is(err, test.want) {
			t.Errorf("after %v: %v, %v", test.err, d, err)
		}
		if err := d.stop(); err != nil {
			t.Errorf("stopping none: %v", err)
		}
	}
}

// A landscape is laid on a Garden of this machine alone: any other one has accounts of its own.
func TestLandscapeElsewhere(t *testing.T) {
	t.Parallel()
	in := func(folder, server string) string {
		path := filepath.Join(folder, "kubeconfig")
		text := fmt.Sprintf("apiVersion: v1\nkind: Config\nclusters: [{name: c, cluster: {server: %q}}]\n"+
			"contexts: [{name: c, context: {cluster: c, user: c}}]\ncurrent-context: c\nusers: [{name: c}]\n", server)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	kubeconfig := func(server string) string { return in(t.TempDir(), server) }
	for name, test := range map[string]struct{ kubeconfig, namespace, says string }{
		"a tunnel":            {kubeconfig("https://127.0.0.1:1"), "garden-prod", "make garden"},
		"nothing is set":      {"", "", "make garden"},
		"another machine":     {kubeconfig("https://garden.example.com"), "garden-prod", "https://garden.example.com"},
		"an address of a LAN": {kubeconfig("https://192.168.1.5:6443"), "garden-prod", "192.168.1.5"},
	} {
		if _, err := runningGarden(test.kubeconfig, test.namespace); err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	own := filepath.Join(t.TempDir(), ".garden")
	if err := os.Mkdir(own, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := runningGarden(in(own, "https://127.0.0.1:1"), "garden-hap"); err != nil && !strings.Contains(err.Error(), "refused") {
		t.Errorf("this machine: %v", err)
	}
	for _, arguments := range [][]string{{"landscapes"}, {"landscape", "away"}, {"landscape", "remove", "all"}} {
		if err := lay(t.Context(), arguments, io.Discard); err == nil || !strings.Contains(err.Error(), "unknown arguments") {
			t.Errorf("%q: %v", arguments, err)
		}
	}
}

func TestQuote(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"/plain/path-1.rc": "/plain/path-1.rc",
		"/with space":      "'/with space'",
		"/it's":            `'/it'\''s'`,
	} {
		if got := quote(path); got != want {
			t.Errorf("quote(%q) = %s instead of %s", path, got, want)
		}
	}
}
