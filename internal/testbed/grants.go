package testbed

import (
	"bytes"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Grant gives the user what the Roles or ClusterRoles of a YAML file allow, in another namespace; nil = in all. It returns once the API
// grants these rights.
func (u *User) Grant(t testing.TB, in *Namespace, roleYAML []byte) {
	t.Helper()
	ctx, cancel := callContext()
	defer cancel()
	roles, err := parseRoles(bytes.ReplaceAll(roleYAML, []byte("kind: ClusterRole"), []byte("kind: Role")))
	if err != nil {
		t.Fatal(err)
	}
	subjects := []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: u.namespace.Name, Name: u.Name}}
	for _, role := range roles {
		role.Namespace = ""
		meta := metav1.ObjectMeta{Name: u.namespace.Name + "-" + u.Name + "-" + role.Name}
		ref := rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: meta.Name}
		objects := []client.Object{
			&rbacv1.ClusterRole{ObjectMeta: meta, Rules: role.Rules},
			&rbacv1.ClusterRoleBinding{ObjectMeta: meta, Subjects: subjects, RoleRef: ref},
		}
		if in != nil {
			meta.Namespace, role.Namespace, ref.Kind = in.Name, in.Name, "Role"
			objects = []client.Object{
				&rbacv1.Role{ObjectMeta: meta, Rules: role.Rules},
				&rbacv1.RoleBinding{ObjectMeta: meta, Subjects: subjects, RoleRef: ref},
			}
		}
		for _, object := range objects {
			if err := u.namespace.client.Create(ctx, object); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				ctx, cancel := callContext()
				defer cancel()
				if err := client.IgnoreNotFound(u.namespace.client.Delete(ctx, object)); err != nil {
					t.Error(err)
				}
			})
		}
	}
	if err := u.waitForRights(ctx, roles); err != nil {
		t.Fatal(err)
	}
}
