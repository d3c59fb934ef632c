package testbed

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"testing"

	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	securityv1alpha1 "github.com/gardener/gardener/pkg/apis/security/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// The kinds of objects that the accounts of a pool can be.
const (
	CredentialsBinding = "CredentialsBinding"
	SecretBinding      = "SecretBinding"
	Secret             = "Secret"
)

// Credential is the value in every Secret that the testbed makes, to be searched where it must not be.
const Credential = "not-a-real-credential"

// kindsRole is the file of the Role that the documentation has users of a kind grant.
var kindsRole = map[string]string{
	CredentialsBinding: "role.yaml", SecretBinding: "role-secretbinding.yaml", Secret: "role-secret.yaml",
}

// DocumentedRoleOf is DocumentedRole for a pool of any kind.
func DocumentedRoleOf(t testing.TB, kind string) []byte {
	t.Helper()
	return RoleExample(t, kindsRole[kind])
}

// secret is the name of the Secret behind an account.
func (s AccountSpec) secret() string { return cmp.Or(s.Secret, s.Name) }

// describedBy is the metadata of an account.
func (ns *Namespace) describedBy(spec AccountSpec) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Name:        spec.Name,
		Namespace:   ns.Name,
		Labels:      spec.labels(),
		Annotations: maps.Clone(spec.Annotations),
	}
}

// makeSecretOf makes the Secret behind a binding. It outlives its account, so an account of a name used before finds it.
func (ns *Namespace) makeSecretOf(ctx context.Context, spec AccountSpec) error {
	if spec.SecretNamespace != "" {
		return nil
	}
	secret := &corev1.Secret{ObjectMeta: ns.named(spec.secret()), StringData: map[string]string{"credential": Credential}}
	if err := ns.client.Create(ctx, secret); err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("creating the Secret of the account %s: %w", spec.Name, err)
	}
	return nil
}

// makeObject makes an account of any kind.
func (ns *Namespace) makeObject(ctx context.Context, spec AccountSpec) error {
	var account client.Object
	switch spec.Kind {
	case SecretBinding:
		if err := ns.makeSecretOf(ctx, spec); err != nil {
			return err
		}
		account = &gardencorev1beta1.SecretBinding{
			ObjectMeta: ns.describedBy(spec),
			SecretRef:  corev1.SecretReference{Name: spec.secret(), Namespace: cmp.Or(spec.SecretNamespace, ns.Name)},
			Provider:   &gardencorev1beta1.SecretBindingProvider{Type: spec.providerType()},
		}
	case Secret:
		account = &corev1.Secret{ObjectMeta: ns.describedBy(spec), StringData: map[string]string{"credential": Credential}}
	default:
		_, err := ns.makeAccount(ctx, spec)
		return err
	}
	if err := ns.client.Create(ctx, account); err != nil {
		return fmt.Errorf("creating the account %s: %w", spec.Name, err)
	}
	return nil
}

// object is an account of any kind of which only the name is known.
func (ns *Namespace) object(kind, name string) client.Object {
	switch kind {
	case SecretBinding:
		return &gardencorev1beta1.SecretBinding{ObjectMeta: ns.named(name)}
	case Secret:
		return &corev1.Secret{ObjectMeta: ns.named(name)}
	}
	return &securityv1alpha1.CredentialsBinding{ObjectMeta: ns.named(name)}
}

// GetObject reads an account of any kind, which must exist.
func (ns *Namespace) GetObject(t testing.TB, kind, name string) client.Object {
	t.Helper()
	ctx, cancel := callContext()
	defer cancel()
	object := ns.object(kind, name)
	if err := ns.client.Get(ctx, ns.key(name), object); err != nil {
		t.Fatalf("reading the %s %s: %v", kind, name, err)
	}
	return object
}

// PatchObject merges metadata into an account of any kind, whatever version it has.
func (ns *Namespace) PatchObject(t testing.TB, kind, name string, metadata map[string]any) {
	t.Helper()
	ctx, cancel := callContext()
	defer cancel()
	if err := ns.patchMetadata(ctx, ns.object(kind, name), metadata); err != nil {
		t.Fatal(err)
	}
}

// DeleteObject deletes an account of any kind and waits until it is gone.
func (ns *Namespace) DeleteObject(t testing.TB, kind, name string) {
	t.Helper()
	ns.delete(t, ns.object(kind, name))
}

// ShootBy makes a cluster that names a CredentialsBinding or a SecretBinding of the provider type aws.
func (ns *Namespace) ShootBy(t testing.TB, name, kind, binding string) {
	t.Helper()
	if err := ns.MakeShootBy(t.Context(), name, kind, binding); err != nil {
		t.Fatal(err)
	}
}

// MakeShootBy is ShootBy for programs.
func (ns *Namespace) MakeShootBy(ctx context.Context, name, kind, binding string) error {
	shoot := ns.shoot(ShootSpec{Name: name, Account: binding}, "aws")
	if kind == SecretBinding {
		shoot.Spec.CredentialsBindingName, shoot.Spec.SecretBindingName = nil, &binding
	}
	return ns.CreateShoot(ctx, shoot)
}
