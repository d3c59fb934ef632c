package testbed

import (
	"context"
	"fmt"
	"strconv"
	"testing"

	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	securityv1alpha1 "github.com/gardener/gardener/pkg/apis/security/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Namespace is the namespace of a Gardener project: one pool of accounts.
type Namespace struct {
	// Name of the namespace, for example garden-t1.
	Name string

	garden *Garden
	client client.Client
}

// OpenNamespace is an existing namespace as the user of a connection sees it: its methods speak with that connection. It
// knows no [Garden].
func OpenNamespace(config *rest.Config, name string) (*Namespace, error) {
	own, err := newClient(config)
	if err != nil {
		return nil, err
	}
	return &Namespace{Name: name, client: own}, nil
}

// NewNamespace makes a project with an empty namespace for one test. It goes with the Garden.
func (g *Garden) NewNamespace(t testing.TB) *Namespace {
	t.Helper()
	ctx, cancel := callContext()
	defer cancel()
	for {
		// A project's name is short: Gardener allows 21 characters for it and that of a Shoot together.
		ns, err := g.makeNamespace(ctx, "t"+strconv.FormatInt(g.namespaces.Add(1), 36), t.Name())
		switch {
		case err == nil:
			return ns
		case !apierrors.IsAlreadyExists(err): // that of another process
			t.Fatal(err)
		}
	}
}

// MakeNamespace makes a project of this name (at most ten characters) and its namespace,
// garden-<project>.
func (g *Garden) MakeNamespace(ctx context.Context, project string) (*Namespace, error) {
	return g.makeNamespace(ctx, project, "")
}

func (g *Garden) makeNamespace(ctx context.Context, project, test string) (*Namespace, error) {
	ns := &Namespace{Name: "garden-" + project, garden: g, client: g.client}
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

// Client is the client that the methods speak with: the administrator's, unless [OpenNamespace] was given another.
func (ns *Namespace) Client() client.Client { return ns.client }

// Version is the resourceVersion of now.
func (ns *Namespace) Version(t testing.TB) string {
	t.Helper()
	ctx, cancel := callContext()
	defer cancel()
	list := &securityv1alpha1.CredentialsBindingList{}
	if err := ns.client.List(ctx, list, client.InNamespace(ns.Name), client.Limit(1)); err != nil {
		t.Fatalf("asking for the version of now: %v", err)
	}
	return list.ResourceVersion
}
