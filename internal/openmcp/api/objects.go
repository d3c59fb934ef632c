package api

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
)

// Objects are the objects of openMCP on one platform cluster, by their kinds.
type Objects struct {
	// Namespace is that of the requests that name none.
	Namespace string

	Requests *Kinds[RequestSpec, RequestStatus]
	Clusters *ClusterKind
	Accesses *Kinds[AccessSpec, AccessStatus]
	Profiles *Kind[ProfileSpec, struct{}]
	Configs  *Kind[ProviderConfigSpec, Status]
	// Providers are the cluster providers; of their spec nothing is read.
	Providers *Kind[struct{}, Status]
	Core      *kube.Group // the API of Secrets

	client *kube.Client
}

// TakesPart says in which run the objects are made, see [kube.RunAnnotation]. It comes before the first use.
func (o *Objects) TakesPart(run string) { o.client.Run = run }

// The kinds that other packages name.
type (
	// RequestKind are the ClusterRequests of a namespace.
	RequestKind = Kind[RequestSpec, RequestStatus]
	// ClusterKind are the Clusters of all namespaces.
	ClusterKind = Kind[ClusterSpec, ClusterStatus]
)

// New returns the objects of openMCP. Requests that name no namespace lie in this one; Clusters, profiles and configurations are
// read wherever they lie. It does not dial.
func New(config *rest.Config, namespace string) (*Objects, error) {
	client, err := kube.NewClient(config)
	if err != nil {
		return nil, err
	}
	o := &Objects{
		Namespace: namespace, client: client,
		Requests: newKinds[RequestSpec, RequestStatus](KindRequest, clustersGroup, client),
		Accesses: newKinds[AccessSpec, AccessStatus](KindAccess, clustersGroup, client),
	}
	for _, open := range []func() error{
		func() (err error) {
			o.Clusters, err = newKind[ClusterSpec, ClusterStatus](KindCluster, clustersGroup, client, "")
			return err
		},
		func() (err error) {
			o.Profiles, err = newKind[ProfileSpec, struct{}](KindProfile, clustersGroup, client, "")
			return err
		},
		func() (err error) {
			o.Configs, err = newKind[ProviderConfigSpec, Status](KindConfig, gardenerGroup, client, "")
			return err
		},
		func() (err error) {
			o.Providers, err = newKind[struct{}, Status](KindProvider, providersGroup, client, "")
			return err
		},
		func() (err error) {
			o.Core, err = client.Group(corev1.SchemeGroupVersion, codecs.WithoutConversion())
			return err
		},
	} {
		if err := open(); err != nil {
			return nil, err
		}
	}
	return o, nil
}

// carriedPrefix begins the labels and annotations of a request that go on to its exclusive Cluster.
const carriedPrefix = "metadata.open-control-plane.io/"

// Carried are the labels or annotations of a request that go on to its exclusive Cluster, and that the Cluster does not have as the request
// has them; nil = there are none. What a request does not have any more stays on the Cluster: the operator never takes it away.
func Carried(request, cluster map[string]string) (carried map[string]string) {
	for key, value := range request {
		if is, there := cluster[key]; strings.HasPrefix(key, carriedPrefix) && (!there || is != value) {
			if carried == nil {
				carried = map[string]string{}
			}
			carried[key] = value
		}
	}
	return carried
}
