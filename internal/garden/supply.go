package garden

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	gardensecurity "github.com/gardener/gardener/pkg/apis/security/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

const (
	internalSecret     = "InternalSecret"
	workloadIdentity   = "WorkloadIdentity"
	workloadIdentities = "workloadidentities"
)

// CredentialsRefOf returns a reference with the version of its kind; an empty kind is a Secret.
func CredentialsRefOf(kind, namespace, name string) account.CredentialsRef {
	ref := secretRef(namespace, name)
	switch kind {
	case workloadIdentity:
		ref.APIVersion, ref.Kind = gardensecurity.SchemeGroupVersion.String(), kind
	case internalSecret: // of an imported account
		ref.APIVersion, ref.Kind = gardencore.SchemeGroupVersion.String(), kind
	}
	return ref
}

// CredentialsRefError says that an account of a kind cannot have the credentials that it was to have.
type CredentialsRefError struct {
	Kind Kind
	Why  string
}

// Error names the kind.
func (e *CredentialsRefError) Error() string {
	return fmt.Sprintf("an account that is a %s %s", e.Kind, e.Why)
}

// CredentialsRef returns the reference to the credentials of an account of this kind as it is written: with the version of
// their kind, and where the namespace is left out, that of the account. A Secret is its own credentials; nil = not given.
//
// Errors: [CredentialsRefError].
func (k Kind) CredentialsRef(namespace, account string, given *account.CredentialsRef) (account.CredentialsRef, error) {
	own := secretRef(namespace, account)
	if given == nil {
		if k != Secret {
			return own, &CredentialsRefError{k, "needs a reference to its credentials"}
		}
		return own, nil
	}
	ref := CredentialsRefOf(given.Kind, cmp.Or(given.Namespace, namespace), given.Name)
	switch {
	case ref.Name == "" && k == Secret:
		return own, nil
	case ref.Name == "":
		return ref, &CredentialsRefError{k, "needs the name of its credentials"}
	case k == Secret && ref != own:
		return ref, &CredentialsRefError{k, fmt.Sprintf("has no other credentials: the reference can only name the Secret %s in namespace %q",
			account, namespace)}
	case k == SecretBinding && ref.Kind != string(Secret):
		return ref, &CredentialsRefError{k, fmt.Sprintf("cannot refer to a %s, only to a Secret", ref.Kind)}
	}
	return ref, nil
}

// OwnsObjects reports whether accounts are objects of their own; see pool.Store.
func (g *Garden) OwnsObjects() bool { return g.kind.build != nil }

// Create makes an account; see pool.Store.
func (g *Garden) Create(ctx context.Context, supply account.Supply) (account.Account, error) {
	meta, err := g.metadata(supply)
	if err != nil {
		return account.Account{}, err
	}
	body, err := json.Marshal(g.kind.build(meta, supply.Credentials))
	if err != nil {
		return account.Account{}, fmt.Errorf("encoding the account: %w", err)
	}
	var a account.Account
	what := g.call("create", supply.Name)
	err = kube.Write(ctx, what, func(ctx context.Context) (err error) {
		answer, got, err := g.answered(g.accounts.Request(what).SetHeader("Accept", g.kind.accept).
			SetHeader("Content-Type", runtime.ContentTypeJSON).Body(body).Do(ctx), g.kind, "")
		a = answer
		switch {
		case err != nil:
			return err
		case answer.UID == "" || answer.Version == "":
			return &kube.UnconfirmedError{What: "metadata.uid and metadata.resourceVersion"}
		case answer.Credentials == nil || answer.Credentials.Ref != supply.Credentials.Ref:
			return &kube.UnconfirmedError{What: "the reference to the credentials"}
		}
		return kube.Confirm(map[string]any{"metadata": map[string]any{
			"name": meta.Name, "labels": meta.Labels, "annotations": meta.Annotations,
		}}, map[string]any{"metadata": got})
	})
	if err != nil {
		return account.Account{}, Translate(err)
	}
	return a, nil
}

// metadata is that of an account that is made.
func (g *Garden) metadata(supply account.Supply) (metav1.ObjectMeta, error) {
	if err := account.CheckLabelValue(supply.HyperscalerType); err != nil { // without it the object is no account
		return metav1.ObjectMeta{}, fmt.Errorf("hyperscaler type %q: %w", supply.HyperscalerType, err)
	}
	meta := metav1.ObjectMeta{Name: supply.Name, Namespace: g.namespace, Labels: map[string]string{}}
	for key, value := range supply.Labels {
		meta.Labels[key] = value
	}
	meta.Labels[g.keys.HyperscalerType] = supply.HyperscalerType
	for flag, on := range map[account.Flag]bool{
		account.FlagShared: supply.Shared, account.FlagEUAccess: supply.EUAccess, account.FlagInternal: supply.Internal,
	} {
		if on { // the broker passes over an account that has the key, whatever it says
			meta.Labels[g.keys.flag(flag)] = "true"
		}
	}
	if supply.Quarantine != "" {
		meta.Labels[g.keys.Dirty] = string(account.Quarantined)
		meta.Annotations = map[string]string{account.QuarantineAnnotation: supply.Quarantine}
	}
	return meta, nil
}

func buildCredentialsBinding(meta metav1.ObjectMeta, c account.Credentials) any {
	return &gardensecurity.CredentialsBinding{
		TypeMeta:   metav1.TypeMeta{APIVersion: gardensecurity.SchemeGroupVersion.String(), Kind: string(CredentialsBinding)},
		ObjectMeta: meta, Provider: gardensecurity.CredentialsBindingProvider{Type: c.ProviderType},
		CredentialsRef: corev1.ObjectReference{APIVersion: c.Ref.APIVersion, Kind: c.Ref.Kind, Namespace: c.Ref.Namespace, Name: c.Ref.Name},
		Quotas:         buildQuotas(c.Quotas),
	}
}

func buildSecretBinding(meta metav1.ObjectMeta, c account.Credentials) any {
	return &gardencore.SecretBinding{
		TypeMeta:   metav1.TypeMeta{APIVersion: gardencore.SchemeGroupVersion.String(), Kind: string(SecretBinding)},
		ObjectMeta: meta, Provider: &gardencore.SecretBindingProvider{Type: c.ProviderType},
		SecretRef: corev1.SecretReference{Namespace: c.Ref.Namespace, Name: c.Ref.Name},
		Quotas:    buildQuotas(c.Quotas),
	}
}

func buildQuotas(quotas []account.QuotaRef) (refs []corev1.ObjectReference) {
	for _, q := range quotas {
		refs = append(refs, corev1.ObjectReference{
			APIVersion: gardencore.SchemeGroupVersion.String(), Kind: "Quota", Namespace: q.Namespace, Name: q.Name,
		})
	}
	return refs
}

// Delete deletes an account; see pool.Store.
func (g *Garden) Delete(ctx context.Context, judged account.Account) error {
	if judged.UID == "" || judged.Version == "" { // the server would delete whatever it finds
		return fmt.Errorf("account %s is not to be deleted without the UID and the version that were judged", judged.Name)
	}
	uid := types.UID(judged.UID)
	body, err := json.Marshal(&metav1.DeleteOptions{
		TypeMeta:      metav1.TypeMeta{APIVersion: "v1", Kind: "DeleteOptions"},
		Preconditions: &metav1.Preconditions{UID: &uid, ResourceVersion: &judged.Version},
	})
	if err != nil {
		return fmt.Errorf("encoding the precondition: %w", err)
	}
	what := g.call("delete", judged.Name)
	return Translate(kube.Write(ctx, what, func(ctx context.Context) error {
		return g.accounts.Request(what).SetHeader("Content-Type", runtime.ContentTypeJSON).Body(body).Do(ctx).Error()
	}))
}

// FindCredentials returns what the labels of the object say that a reference names; see pool.Store. Nothing but its metadata is fetched.
func (g *Garden) FindCredentials(ctx context.Context, ref account.CredentialsRef) (account.Account, error) {
	group, resource := g.secretMetadata, secrets
	if ref.Kind == workloadIdentity {
		group, resource = g.security, workloadIdentities
	}
	var found account.Account
	what := kube.Call{Verb: "get", Resource: resource, Namespace: ref.Namespace, Name: ref.Name}
	err := kube.Read(ctx, what, func(ctx context.Context) error {
		answer, err := kube.Answer[*metav1.PartialObjectMetadata](group.Request(what).SetHeader("Accept", kube.AcceptMetadata).Do(ctx))
		if err == nil {
			found = g.keys.account(&answer.ObjectMeta)
		}
		return err
	})
	failed, ok := errors.AsType[*kube.Error](err)
	switch {
	case ok && failed.Reason == kube.NotFound:
		return found, &account.NoCredentialsError{Ref: ref}
	case ok && failed.Reason == kube.Forbidden: // Gardener would refuse the account
		return found, &account.NoCredentialsError{Ref: ref, Err: Translate(err)}
	}
	return found, Translate(err)
}
