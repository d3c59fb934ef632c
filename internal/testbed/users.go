package testbed

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
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
)

// rightsTimeout bounds the wait until kube-apiserver has noticed a new RoleBinding.
const rightsTimeout = 20 * time.Second

// User is a service account that has the rights of its Roles and nothing else.
type User struct {
	// Name of the service account.
	Name string
	// Token of the service account.
	Token string

	namespace *Namespace
}

// ServiceAccount makes a service account with the Roles of a YAML file and returns once the API
// grants their rights. Documents of other kinds are left out.
func (ns *Namespace) ServiceAccount(t testing.TB, name string, roleYAML []byte) *User {
	t.Helper()
	ctx, cancel := callContext()
	defer cancel()
	user, err := ns.MakeUser(ctx, name, roleYAML)
	if err != nil {
		t.Fatal(err)
	}
	return user
}

// MakeUser is ServiceAccount for programs.
func (ns *Namespace) MakeUser(ctx context.Context, name string, roleYAML []byte) (*User, error) {
	roles, err := parseRoles(roleYAML)
	if err != nil {
		return nil, fmt.Errorf("reading the role of %s: %w", name, err)
	}
	account := &corev1.ServiceAccount{ObjectMeta: ns.named(name)}
	if err := ns.client.Create(ctx, account); err != nil {
		return nil, fmt.Errorf("creating the service account %s: %w", name, err)
	}
	for _, role := range roles {
		// Several users of one namespace may be made from the same file.
		role.Name = name + "-" + role.Name
		role.Namespace = ns.Name
		if err := ns.client.Create(ctx, role); err != nil {
			return nil, fmt.Errorf("creating the role %s: %w", role.Name, err)
		}
		binding := &rbacv1.RoleBinding{
			ObjectMeta: ns.named(role.Name),
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: role.Name},
			Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: ns.Name, Name: name}},
		}
		if err := ns.client.Create(ctx, binding); err != nil {
			return nil, fmt.Errorf("binding the role %s: %w", role.Name, err)
		}
	}
	token := &authenticationv1.TokenRequest{}
	if err := ns.client.SubResource("token").Create(ctx, account, token); err != nil {
		return nil, fmt.Errorf("requesting a token for %s: %w", name, err)
	}
	user := &User{Name: name, Token: token.Status.Token, namespace: ns}
	if err := user.waitForRights(ctx, roles); err != nil {
		return nil, err
	}
	return user, nil
}

func parseRoles(content []byte) ([]*rbacv1.Role, error) {
	var roles []*rbacv1.Role
	documents := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(content)))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		var kind metav1.TypeMeta
		if err := yaml.Unmarshal(document, &kind); err != nil {
			return nil, err
		}
		if kind.Kind != "Role" {
			continue
		}
		role := &rbacv1.Role{}
		if err := yaml.UnmarshalStrict(document, role); err != nil {
			return nil, err
		}
		roles = append(roles, role)
	}
	if len(roles) == 0 {
		return nil, errors.New("it holds no document of kind Role")
	}
	return roles, nil
}

// waitForRights returns once kube-apiserver grants everything the roles allow: it learns of new
// roles and bindings a moment after they were written.
func (u *User) waitForRights(ctx context.Context, roles []*rbacv1.Role) error {
	asUser, err := newClient(u.Config())
	if err != nil {
		return err
	}
	for _, role := range roles {
		for _, attributes := range rights(role) {
			err := local.Poll(ctx, rightsTimeout, func(ctx context.Context) error {
				review := &authorizationv1.SelfSubjectAccessReview{
					Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &attributes},
				}
				if err := asUser.Create(ctx, review); err != nil {
					return err
				}
				if !review.Status.Allowed {
					return fmt.Errorf("not allowed to %s %s", attributes.Verb, attributes.Resource)
				}
				return nil
			})
			if err != nil {
				return fmt.Errorf("waiting for the rights of %s: %w", u.Name, err)
			}
		}
	}
	return nil
}

// rights lists what a role allows, one by one.
func rights(role *rbacv1.Role) []authorizationv1.ResourceAttributes {
	var all []authorizationv1.ResourceAttributes
	for _, rule := range role.Rules {
		names := rule.ResourceNames
		if len(names) == 0 {
			names = []string{""}
		}
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				for _, verb := range rule.Verbs {
					for _, name := range names {
						all = append(all, authorizationv1.ResourceAttributes{
							Namespace: role.Namespace, Group: group, Resource: resource, Verb: verb, Name: name,
						})
					}
				}
			}
		}
	}
	return all
}

// Config is the user's connection, with the same settings as the administrator's.
func (u *User) Config() *rest.Config {
	admin := u.namespace.garden.admin
	config := baseConfig()
	config.Host = admin.Host
	config.CAData = bytes.Clone(admin.CAData)
	config.BearerToken = u.Token
	return config
}

// Kubeconfig writes the user's kubeconfig, whose context names the namespace, and returns its path.
// The file goes with the Garden.
func (u *User) Kubeconfig(t testing.TB) string {
	t.Helper()
	path, err := u.WriteKubeconfig()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// WriteKubeconfig is Kubeconfig for programs.
func (u *User) WriteKubeconfig() (string, error) { return u.WriteKubeconfigOf(u.Config()) }

// WriteKubeconfigOf is WriteKubeconfig for another connection of the user, for example one that leads through a proxy.
func (u *User) WriteKubeconfigOf(config *rest.Config) (string, error) {
	content, err := kubeconfig(config, u.namespace.Name)
	if err != nil {
		return "", err
	}
	folder, err := u.namespace.garden.Scratch("user")
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, u.Name+".kubeconfig")
	return path, os.WriteFile(path, content, 0o600)
}
