package garden

import (
	"strings"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	gardensecurity "github.com/gardener/gardener/pkg/apis/security/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// Kind is what the accounts of a pool are in the Gardener API.
type Kind string

// What a pool can be made of. A pool has one kind.
const (
	// CredentialsBinding is what the broker uses today.
	CredentialsBinding Kind = "CredentialsBinding"
	// SecretBinding is what it used before; Gardener deprecates it.
	SecretBinding Kind = "SecretBinding"
	// Secret is the oldest: the labels are on the Secret itself. Only its metadata is ever fetched.
	Secret Kind = "Secret"
)

// Kinds returns all kinds, the default first.
func Kinds() []Kind { return []Kind{CredentialsBinding, SecretBinding, Secret} }

// bindingKinds are those that refer to credentials.
var bindingKinds = []Kind{CredentialsBinding, SecretBinding}

// Resource names the kind for kubectl, with its group: "credentialsbindings.security.gardener.cloud".
func (k Kind) Resource() string {
	return schema.GroupResource{Group: kinds[k].group.Group, Resource: kinds[k].resource}.String()
}

const (
	bindings       = "credentialsbindings"
	secretBindings = "secretbindings"
	shoots         = "shoots"
)

// kindOf is all in which the kinds differ.
type kindOf struct {
	group    schema.GroupVersion
	resource string
	// accept is what a request for one account accepts: the whole object if that says where the credentials lie.
	accept string
	// read takes the metadata and the credentials of an account out of an answer; nil = it is something else.
	read func(answer runtime.Object) (*metav1.ObjectMeta, *account.Credentials)
	// build makes the object of an account; nil = it is the user's.
	build func(metav1.ObjectMeta, account.Credentials) any
	named bool // a Shoot names the account; else it names a binding, and that names the account
}

var kinds = map[Kind]kindOf{
	CredentialsBinding: {
		group: gardensecurity.SchemeGroupVersion, resource: bindings, accept: kube.AcceptObject, read: readCredentialsBinding,
		build: buildCredentialsBinding, named: true,
	},
	SecretBinding: {
		group: gardencore.SchemeGroupVersion, resource: secretBindings, accept: kube.AcceptObject, read: readSecretBinding,
		build: buildSecretBinding, named: true,
	},
	Secret: {group: secretsGroup, resource: secrets, accept: kube.AcceptMetadata, read: readSecret},
}

// secretsGroup is the group of Kubernetes' own kinds, which has no name.
var secretsGroup = schema.GroupVersion{Version: "v1"}

func readCredentialsBinding(answer runtime.Object) (*metav1.ObjectMeta, *account.Credentials) {
	b, ok := answer.(*gardensecurity.CredentialsBinding)
	if !ok {
		return nil, nil
	}
	ref := b.CredentialsRef
	return &b.ObjectMeta, &account.Credentials{
		ProviderType: b.Provider.Type,
		Ref:          account.CredentialsRef{APIVersion: ref.APIVersion, Kind: ref.Kind, Namespace: ref.Namespace, Name: ref.Name},
		Quotas:       readQuotas(b.Quotas),
	}
}

func readSecretBinding(answer runtime.Object) (*metav1.ObjectMeta, *account.Credentials) {
	b, ok := answer.(*gardencore.SecretBinding)
	if !ok {
		return nil, nil
	}
	credentials := &account.Credentials{Ref: secretRef(b.SecretRef.Namespace, b.SecretRef.Name), Quotas: readQuotas(b.Quotas)}
	if b.Provider != nil {
		credentials.ProviderType = b.Provider.Type
	}
	return &b.ObjectMeta, credentials
}

func readQuotas(refs []corev1.ObjectReference) (quotas []account.QuotaRef) {
	for _, ref := range refs {
		quotas = append(quotas, account.QuotaRef{Namespace: ref.Namespace, Name: ref.Name})
	}
	return quotas
}

func readSecret(answer runtime.Object) (*metav1.ObjectMeta, *account.Credentials) {
	s, ok := answer.(*metav1.PartialObjectMetadata)
	if !ok {
		return nil, nil
	}
	return &s.ObjectMeta, &account.Credentials{ProviderType: providerTypeOf(s.Labels), Ref: secretRef(s.Namespace, s.Name)}
}

func secretRef(namespace, name string) account.CredentialsRef {
	return account.CredentialsRef{APIVersion: secretsGroup.String(), Kind: string(Secret), Namespace: namespace, Name: name}
}

// providerLabel begins the label that Gardener puts on the Secret of a binding; the provider type follows.
const providerLabel = "provider.shoot.gardener.cloud/"

// providerTypeOf returns the provider type that Gardener has noted on a Secret; "" = none, or more than one.
func providerTypeOf(labels map[string]string) string {
	found := ""
	for key, value := range labels {
		providerType, noted := strings.CutPrefix(key, providerLabel)
		switch {
		case !noted || value != "true":
		case found != "":
			return ""
		default:
			found = providerType
		}
	}
	return found
}
