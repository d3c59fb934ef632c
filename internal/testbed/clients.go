package testbed

import (
	"context"
	"fmt"
	"os"

	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	securityv1alpha1 "github.com/gardener/gardener/pkg/apis/security/v1alpha1"
	"github.com/go-logr/logr"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/klog/v2"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	crlog "sigs.k8s.io/controller-runtime/pkg/log"
)

// The client libraries log through globals; a test's own output is what should be read.
func init() {
	crlog.SetLogger(logr.Discard())
	klog.SetLogger(logr.Discard())
}

var scheme = func() *runtime.Scheme {
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		clientgoscheme.AddToScheme,
		apiregistrationv1.AddToScheme,
		gardencorev1beta1.AddToScheme,
		securityv1alpha1.AddToScheme,
	} {
		if err := add(s); err != nil {
			panic(err) // two of the imported API packages contradict each other
		}
	}
	return s
}()

// mapper knows the few kinds this package writes, so that no client has to ask for discovery.
var mapper = func() meta.RESTMapper {
	m := meta.NewDefaultRESTMapper(nil)
	add := func(gv schema.GroupVersion, scope meta.RESTScope, kinds ...string) {
		for _, kind := range kinds {
			m.Add(gv.WithKind(kind), scope)
		}
	}
	add(corev1.SchemeGroupVersion, meta.RESTScopeRoot, "Namespace")
	add(corev1.SchemeGroupVersion, meta.RESTScopeNamespace, "ConfigMap", "Secret", "Service", "ServiceAccount")
	add(rbacv1.SchemeGroupVersion, meta.RESTScopeNamespace, "Role", "RoleBinding")
	add(rbacv1.SchemeGroupVersion, meta.RESTScopeRoot, "ClusterRole", "ClusterRoleBinding")
	add(authorizationv1.SchemeGroupVersion, meta.RESTScopeRoot, "SelfSubjectAccessReview")
	add(apiregistrationv1.SchemeGroupVersion, meta.RESTScopeRoot, "APIService")
	add(gardencorev1beta1.SchemeGroupVersion, meta.RESTScopeRoot, "CloudProfile", "Project")
	add(gardencorev1beta1.SchemeGroupVersion, meta.RESTScopeNamespace, "InternalSecret", "SecretBinding", "Shoot")
	add(securityv1alpha1.SchemeGroupVersion, meta.RESTScopeNamespace, "CredentialsBinding", "WorkloadIdentity")
	return m
}()

func newClient(config *rest.Config) (client.Client, error) {
	return client.New(config, client.Options{Scheme: scheme, Mapper: mapper})
}

// makeAdmin makes the administrator and the client all set-up goes through.
func (g *Garden) makeAdmin() error {
	user, err := g.plane.AddUser(envtest.User{Name: "testbed", Groups: []string{"system:masters"}}, baseConfig())
	if err != nil {
		return fmt.Errorf("making the administrator: %w", err)
	}
	g.admin = user.Config()
	g.client, err = newClient(g.admin)
	return err
}

// UserAgent is what the connections of a Garden call themselves, unless they are given another name.
const UserAgent = "hap-testbed"

// baseConfig is what all clients of a Garden have in common: they are never slowed down, never
// wait for ever and do not print the server's deprecation warnings.
func baseConfig() *rest.Config {
	return &rest.Config{
		QPS:            -1,
		Timeout:        callTimeout,
		UserAgent:      UserAgent,
		WarningHandler: rest.NoWarnings{},
	}
}

// AdminConfig is a fresh copy of the administrator's connection (system:masters): without a rate
// limit, and with a deadline of 30 seconds on every call.
func (g *Garden) AdminConfig() *rest.Config { return rest.CopyConfig(g.admin) }

// AdminClient is the administrator's client. It knows the core, RBAC and Gardener types.
func (g *Garden) AdminClient() client.Client { return g.client }

// WriteKubeconfig writes the administrator's kubeconfig; its context names the namespace.
func (g *Garden) WriteKubeconfig(path, namespace string) error {
	content, err := g.Kubeconfig(namespace)
	if err != nil {
		return err
	}
	return os.WriteFile(path, content, 0o600)
}

// Kubeconfig is the administrator's kubeconfig as text; its context names the namespace.
func (g *Garden) Kubeconfig(namespace string) ([]byte, error) {
	return kubeconfig(g.admin, namespace)
}

func kubeconfig(config *rest.Config, namespace string) ([]byte, error) {
	const name = "local-garden"
	content := clientcmdapi.NewConfig()
	content.Clusters[name] = &clientcmdapi.Cluster{
		Server:                   config.Host,
		CertificateAuthorityData: config.CAData,
	}
	content.AuthInfos[name] = &clientcmdapi.AuthInfo{
		Token:                 config.BearerToken,
		ClientCertificateData: config.CertData,
		ClientKeyData:         config.KeyData,
	}
	content.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: name, Namespace: namespace}
	content.CurrentContext = name
	return clientcmd.Write(*content)
}

// callContext bounds the calls of one helper. It does not follow the test's own context, which is
// over by the time clean-up functions run.
func callContext() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), callTimeout)
}
