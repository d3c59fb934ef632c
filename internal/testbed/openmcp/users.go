package openmcp

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
)

// User is a service account in a namespace of a platform cluster that has the rights of a file and nothing else.
type User struct {
	Config *rest.Config
	// Kubeconfig is the path of its kubeconfig, whose context names the namespace. It goes with the platform cluster.
	Kubeconfig string

	account *corev1.ServiceAccount
	write   func(config *rest.Config) (path string, err error)
}

// Through writes a kubeconfig of the user whose connection is led elsewhere, say through a proxy, and returns its path. It goes with
// the platform cluster.
func (u User) Through(t testing.TB, lead func(*rest.Config)) string {
	t.Helper()
	path, err := u.WriteThrough(lead)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// WriteThrough is Through for programs.
func (u User) WriteThrough(lead func(*rest.Config)) (path string, err error) {
	config := rest.CopyConfig(u.Config)
	lead(config)
	return u.write(config)
}

// ServiceAccount makes a user with the Roles and ClusterRoles of a YAML file, and returns once the server grants their rights. The
// Roles come into the namespace, whatever the file says. Other kinds are an error.
func (p *Platform) ServiceAccount(t testing.TB, namespace, name string, roles []byte) User {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
	defer cancel()
	user, err := p.MakeUser(ctx, namespace, name, roles)
	if err != nil {
		t.Fatal(fmt.Errorf("making the user %s: %w", name, err))
	}
	return user
}

// MakeUser is ServiceAccount for programs.
func (p *Platform) MakeUser(ctx context.Context, namespace, name string, roles []byte) (u User, err error) {
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	if err := p.client.Create(ctx, account); err != nil {
		return u, err
	}
	u.account = account
	rights, err := p.allow(ctx, account, namespace, roles)
	if err != nil {
		return u, err
	}
	token := &authenticationv1.TokenRequest{}
	if err := p.client.SubResource("token").Create(ctx, account, token); err != nil {
		return u, err
	}
	admin := p.Config()
	u.Config = &rest.Config{
		Host: admin.Host, BearerToken: token.Status.Token, TLSClientConfig: rest.TLSClientConfig{CAData: admin.CAData}, QPS: -1,
	}
	if err := p.waitForRights(ctx, u.Config, rights); err != nil {
		return u, err
	}
	u.write = func(config *rest.Config) (string, error) { return p.writeKubeconfig(config, namespace, name) }
	u.Kubeconfig, err = u.write(u.Config)
	return u, err
}

// AlsoIn gives a user the rights of a YAML file in another namespace too: see [Platform.ServiceAccount].
func (p *Platform) AlsoIn(t testing.TB, namespace string, user User, roles []byte) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
	defer cancel()
	rights, err := p.allow(ctx, user.account, namespace, roles)
	if err == nil {
		err = p.waitForRights(ctx, user.Config, rights)
	}
	if err != nil {
		t.Fatal(fmt.Errorf("giving %s rights in %s: %w", user.account.Name, namespace, err))
	}
}

// allow makes the roles of a file, the Roles in a namespace, and binds them to an account. It returns what they allow, one by one.
func (p *Platform) allow(
	ctx context.Context, account *corev1.ServiceAccount, namespace string, roles []byte,
) (rights []authorizationv1.ResourceAttributes, err error) {
	subjects := []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: account.Namespace, Name: account.Name}}
	documents := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(roles)))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return rights, nil
		}
		var role rbacv1.ClusterRole // a Role has the same fields, and more than the rules are not read
		if err == nil {
			err = yaml.UnmarshalStrict(document, &role)
		}
		if err != nil {
			return nil, err
		}
		name := namespace + "-" + account.Name + "-" + role.Name
		ref := rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: role.Kind, Name: name}
		meta := metav1.ObjectMeta{Name: name}
		made := []client.Object{
			&rbacv1.ClusterRole{ObjectMeta: meta, Rules: role.Rules},
			&rbacv1.ClusterRoleBinding{ObjectMeta: meta, RoleRef: ref, Subjects: subjects},
		}
		switch role.Kind {
		case "Role":
			meta.Namespace = namespace
			made = []client.Object{
				&rbacv1.Role{ObjectMeta: meta, Rules: role.Rules}, &rbacv1.RoleBinding{ObjectMeta: meta, RoleRef: ref, Subjects: subjects},
			}
		case "ClusterRole":
		default:
			return nil, fmt.Errorf("a document of kind %q is no role", role.Kind)
		}
		for _, object := range made {
			if err := p.client.Create(ctx, object); err != nil {
				return nil, fmt.Errorf("making %T %s: %w", object, name, err)
			}
		}
		rights = append(rights, rightsOf(meta.Namespace, role.Rules)...)
	}
}

func rightsOf(namespace string, rules []rbacv1.PolicyRule) (all []authorizationv1.ResourceAttributes) {
	for _, rule := range rules {
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				for _, verb := range rule.Verbs {
					all = append(all, authorizationv1.ResourceAttributes{Namespace: namespace, Group: group, Resource: resource, Verb: verb})
				}
			}
		}
	}
	return all
}

// waitForRights returns once the server grants the rights: it learns of new roles and bindings a moment after they were written.
func (p *Platform) waitForRights(ctx context.Context, config *rest.Config, rights []authorizationv1.ResourceAttributes) error {
	asUser, err := client.New(config, client.Options{Scheme: p.client.Scheme(), Mapper: p.client.RESTMapper()})
	if err != nil {
		return err
	}
	for _, right := range rights {
		err := local.Poll(ctx, callTimeout, func(ctx context.Context) error {
			review := &authorizationv1.SelfSubjectAccessReview{
				Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &right},
			}
			if err := asUser.Create(ctx, review); err != nil {
				return err
			}
			if !review.Status.Allowed {
				return fmt.Errorf("not allowed to %s %s", right.Verb, right.Resource)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *Platform) writeKubeconfig(config *rest.Config, namespace, name string) (path string, err error) {
	content := clientcmdapi.NewConfig()
	content.Clusters["platform"] = &clientcmdapi.Cluster{Server: config.Host, CertificateAuthorityData: config.CAData}
	content.AuthInfos[name] = &clientcmdapi.AuthInfo{Token: config.BearerToken}
	content.Contexts["platform"] = &clientcmdapi.Context{Cluster: "platform", AuthInfo: name, Namespace: namespace}
	content.CurrentContext = "platform"
	folder, err := p.cluster.Scratch("user")
	if err != nil {
		return "", err
	}
	path = filepath.Join(folder, name+".kubeconfig")
	written, err := clientcmd.Write(*content)
	if err != nil {
		return "", err
	}
	return path, os.WriteFile(path, written, 0o600)
}
