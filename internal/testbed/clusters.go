package testbed

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
)

// clientAuthorities is where envtest keeps the authorities of client certificates; kube-apiserver reads it again when it changes.
const clientAuthorities = "client-cert-auth-ca.crt"

// viewerRole is what a viewer has in a cluster.
const viewerRole = "testbed:viewer"

// trustClusters makes this Garden's kube-apiserver the cluster behind every Shoot: it trusts the authority that signs the kubeconfigs
// of Shoots, and gives their groups what they have in a cluster.
func (g *Garden) trustClusters(ctx context.Context) (err error) {
	if g.clusters, err = local.NewAuthority("clusters of the local Garden"); err != nil {
		return err
	}
	path := filepath.Join(g.dir, "kube-apiserver", clientAuthorities)
	known, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("the authorities of client certificates: %w", err)
	}
	if err := os.WriteFile(path, append(known, g.clusters.Cert...), 0o600); err != nil {
		return err
	}
	// The role view of a cluster is put together by a controller, and none runs here.
	viewer := &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: viewerRole},
		Rules: []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"namespaces", "configmaps", "pods"},
			Verbs: []string{"get", "list", "watch"}}},
	}
	if err := g.client.Create(ctx, viewer); err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("making the role of viewers: %w", err)
	}
	for group, role := range map[string]string{
		"gardener.cloud:system:admins": "cluster-admin", "gardener.cloud:project:admins": "cluster-admin",
		"gardener.cloud:system:viewers": viewerRole, "gardener.cloud:project:viewers": viewerRole,
	} {
		binding := &rbacv1.ClusterRoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: group},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
			Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.GroupKind, Name: group}},
		}
		if err := g.client.Create(ctx, binding); err != nil && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("binding the group %s: %w", group, err)
		}
	}
	return nil
}

// Clusters returns the authority that signs the kubeconfigs of Shoots.
func (g *Garden) Clusters() local.Authority { return g.clusters }
