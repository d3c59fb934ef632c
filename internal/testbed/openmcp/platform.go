package openmcp

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
)

// callTimeout bounds each call of the set-up.
const callTimeout = time.Minute

// Platform is a platform cluster of openMCP.
type Platform struct {
	cluster    *testbed.Garden
	client     client.WithWatch
	namespaces atomic.Int64

	mu       sync.Mutex
	operator *testbed.Program // nil = it does not run
}

// Start starts a platform cluster with the definitions and the profiles of openMCP, without an operator. The caller stops it.
func Start(ctx context.Context) (_ *Platform, err error) {
	cluster, err := testbed.Start(ctx, testbed.Options{PlatformOnly: true})
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, cluster.Stop())
		}
	}()
	return On(ctx, cluster)
}

// On makes a cluster that runs a platform cluster of openMCP.
func On(ctx context.Context, cluster *testbed.Garden) (*Platform, error) {
	p := &Platform{cluster: cluster}
	for _, step := range []func(context.Context) error{p.define, p.connect, p.house, p.offer} {
		if err := step(ctx); err != nil {
			return nil, fmt.Errorf("making a platform cluster: %w", err)
		}
	}
	return p, nil
}

// Stop ends the platform cluster with its operator.
func (p *Platform) Stop() error { return p.cluster.Stop() }

// Server is the cluster itself, for a proxy in front of it.
func (p *Platform) Server() *testbed.Garden { return p.cluster }

// Config is the administrator's connection.
func (p *Platform) Config() *rest.Config { return p.cluster.AdminConfig() }

// Client is the administrator's client. It knows core and RBAC types, and openMCP's as unstructured objects.
func (p *Platform) Client() client.Client { return p.client }

// Kubeconfig is the administrator's kubeconfig; its context names the namespace.
func (p *Platform) Kubeconfig(namespace string) ([]byte, error) {
	return p.cluster.Kubeconfig(namespace)
}

// define installs the definitions: the operator's own, and that of the Gardener cluster provider's configuration.
func (p *Platform) define(context.Context) error {
	root, err := local.RepositoryRoot()
	if err != nil {
		return err
	}
	_, err = envtest.InstallCRDs(p.cluster.AdminConfig(), envtest.CRDInstallOptions{
		Paths: []string{
			filepath.Join(p.cluster.Binaries(), "openmcp-crds"), filepath.Join(root, "internal", "testbed", "openmcp", "definitions"),
		},
		ErrorIfPathMissing: true,
	})
	if err != nil {
		return fmt.Errorf("installing the definitions of openMCP (`make tools` puts them into bin/tools): %w", err)
	}
	return nil
}

func (p *Platform) connect(context.Context) (err error) {
	mapper := meta.NewDefaultRESTMapper(nil)
	for kind, scope := range map[schema.GroupVersionKind]meta.RESTScope{
		kindOf("ClusterRequest"): meta.RESTScopeNamespace, kindOf("AccessRequest"): meta.RESTScopeNamespace,
		kindOf("Cluster"): meta.RESTScopeNamespace, kindOf("ClusterProfile"): meta.RESTScopeRoot,
		providerConfigKind: meta.RESTScopeRoot, clusterProviderKind: meta.RESTScopeRoot,
		corev1.SchemeGroupVersion.WithKind("Namespace"):                        meta.RESTScopeRoot,
		corev1.SchemeGroupVersion.WithKind("Secret"):                           meta.RESTScopeNamespace,
		corev1.SchemeGroupVersion.WithKind("ServiceAccount"):                   meta.RESTScopeNamespace,
		authorizationv1.SchemeGroupVersion.WithKind("SelfSubjectAccessReview"): meta.RESTScopeRoot,

		rbac("Role"):        meta.RESTScopeNamespace,
		rbac("RoleBinding"): meta.RESTScopeNamespace,
		rbac("ClusterRole"): meta.RESTScopeRoot, rbac("ClusterRoleBinding"): meta.RESTScopeRoot,
	} {
		mapper.Add(kind, scope)
	}
	p.client, err = client.NewWithWatch(p.cluster.AdminConfig(), client.Options{Scheme: clientgoscheme.Scheme, Mapper: mapper})
	return err
}

func rbac(kind string) schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: kind}
}

// house makes the namespace of the operator.
func (p *Platform) house(ctx context.Context) error {
	return p.client.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: operatorNamespace}})
}

// offer makes the profiles that a cluster provider would publish.
func (p *Platform) offer(ctx context.Context) error {
	for _, name := range []string{WorkerProfile, WorkerlessProfile} {
		if err := p.client.Create(ctx, profile(name)); err != nil {
			return fmt.Errorf("making the profile %s: %w", name, err)
		}
	}
	return nil
}

// profile is a profile with two versions, one of them deprecated.
func profile(name string) *unstructured.Unstructured {
	object := New("ClusterProfile", "", name)
	object.Object["spec"] = map[string]any{
		"providerRef": map[string]any{"name": ProviderName}, "providerConfigRef": map[string]any{"name": filepath.Ext(name)[1:]},
		"supportedVersions": []any{map[string]any{"version": Version}, map[string]any{"version": DeprecatedVersion, "deprecated": true}},
	}
	return object
}

// New is an object of openMCP, without a spec.
func New(kind, namespace, name string) *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: map[string]any{}}
	object.SetGroupVersionKind(kindOf(kind))
	object.SetNamespace(namespace)
	object.SetName(name)
	return object
}

func kindOf(kind string) schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: "clusters.openmcp.cloud", Version: "v1alpha1", Kind: kind}
}

var providerConfigKind = schema.GroupVersionKind{Group: "gardener.clusters.openmcp.cloud", Version: "v1alpha1", Kind: "ProviderConfig"}

var clusterProviderKind = schema.GroupVersionKind{Group: "openmcp.cloud", Version: "v1alpha1", Kind: "ClusterProvider"}

// Install makes a ClusterProvider whose status is this, for the time of a test: no operator runs here that would install it.
func (p *Platform) Install(t testing.TB, name string, status map[string]any) {
	t.Helper()
	object := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"image": "example.com/provider:v1"}}}
	object.SetGroupVersionKind(clusterProviderKind)
	object.SetName(name)
	ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
	defer cancel()
	if err := p.client.Create(ctx, object); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := client.IgnoreNotFound(p.client.Delete(context.Background(), object)); err != nil {
			t.Error(err)
		}
	})
	object.Object["status"] = status
	if err := p.client.Status().Update(ctx, object); err != nil {
		t.Fatal(err)
	}
}

// NewNamespace makes an empty namespace for one test. It goes with the platform cluster.
func (p *Platform) NewNamespace(t testing.TB) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
	defer cancel()
	name := "mcp-" + strconv.FormatInt(p.namespaces.Add(1), 36)
	if err := p.client.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}); err != nil {
		t.Fatal(err)
	}
	return name
}

// shared is the platform cluster of this test process.
var shared struct {
	sync.Mutex
	platform *Platform
	provider *Provider
	stop     func()
	err      error
}

// Shared returns the platform cluster of this test process with the operator of [Usual] and a provider, started at the first call. It
// ends the test if there is none. It ends with the process.
func Shared(t testing.TB) *Platform {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	if shared.platform == nil && shared.err == nil {
		shared.err = startShared()
	}
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.platform
}

func startShared() (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	if shared.platform, err = Start(ctx); err != nil {
		return err
	}
	if err := shared.platform.StartOperator(ctx, Usual()); err != nil {
		return errors.Join(err, shared.platform.Stop())
	}
	shared.provider = &Provider{Platform: shared.platform}
	shared.stop = shared.provider.Start(context.Background())
	fmt.Fprintf(os.Stdout, "testbed: a platform cluster with openmcp-operator\n")
	return nil
}

// StopShared stops the shared platform cluster and those of [Own] where they were started. A TestMain calls it after the tests.
func StopShared() error {
	err := stopOwn()
	shared.Lock()
	defer shared.Unlock()
	if shared.platform == nil {
		return err
	}
	if shared.stop != nil {
		shared.stop()
	}
	return errors.Join(err, shared.platform.Stop())
}
