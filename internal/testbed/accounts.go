package testbed

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	securityv1alpha1 "github.com/gardener/gardener/pkg/apis/security/v1alpha1"
	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
)

const (
	bulkWorkers = 16

	// gardenerFinalizer is what Gardener's controllers hold accounts and Shoots with.
	gardenerFinalizer = "gardener"
)

// AccountSpec describes an account of the pool: a Secret and the CredentialsBinding that names it.
type AccountSpec struct {
	Name string
	// Kind is another kind of account: see [Secret] and [SecretBinding]. Default: CredentialsBinding.
	Kind string
	// Secret is the name of the Secret behind a binding. Default: its own name.
	Secret string
	// SecretNamespace is that of a Secret of another namespace, which is there. Default: that of the account.
	SecretNamespace string
	// Credentials is another kind of credentials of a CredentialsBinding, of the same name: InternalSecret, or WorkloadIdentity, which is
	// made with it. Default: Secret.
	Credentials string
	// Quotas are the names of those that a CredentialsBinding refers to, in its namespace.
	Quotas []string
	// Keys rename the keys of the labels below, as in {"tenantName": "tenant-name"}.
	Keys map[string]string
	// ProviderType is one of ProviderTypes. Default: what HyperscalerType begins with, else aws.
	ProviderType string

	// The labels of the pool. A false or empty one is absent, as in a real pool.
	HyperscalerType string
	Tenant          string
	Shared          bool
	EUAccess        bool
	Dirty           bool
	Internal        bool

	// Labels are added to, and win over, those above.
	Labels      map[string]string
	Annotations map[string]string
}

func (s AccountSpec) providerType() string {
	if s.ProviderType != "" {
		return s.ProviderType
	}
	prefix, _, _ := strings.Cut(s.HyperscalerType, "_")
	if slices.Contains(ProviderTypes(), prefix) {
		return prefix
	}
	return "aws"
}

func (s AccountSpec) labels() map[string]string {
	labels := map[string]string{}
	set := func(key, value string) {
		if renamed, ok := s.Keys[key]; ok {
			key = renamed
		}
		labels[key] = value
	}
	if s.HyperscalerType != "" {
		set(LabelType, s.HyperscalerType)
	}
	if s.Tenant != "" {
		set(LabelTenant, s.Tenant)
	}
	for key, yes := range map[string]bool{
		LabelShared: s.Shared, LabelEUAccess: s.EUAccess, LabelDirty: s.Dirty, LabelInternal: s.Internal,
	} {
		if yes {
			set(key, LabelTrue)
		}
	}
	maps.Copy(labels, s.Labels)
	return labels
}

// Account makes one account, a CredentialsBinding, and returns it as the server stored it.
func (ns *Namespace) Account(t testing.TB, spec AccountSpec) *securityv1alpha1.CredentialsBinding {
	t.Helper()
	ctx, cancel := callContext()
	defer cancel()
	account, err := ns.makeAccount(ctx, spec)
	if err != nil {
		t.Fatal(err)
	}
	return account
}

// Accounts makes many accounts at once.
func (ns *Namespace) Accounts(t testing.TB, specs ...AccountSpec) {
	t.Helper()
	if err := ns.MakeAccounts(t.Context(), specs...); err != nil {
		t.Fatal(err)
	}
}

// MakeAccounts makes many accounts at once.
func (ns *Namespace) MakeAccounts(ctx context.Context, specs ...AccountSpec) error {
	return inParallel(ctx, specs, func(ctx context.Context, spec AccountSpec) error {
		return ns.makeObject(ctx, spec)
	})
}

func (ns *Namespace) makeAccount(ctx context.Context, spec AccountSpec) (*securityv1alpha1.CredentialsBinding, error) {
	if err := ns.makeCredentialsOf(ctx, spec); err != nil {
		return nil, err
	}
	account := &securityv1alpha1.CredentialsBinding{
		ObjectMeta: ns.describedBy(spec),
		Provider:   securityv1alpha1.CredentialsBindingProvider{Type: spec.providerType()},
		CredentialsRef: corev1.ObjectReference{
			APIVersion: "v1", Kind: "Secret", Name: spec.secret(), Namespace: cmp.Or(spec.SecretNamespace, ns.Name),
		},
	}
	switch ref := &account.CredentialsRef; spec.Credentials {
	case "":
	case WorkloadIdentity:
		ref.APIVersion, ref.Kind = securityv1alpha1.SchemeGroupVersion.String(), WorkloadIdentity
	default:
		ref.APIVersion, ref.Kind = gardencorev1beta1.SchemeGroupVersion.String(), spec.Credentials
	}
	for _, name := range spec.Quotas {
		account.Quotas = append(account.Quotas, corev1.ObjectReference{
			APIVersion: gardencorev1beta1.SchemeGroupVersion.String(), Kind: "Quota", Name: name, Namespace: ns.Name,
		})
	}
	if err := ns.client.Create(ctx, account); err != nil {
		return nil, fmt.Errorf("creating the account %s: %w", spec.Name, err)
	}
	return account, nil
}

// GetAccount reads an account that must exist.
func (ns *Namespace) GetAccount(t testing.TB, name string) *securityv1alpha1.CredentialsBinding {
	t.Helper()
	ctx, cancel := callContext()
	defer cancel()
	account := &securityv1alpha1.CredentialsBinding{}
	if err := ns.client.Get(ctx, ns.key(name), account); err != nil {
		t.Fatalf("reading the account %s: %v", name, err)
	}
	return account
}

// ListAccounts reads all accounts, by name.
func (ns *Namespace) ListAccounts(t testing.TB) []securityv1alpha1.CredentialsBinding {
	t.Helper()
	ctx, cancel := callContext()
	defer cancel()
	accounts, err := ns.ReadAccounts(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return accounts
}

// ReadAccounts reads all accounts, by name.
func (ns *Namespace) ReadAccounts(ctx context.Context) ([]securityv1alpha1.CredentialsBinding, error) {
	list := &securityv1alpha1.CredentialsBindingList{}
	if err := ns.client.List(ctx, list, client.InNamespace(ns.Name)); err != nil {
		return nil, fmt.Errorf("listing the accounts: %w", err)
	}
	return list.Items, nil // the server lists by key
}

// PatchLabels sets labels of an account, and removes those that are nil, whatever version it has.
func (ns *Namespace) PatchLabels(t testing.TB, name string, labels map[string]*string) {
	t.Helper()
	ns.patchAccount(t, name, map[string]any{"labels": labels})
}

// PatchAnnotations does the same to annotations.
func (ns *Namespace) PatchAnnotations(t testing.TB, name string, annotations map[string]*string) {
	t.Helper()
	ns.patchAccount(t, name, map[string]any{"annotations": annotations})
}

func (ns *Namespace) patchAccount(t testing.TB, name string, metadata map[string]any) {
	t.Helper()
	ctx, cancel := callContext()
	defer cancel()
	account := &securityv1alpha1.CredentialsBinding{ObjectMeta: ns.named(name)}
	if err := ns.patchMetadata(ctx, account, metadata); err != nil {
		t.Fatal(err)
	}
}

// DeleteAccount deletes an account and waits until it is gone. The server refuses it while a Shoot
// names an account that Gardener's finalizer holds.
func (ns *Namespace) DeleteAccount(t testing.TB, name string) {
	t.Helper()
	ns.delete(t, &securityv1alpha1.CredentialsBinding{ObjectMeta: ns.named(name)})
}

// DeleteAccountHeld deletes an account that keeps existing with a deletion timestamp, held by
// Gardener's finalizer as in production. DeleteAccount lets it go.
func (ns *Namespace) DeleteAccountHeld(t testing.TB, name string) {
	t.Helper()
	ns.deleteHeld(t, &securityv1alpha1.CredentialsBinding{ObjectMeta: ns.named(name)})
}

// HoldAccount puts Gardener's finalizer on an account, as its controllers do: a deletion then waits for DeleteAccount.
func (ns *Namespace) HoldAccount(t testing.TB, name string) {
	t.Helper()
	ns.patchAccount(t, name, map[string]any{"finalizers": []string{gardenerFinalizer}})
}

// delete takes the finalizers off an object, deletes it and waits until it is gone.
func (ns *Namespace) delete(t testing.TB, object client.Object) {
	t.Helper()
	ctx, cancel := callContext()
	defer cancel()
	err := ns.patchMetadata(ctx, object, map[string]any{"finalizers": nil})
	if err == nil {
		err = client.IgnoreNotFound(ns.client.Delete(ctx, object))
	}
	if err == nil {
		err = local.Poll(ctx, callTimeout, func(ctx context.Context) error {
			err := ns.client.Get(ctx, client.ObjectKeyFromObject(object), object)
			if err == nil {
				return fmt.Errorf("it still exists")
			}
			return client.IgnoreNotFound(err)
		})
	}
	if client.IgnoreNotFound(err) != nil {
		t.Fatalf("deleting %T %s: %v", object, object.GetName(), err)
	}
}

// deleteHeld deletes an object that Gardener's finalizer keeps.
func (ns *Namespace) deleteHeld(t testing.TB, object client.Object) {
	t.Helper()
	ctx, cancel := callContext()
	defer cancel()
	err := ns.patchMetadata(ctx, object, map[string]any{"finalizers": []string{gardenerFinalizer}})
	if err == nil {
		err = ns.client.Delete(ctx, object)
	}
	if err != nil {
		t.Fatalf("deleting %T %s: %v", object, object.GetName(), err)
	}
}

// patchMetadata merges the given metadata into an object of which only the name is known.
func (ns *Namespace) patchMetadata(ctx context.Context, object client.Object, metadata map[string]any) error {
	body, err := json.Marshal(map[string]any{"metadata": metadata})
	if err != nil {
		return err
	}
	if err := ns.client.Patch(ctx, object, client.RawPatch(types.MergePatchType, body)); err != nil {
		return fmt.Errorf("patching %T %s: %w", object, object.GetName(), err)
	}
	return nil
}

func (ns *Namespace) key(name string) client.ObjectKey {
	return client.ObjectKey{Namespace: ns.Name, Name: name}
}

func (ns *Namespace) named(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: ns.Name, Name: name}
}

// inParallel calls do for every item with a bounded number of workers, until the first error.
func inParallel[T any](ctx context.Context, items []T, do func(context.Context, T) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(bulkWorkers)
	for _, item := range items {
		group.Go(func() error { return do(ctx, item) })
	}
	return group.Wait()
}
