package api

import (
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"

	corev1 "k8s.io/api/core/v1"

	"github.com/hap-project/terraform-provider-hap/internal/clusters/operator"
	"github.com/hap-project/terraform-provider-hap/internal/kube"
)

// The types of this file are the fields of openMCP's API v1alpha1 that the provider reads or writes. The API's own module would lift
// client-go by two minor versions for a few fields.

// The phases of requests, and that of a Cluster that can be used.
const (
	Pending = "Pending"
	Granted = "Granted"
	Denied  = "Denied"
	Ready   = "Ready"
)

// The tenancies of a Cluster.
const (
	Shared    = operator.Shared    // for several requests
	Exclusive = operator.Exclusive // for one
)

const (
	groupName = "clusters.openmcp.cloud"
	// RequestFinalizer is what the scheduler puts on a request that it has seen.
	RequestFinalizer = groupName + "/request"
	// TenantFinalizer begins the finalizer that a granted request has on its Cluster; its uid follows.
	TenantFinalizer = "request." + groupName + "/"
	// DeletedWithoutRequests is the label of a Cluster that the scheduler deletes with its last request, where it is "true".
	DeletedWithoutRequests = operator.DeletedWithoutRequests
	// VersionLabel is where a cluster provider writes the Kubernetes version of a Cluster.
	VersionLabel = groupName + "/k8sversion"
	// ProviderLabel is where a cluster provider names itself.
	ProviderLabel = groupName + "/provider"
	// ProfileLabel is where the operator writes the profile of the Cluster of an AccessRequest.
	ProfileLabel = groupName + "/profile"
	// OperationAnnotation has controllers leave an object alone, where it is "ignore".
	OperationAnnotation = "openmcp.cloud/operation"
	// OperationIgnore is the value of OperationAnnotation with that meaning.
	OperationIgnore = "ignore"
	// RequestAnnotation holds all of a request that the built-in scheduler serves: the spec of a ClusterRequest has room for a purpose alone.
	RequestAnnotation = "hap-project.io/request"
	// OperationReconcile has the scheduler judge a request again, and take the annotation away.
	OperationReconcile = "reconcile"
)

// Ref names an object.
type Ref struct {
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
}

func (r Ref) String() string {
	if r.Namespace == "" { // it lies in none
		return r.Name
	}
	return r.Namespace + "/" + r.Name
}

// Object is an object of any kind.
type Object = metav1.Object

// Status is what the status of every kind has.
type Status struct {
	ObservedGeneration int64              `json:"observedGeneration,omitempty"`
	Phase              string             `json:"phase,omitempty"`
	Conditions         []metav1.Condition `json:"conditions,omitempty"`
}

// Failing returns the conditions that do not hold, each in one line.
func (s Status) Failing() (all []string) {
	for _, c := range s.Conditions {
		if c.Status != metav1.ConditionTrue {
			all = append(all, kube.Clean(fmt.Sprintf("%s is %s: %s %s", c.Type, c.Status, c.Reason, c.Message)))
		}
	}
	return all
}

// ClusterRequest asks for a Cluster of a purpose.
type ClusterRequest = object[RequestSpec, RequestStatus]

// RequestSpec is the spec of a ClusterRequest. It cannot be changed.
type RequestSpec struct {
	Purpose string `json:"purpose"`
}

// RequestStatus is the status of a ClusterRequest.
type RequestStatus struct {
	Status  `json:",inline"`
	Cluster *Ref `json:"cluster,omitempty"`
}

// Cluster is a cluster that cluster providers make.
type Cluster = object[ClusterSpec, ClusterStatus]

// ClusterSpec is the spec of a Cluster.
type ClusterSpec struct {
	Profile        string     `json:"profile"`
	ClusterConfigs []Ref      `json:"clusterConfigs,omitempty"` // names alone
	Kubernetes     Kubernetes `json:"kubernetes,omitzero"`
	Purposes       []string   `json:"purposes,omitempty"`
	Tenancy        string     `json:"tenancy"`
}

// Kubernetes is what a Cluster says of Kubernetes.
type Kubernetes struct {
	Version string `json:"version,omitempty"`
}

// ClusterStatus is the status of a Cluster.
type ClusterStatus struct {
	Status    `json:",inline"`
	Endpoints []Endpoint `json:"endpoints,omitempty"`
	// APIServer is the address where a cluster provider of before the endpoints says it.
	APIServer string `json:"apiServer,omitempty"`
	// ProviderStatus is what the cluster provider reports in its own format, see [ShootOf].
	ProviderStatus json.RawMessage `json:"providerStatus,omitempty"`
}

// Endpoint is an address of a Cluster's API server.
type Endpoint struct {
	Name string `json:"name"`
	URL  string `json:"url"`
}

// AccessRequest asks for access to a Cluster.
type AccessRequest = object[AccessSpec, AccessStatus]

// AccessSpec is the spec of an AccessRequest. Its references cannot be changed.
type AccessSpec struct {
	ClusterRef *Ref            `json:"clusterRef,omitempty"`
	RequestRef *Ref            `json:"requestRef,omitempty"`
	Token      json.RawMessage `json:"token,omitempty"`
	OIDC       json.RawMessage `json:"oidc,omitempty"`
}

// AccessStatus is the status of an AccessRequest.
type AccessStatus struct {
	Status    `json:",inline"`
	SecretRef *Ref `json:"secretRef,omitempty"` // a name alone: the Secret is in the namespace of the request
}

// ClusterProfile is what a cluster provider offers.
type ClusterProfile = object[ProfileSpec, struct{}]

// ProfileSpec is the spec of a ClusterProfile.
type ProfileSpec struct {
	ProviderRef       Ref                `json:"providerRef"`
	ProviderConfigRef Ref                `json:"providerConfigRef"`
	SupportedVersions []SupportedVersion `json:"supportedVersions"`
}

// SupportedVersion is a Kubernetes version of a profile.
type SupportedVersion struct {
	Version    string `json:"version"`
	Deprecated bool   `json:"deprecated,omitempty"`
}

// ClusterProvider is a cluster provider that is installed on the platform cluster.
type ClusterProvider = object[struct{}, Status]

// ProviderConfig is the configuration of the Gardener cluster provider behind a profile.
type ProviderConfig = object[ProviderConfigSpec, Status]

// ProviderConfigSpec is the spec of a ProviderConfig.
type ProviderConfigSpec struct {
	ProviderRef             Ref              `json:"providerRef"`
	LandscapeRef            Ref              `json:"landscapeRef"`
	Project                 string           `json:"project"`
	ShootTemplate           json.RawMessage  `json:"shootTemplate"`
	EnforcedShootExtensions *json.RawMessage `json:"enforcedShootExtensions,omitempty"`
}

// object is an object of the API.
type object[Spec, State any] struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   Spec  `json:"spec,omitempty"`
	Status State `json:"status,omitempty"`
}

// Ref names the object.
func (o *object[S, T]) Ref() Ref { return Ref{o.Namespace, o.Name} }

// DeepCopyObject copies the object.
func (o *object[S, T]) DeepCopyObject() runtime.Object { return Copied(o) }

// listOf is a list of objects.
type listOf[Spec, State any] struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []object[Spec, State] `json:"items"`
}

// DeepCopyObject copies the list.
func (l *listOf[S, T]) DeepCopyObject() runtime.Object { return Copied(l) }

// Copied copies by way of JSON, which all of these types come from. Nothing copies them often.
func Copied[T any](from *T) *T {
	text, err := json.Marshal(from)
	to := new(T)
	if err == nil {
		err = json.Unmarshal(text, to)
	}
	if err != nil {
		panic(fmt.Sprintf("openmcp: copying %T: %v", from, err)) // cannot happen: it came from JSON
	}
	return to
}

var (
	clustersGroup  = schema.GroupVersion{Group: groupName, Version: "v1alpha1"}
	providersGroup = schema.GroupVersion{Group: "openmcp.cloud", Version: "v1alpha1"}
	gardenerGroup  = schema.GroupVersion{Group: "gardener." + groupName, Version: "v1alpha1"}

	scheme = runtime.NewScheme()
	codecs = serializer.NewCodecFactory(scheme)
)

func init() {
	add := func(group schema.GroupVersion, kind string, object, list runtime.Object) {
		scheme.AddKnownTypeWithName(group.WithKind(kind), object)
		scheme.AddKnownTypeWithName(group.WithKind(kind+"List"), list)
	}
	add(clustersGroup, KindRequest, &ClusterRequest{}, &listOf[RequestSpec, RequestStatus]{})
	add(clustersGroup, KindCluster, &Cluster{}, &listOf[ClusterSpec, ClusterStatus]{})
	add(clustersGroup, KindAccess, &AccessRequest{}, &listOf[AccessSpec, AccessStatus]{})
	add(clustersGroup, KindProfile, &ClusterProfile{}, &listOf[ProfileSpec, struct{}]{})
	add(providersGroup, KindProvider, &ClusterProvider{}, &listOf[struct{}, Status]{})
	add(gardenerGroup, KindConfig, &ProviderConfig{}, &listOf[ProviderConfigSpec, Status]{})
	for _, group := range []schema.GroupVersion{clustersGroup, providersGroup, gardenerGroup, {Version: "v1"}} {
		metav1.AddToGroupVersion(scheme, group)
	}
	for _, register := range []func(*runtime.Scheme) error{metav1.AddMetaToScheme, corev1.AddToScheme} {
		if err := register(scheme); err != nil {
			panic(fmt.Sprintf("openmcp: registering API types: %v", err)) // cannot happen: the types are compiled in
		}
	}
}

// The kinds of the API.
const (
	KindRequest = "ClusterRequest"
	KindCluster = "Cluster"
	KindAccess  = "AccessRequest"
	KindProfile = "ClusterProfile"
	KindConfig  = "ProviderConfig"
	// KindProvider is that of a cluster provider itself.
	KindProvider = "ClusterProvider"
)
