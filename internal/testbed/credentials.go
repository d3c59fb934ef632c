package testbed

import (
	"context"
	"testing"

	securityv1alpha1 "github.com/gardener/gardener/pkg/apis/security/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Secret makes a Secret. An account of its name that is made later refers to it.
func (ns *Namespace) Secret(t testing.TB, name string, data map[string][]byte) {
	t.Helper()
	ctx, cancel := callContext()
	defer cancel()
	if err := ns.client.Create(ctx, &corev1.Secret{ObjectMeta: ns.named(name), Data: data}); err != nil {
		t.Fatalf("creating the Secret %s: %v", name, err)
	}
}

// PutSecret makes a Secret, or writes it anew, for programs.
func (ns *Namespace) PutSecret(ctx context.Context, name string, data map[string]string) error {
	secret := &corev1.Secret{ObjectMeta: ns.named(name), StringData: data}
	err := ns.client.Create(ctx, secret)
	if apierrors.IsAlreadyExists(err) {
		err = ns.client.Update(ctx, secret)
	}
	return err
}

// RemoveSecret deletes a Secret that may be gone, for programs.
func (ns *Namespace) RemoveSecret(ctx context.Context, name string) error {
	return client.IgnoreNotFound(ns.client.Delete(ctx, &corev1.Secret{ObjectMeta: ns.named(name)}))
}

// DeleteSecret deletes the Secret of an account, which stays.
func (ns *Namespace) DeleteSecret(t testing.TB, name string) {
	t.Helper()
	ns.delete(t, &corev1.Secret{ObjectMeta: ns.named(name)})
}

// WorkloadIdentityAccount makes an account whose credentials are a WorkloadIdentity of its name.
func (ns *Namespace) WorkloadIdentityAccount(t testing.TB, spec AccountSpec) {
	t.Helper()
	ctx, cancel := callContext()
	defer cancel()
	identity := &securityv1alpha1.WorkloadIdentity{ObjectMeta: ns.named(spec.Name), Spec: securityv1alpha1.WorkloadIdentitySpec{
		Audiences: []string{"hap"}, TargetSystem: securityv1alpha1.TargetSystem{Type: spec.providerType()},
	}}
	account := &securityv1alpha1.CredentialsBinding{
		ObjectMeta: ns.named(spec.Name),
		Provider:   securityv1alpha1.CredentialsBindingProvider{Type: spec.providerType()},
		CredentialsRef: corev1.ObjectReference{
			APIVersion: securityv1alpha1.SchemeGroupVersion.String(), Kind: "WorkloadIdentity", Name: spec.Name, Namespace: ns.Name,
		},
	}
	account.Labels = spec.labels()
	if err := ns.client.Create(ctx, identity); err != nil {
		t.Fatalf("creating the WorkloadIdentity %s: %v", spec.Name, err)
	}
	if err := ns.client.Create(ctx, account); err != nil {
		t.Fatalf("creating the account %s: %v", spec.Name, err)
	}
}
