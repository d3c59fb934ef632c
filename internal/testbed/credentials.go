package testbed

import (
	"context"
	"fmt"
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

// WorkloadIdentity is a kind of credentials of a CredentialsBinding.
const WorkloadIdentity = "WorkloadIdentity"

// WorkloadIdentityAccount makes an account whose credentials are a WorkloadIdentity of its name.
func (ns *Namespace) WorkloadIdentityAccount(t testing.TB, spec AccountSpec) {
	t.Helper()
	spec.Credentials = WorkloadIdentity
	ns.Accounts(t, spec)
}

// makeCredentialsOf makes what a CredentialsBinding refers to.
func (ns *Namespace) makeCredentialsOf(ctx context.Context, spec AccountSpec) error {
	if spec.Credentials != WorkloadIdentity {
		return ns.makeSecretOf(ctx, spec)
	}
	identity := &securityv1alpha1.WorkloadIdentity{ObjectMeta: ns.named(spec.Name), Spec: securityv1alpha1.WorkloadIdentitySpec{
		Audiences: []string{"hap"}, TargetSystem: securityv1alpha1.TargetSystem{Type: spec.providerType()},
	}}
	if err := ns.client.Create(ctx, identity); err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("creating the WorkloadIdentity %s: %w", spec.Name, err)
	}
	return nil
}

// MakeCredentials makes what many accounts refer to, ahead of them. With [Options.ReferenceChecks] gardener-apiserver reads the Secret of
// each binding that is written, five in a second, and once more where its watch has not brought the Secret yet.
func (ns *Namespace) MakeCredentials(ctx context.Context, specs ...AccountSpec) error {
	return inParallel(ctx, specs, ns.makeCredentialsOf)
}

// RemoveAccounts deletes accounts with their credentials, for programs. What is gone already is left out.
func (ns *Namespace) RemoveAccounts(ctx context.Context, specs ...AccountSpec) error {
	return inParallel(ctx, specs, func(ctx context.Context, spec AccountSpec) error {
		objects := []client.Object{ns.object(spec.Kind, spec.Name), &corev1.Secret{ObjectMeta: ns.named(spec.secret())}}
		if spec.Credentials == WorkloadIdentity {
			objects[1] = &securityv1alpha1.WorkloadIdentity{ObjectMeta: ns.named(spec.Name)}
		}
		for _, object := range objects {
			if err := client.IgnoreNotFound(ns.client.Delete(ctx, object)); err != nil {
				return fmt.Errorf("deleting the account %s: %w", spec.Name, err)
			}
		}
		return nil
	})
}
