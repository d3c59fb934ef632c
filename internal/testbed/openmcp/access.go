package openmcp

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// tokenSpec is what an AccessRequest asks for, as far as the provider plays it.
type tokenSpec struct {
	Permissions []struct {
		Name      string              `json:"name"`
		Namespace string              `json:"namespace"`
		Rules     []rbacv1.PolicyRule `json:"rules"`
	} `json:"permissions"`
	RoleRefs []struct {
		Kind      string `json:"kind"`
		Namespace string `json:"namespace"`
		Name      string `json:"name"`
	} `json:"roleRefs"`
}

const operationAnnotation = "openmcp.cloud/operation"

// server is a cluster as its administrator reaches it.
type server struct {
	client client.Client
	config *rest.Config
	home   string // the namespace of the accounts that are given access
}

// platform is the platform cluster itself.
func (p *Provider) platform() server {
	return server{client: p.Platform.client, config: p.Platform.Config()}
}

// behind is the cluster that an AccessRequest leads into.
func (p *Provider) behind(ctx context.Context, request *unstructured.Unstructured) (server, error) {
	s := p.platform()
	s.home = request.GetNamespace()
	if p.Garden == nil {
		return s, nil
	}
	name, _, _ := unstructured.NestedString(request.Object, "spec", "clusterRef", "name")
	namespace, _, _ := unstructured.NestedString(request.Object, "spec", "clusterRef", "namespace")
	shoot, err := p.shootOf(ctx, New("Cluster", namespace, name))
	if err == nil && shoot != nil {
		s = server{client: p.Garden.Client(), config: p.Garden.Garden().AdminConfig(), home: p.Garden.Name}
	}
	return s, err
}

// access answers one AccessRequest, once the operator has said whose it is, and has set it to Pending: one that was changed after its
// grant, also by its deletion, is left alone before that, as by the real provider.
func (p *Provider) access(ctx context.Context, request *unstructured.Unstructured) error {
	labels := request.GetLabels()
	phase, _, _ := unstructured.NestedString(request.Object, "status", "phase")
	observed, _, _ := unstructured.NestedInt64(request.Object, "status", "observedGeneration")
	switch {
	case labels["clusters.openmcp.cloud/provider"] != ProviderName || labels["clusters.openmcp.cloud/profile"] == "":
		return nil
	case phase != "Pending" && (phase != "Granted" || observed != request.GetGeneration()): // the operator has to set it to Pending first
		return nil
	case request.GetDeletionTimestamp() != nil:
		return p.letGo(ctx, request)
	}
	p.mu.Lock()
	silent := p.silent[request.GetNamespace()]
	p.mu.Unlock()
	if silent || request.GetAnnotations()[operationAnnotation] == "ignore" {
		return nil
	}
	if !slices.Contains(request.GetFinalizers(), providerFinalizer) {
		return p.hold(ctx, request, Version)
	}
	again := request.GetAnnotations()[operationAnnotation] == "reconcile"
	if phase == "Granted" && observed == request.GetGeneration() && !again {
		return nil
	}
	secret, err := p.grant(ctx, request)
	if err != nil {
		return err
	}
	if again {
		base := request.DeepCopy()
		annotations := request.GetAnnotations()
		delete(annotations, operationAnnotation)
		request.SetAnnotations(annotations)
		if err := p.Platform.client.Patch(ctx, request, client.MergeFrom(base)); err != nil {
			return err
		}
	}
	return p.tell(ctx, request, "Granted", map[string]any{"secretRef": map[string]any{"name": secret}})
}

// grant makes the account, its rights and its token, and puts them into a Secret.
func (p *Provider) grant(ctx context.Context, request *unstructured.Unstructured) (secret string, err error) {
	var spec tokenSpec
	wanted, byToken, _ := unstructured.NestedMap(request.Object, "spec", "token")
	to, err := p.behind(ctx, request)
	if err != nil {
		return "", err
	}
	if !byToken { // with OIDC each user brings a token of its own
		return p.publish(ctx, request, to, &clientcmdapi.AuthInfo{Exec: &clientcmdapi.ExecConfig{
			APIVersion: "client.authentication.k8s.io/v1", Command: "kubectl", Args: []string{"oidc-login", "get-token"},
			InteractiveMode: clientcmdapi.IfAvailableExecInteractiveMode,
		}}, nil)
	}
	text, err := json.Marshal(wanted)
	if err == nil {
		err = json.Unmarshal(text, &spec)
	}
	if err != nil {
		return "", err
	}
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: to.home, Name: "access-" + request.GetName()}}
	if err := to.ensure(ctx, account); err != nil {
		return "", err
	}
	if err := to.allow(ctx, account, spec); err != nil {
		return "", err
	}
	token := &authenticationv1.TokenRequest{}
	if err := to.client.SubResource("token").Create(ctx, account, token); err != nil {
		return "", err
	}
	return p.publish(ctx, request, to, &clientcmdapi.AuthInfo{Token: token.Status.Token}, map[string][]byte{
		"creationTimestamp":   []byte(strconv.FormatInt(token.CreationTimestamp.Unix(), 10)),
		"expirationTimestamp": []byte(strconv.FormatInt(token.Status.ExpirationTimestamp.Unix(), 10)),
	})
}

// allow binds the account to exactly what was asked for.
func (s server) allow(ctx context.Context, account *corev1.ServiceAccount, spec tokenSpec) error {
	subjects := []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: account.Namespace, Name: account.Name}}
	bind := func(kind, namespace, role, name string) error {
		ref := rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: kind, Name: role}
		if namespace == "" {
			return s.ensure(ctx, &rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{Name: name}, RoleRef: ref, Subjects: subjects})
		}
		meta := metav1.ObjectMeta{Namespace: namespace, Name: name}
		return s.ensure(ctx, &rbacv1.RoleBinding{ObjectMeta: meta, RoleRef: ref, Subjects: subjects})
	}
	for i, permission := range spec.Permissions {
		name := permission.Name
		if name == "" {
			name = fmt.Sprintf("%s-%s-%d", account.Namespace, account.Name, i)
		}
		kind, object := "ClusterRole", client.Object(&rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: permission.Rules})
		if permission.Namespace != "" {
			if err := s.ensure(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: permission.Namespace}}); err != nil {
				return err
			}
			kind, object = "Role", &rbacv1.Role{
				ObjectMeta: metav1.ObjectMeta{Namespace: permission.Namespace, Name: name}, Rules: permission.Rules,
			}
		}
		if err := s.replace(ctx, object); err != nil {
			return err
		}
		if err := bind(kind, permission.Namespace, name, name); err != nil {
			return err
		}
	}
	for i, ref := range spec.RoleRefs {
		if err := bind(ref.Kind, ref.Namespace, ref.Name, account.Namespace+"-"+account.Name+"-ref"+strconv.Itoa(i)); err != nil {
			return err
		}
	}
	return nil
}

// publish writes the Secret that the AccessRequest names.
func (p *Provider) publish(
	ctx context.Context, request *unstructured.Unstructured, to server, user *clientcmdapi.AuthInfo, data map[string][]byte,
) (name string, err error) {
	content := clientcmdapi.NewConfig()
	content.Clusters["cluster"] = &clientcmdapi.Cluster{Server: to.config.Host, CertificateAuthorityData: to.config.CAData}
	content.AuthInfos["user"] = user
	content.Contexts["cluster"] = &clientcmdapi.Context{Cluster: "cluster", AuthInfo: "user"}
	content.CurrentContext = "cluster"
	kubeconfig, err := clientcmd.Write(*content)
	if err != nil {
		return "", err
	}
	all := map[string][]byte{"kubeconfig": kubeconfig}
	maps.Copy(all, data)
	name = request.GetName() + ".kubeconfig"
	meta := metav1.ObjectMeta{Namespace: request.GetNamespace(), Name: name}
	return name, p.platform().replace(ctx, &corev1.Secret{ObjectMeta: meta, Data: all})
}

// ensure makes an object where there is none.
func (s server) ensure(ctx context.Context, object client.Object) error {
	if err := s.client.Create(ctx, object); err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	return nil
}

// replace makes an object, or makes the one that is there the same.
func (s server) replace(ctx context.Context, object client.Object) error {
	err := s.client.Create(ctx, object)
	if apierrors.IsAlreadyExists(err) {
		object.SetResourceVersion("")
		return s.client.Update(ctx, object)
	}
	return err
}
