package testbed

import (
	"context"
	"fmt"
	"testing"

	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// Namespace is the namespace of a Gardener project: one pool of accounts.
type Namespace struct {
	// Name of the namespace, for example garden-t1.
	Name string

	garden *Garden
}

// NewNamespace makes a project with an empty namespace for one test. It goes with the Garden.
func (g *Garden) NewNamespace(t testing.TB) *Namespace {
	t.Helper()
	ctx, cancel := callContext()
	defer cancel()
	ns, err := g.makeNamespace(ctx, fmt.Sprintf("t%d", g.namespaces.Add(1)), t.Name())
	if err != nil {
		t.Fatal(err)
	}
	return ns
}

// MakeNamespace makes a project of this name (at most ten characters) and its namespace,
// garden-<project>.
func (g *Garden) MakeNamespace(ctx context.Context, project string) (*Namespace, error) {
	return g.makeNamespace(ctx, project, "")
}

func (g *Garden) makeNamespace(ctx context.Context, project, test string) (*Namespace, error) {
	ns := &Namespace{Name: "garden-" + project, garden: g}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		Name: ns.Name,
		Labels: map[string]string{
			"gardener.cloud/role":         "project",
			"project.gardener.cloud/name": project,
		},
	}}
	if err := g.client.Create(ctx, namespace); err != nil {
		return nil, fmt.Errorf("creating the namespace %s: %w", ns.Name, err)
	}
	object := &gardencorev1beta1.Project{
		ObjectMeta: metav1.ObjectMeta{Name: project},
		Spec: gardencorev1beta1.ProjectSpec{
			Namespace: ptr.To(ns.Name),
			Owner: &rbacv1.Subject{
				APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: "testbed",
			},
		},
	}
	if test != "" {
		object.Annotations = map[string]string{"hap-project.io/test": test}
	}
	if err := g.client.Create(ctx, object); err != nil {
		return nil, fmt.Errorf("creating the project %s: %w", project, err)
	}
	return ns, nil
}

// Garden is the Garden this namespace is in.
func (ns *Namespace) Garden() *Garden { return ns.garden }
