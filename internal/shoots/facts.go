package shoots

import (
	"time"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
)

// Shoot is a Shoot as it was seen.
type Shoot struct {
	Namespace, Name, UID string
	// Account is the binding that its workers use; empty = it has none.
	Account string
	// Credentials and Secret are the bindings by the fields that name them: a CredentialsBinding and a SecretBinding; empty = none.
	Credentials, Secret string
	// Made reports whether hap_shoot has made it.
	Made bool
	// Protected reports whether it is kept from deletion, see [kube.ProtectionAnnotation].
	Protected bool
	// Generation counts the changes of its spec, and what else Gardener is asked to do.
	Generation int64
	// MadeAt is when it was made, by the server's clock.
	MadeAt time.Time
	// TechnicalID is its name in its seed; empty = Gardener has given it none yet. Seed is empty until Gardener has chosen one.
	TechnicalID, Seed string
	KubernetesVersion string
	Workerless        bool
	Hibernated        bool
	Addresses         map[string]string // the URLs of its API server, by the names that Gardener gives them
	Conditions        map[string]string // what Gardener watches: "True", "False", "Progressing" or "Unknown"
	// Authority identifies the certificate authority of the cluster; empty = it was never rotated.
	Authority string
	Status    Status
	Deleting  bool

	live  *gardencore.Shoot
	whole map[string]any // the same as the server has it, with the fields that the types do not know; nil = it was not read so
}

// seen is a Shoot as Gardener answers it.
func seen(live *gardencore.Shoot) Shoot {
	s := Shoot{
		Namespace: live.Namespace, Name: live.Name, UID: string(live.UID), Account: accountOf(live.Spec),
		Credentials: text(live.Spec.CredentialsBindingName),
		Secret:      text(live.Spec.SecretBindingName), //nolint:staticcheck // older landscapes have it
		Made:        IsMade(live.Annotations), MadeAt: live.CreationTimestamp.UTC(), Protected: kube.IsProtected(live.Annotations),
		Generation:  live.Generation,
		TechnicalID: live.Status.TechnicalID, Seed: text(live.Status.SeedName), KubernetesVersion: live.Spec.Kubernetes.Version,
		Workerless: len(live.Spec.Provider.Workers) == 0, Hibernated: live.Status.IsHibernated, Deleting: live.DeletionTimestamp != nil,
		Addresses: map[string]string{}, Conditions: map[string]string{}, Status: StatusOf(live), live: live,
	}
	for _, a := range live.Status.AdvertisedAddresses {
		s.Addresses[a.Name] = a.URL
	}
	for _, c := range live.Status.Conditions {
		s.Conditions[string(c.Type)] = string(c.Status)
	}
	if c := live.Status.Credentials; c != nil && c.Rotation != nil && c.Rotation.CertificateAuthorities != nil {
		rotation := c.Rotation.CertificateAuthorities
		s.Authority = string(rotation.Phase)
		if rotation.LastInitiationTime != nil {
			s.Authority += " " + rotation.LastInitiationTime.UTC().Format("2006-01-02T15:04:05Z")
		}
	}
	return s
}

// IsOf reports whether the Shoot has the labels of a Cluster.
func (s Shoot) IsOf(namespace, name string) bool {
	return s.live != nil && s.live.Labels[clusterNamespaceLabel] == namespace && s.live.Labels[clusterNameLabel] == name
}

// OfCluster is the Cluster that the labels of the Shoot name, whatever party has set them; zero = they name none.
func (s Shoot) OfCluster() (of Cluster) {
	if s.live == nil {
		return of
	}
	return Cluster{s.live.Labels[clusterNamespaceLabel], s.live.Labels[clusterNameLabel]}
}

// IsMade reports whether the annotations of a Shoot say that hap_shoot has made it.
func IsMade(annotations map[string]string) bool { return annotations[markAnnotation] != "" }

// accountOf returns the binding that a spec names, under either name of the field.
func accountOf(spec gardencore.ShootSpec) string { return bindingOf(spec).Name }
