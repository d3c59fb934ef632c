package builtin

import (
	"encoding/json"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hap-project/terraform-provider-hap/internal/clusters"
	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/requests"
)

// builtinFinalizer is on each request that the built-in scheduler serves, until it has freed what the request holds.
const builtinFinalizer = "hap-project.io/builtin-scheduler"

// ADRRequest is what a request of the built-in scheduler says beyond its name (ADR 015). An annotation of the ClusterRequest holds it.
type ADRRequest struct {
	Purposes          []string    `json:"purposes"`
	Dedicated         *bool       `json:"dedicated,omitempty"`
	Traits            []adr.Trait `json:"traits,omitempty"`
	KubernetesVersion string      `json:"kubernetesVersion,omitempty"`
	Prefix            string      `json:"prefix,omitempty"`
	// GlobalAccount is the one that the account of its Cluster belongs to; empty = any.
	GlobalAccount string `json:"globalAccount,omitempty"`
	// Definitions are the purposes that the request knows.
	Definitions map[string]adr.Purpose `json:"purposeDefinitions,omitempty"`
	// Equivalences are groups of traits with the same meaning.
	Equivalences [][]string `json:"equivalences,omitempty"`
}

// request is the request as the engine takes it.
func (s ADRRequest) request(of api.Ref) adr.Request {
	return adr.Request{
		Ref: clusters.Ref(of), KubernetesVersion: s.KubernetesVersion, Dedicated: s.Dedicated, Purposes: s.Purposes, Traits: s.Traits,
		Prefix: s.Prefix,
	}
}

// Serves reports whether the built-in scheduler serves a request.
func Serves(r *api.ClusterRequest) bool { return slices.Contains(r.Finalizers, builtinFinalizer) }

// ADRRequestOf returns what a request says that the built-in scheduler serves, or has served.
func ADRRequestOf(r *api.ClusterRequest) (s ADRRequest, err error) {
	text, ok := r.Annotations[api.RequestAnnotation]
	if !ok {
		return s, &RequestLostError{Ref: r.Ref()}
	}
	if err := json.Unmarshal([]byte(text), &s); err != nil || len(s.Purposes) == 0 {
		return s, &RequestLostError{Ref: r.Ref(), Err: err}
	}
	return s, nil
}

// Wanted is what a configuration says of a ClusterRequest, whichever scheduler serves it.
type Wanted struct {
	api.Ref
	Purpose             string // what the operator goes by
	Labels, Annotations map[string]string
	ADR                 *ADRRequest // what the built-in scheduler goes by, in place of the purpose; nil = the operator serves it
}

// ofOperator is a request that the operator serves.
func (w Wanted) ofOperator() requests.Wanted {
	return requests.Wanted{Ref: w.Ref, Purpose: w.Purpose, Labels: w.Labels, Annotations: w.Annotations}
}

// Mark is the mark of the configuration, see [api.MarkOf].
func (w Wanted) Mark() string {
	if w.ADR == nil {
		return w.ofOperator().Mark()
	}
	return api.MarkOf(w.Ref, w.ADR, w.Labels, w.Annotations)
}

// meta is the metadata of a new request of the built-in scheduler.
func (w Wanted) meta() (metav1.ObjectMeta, error) {
	text, err := api.Encode(w.ADR)
	annotations := api.Marked(w.Annotations, w.Mark())
	annotations[api.RequestAnnotation], annotations[api.OperationAnnotation] = string(text), api.OperationIgnore
	return metav1.ObjectMeta{
		Namespace: w.Namespace, Name: w.Name, Labels: w.Labels, Annotations: annotations, Finalizers: []string{builtinFinalizer},
	}, err
}

// spec is what the operator goes by after a handover.
func (w Wanted) spec() api.RequestSpec { return api.RequestSpec{Purpose: w.ADR.Purposes[0]} }

// IsRefused reports whether a scheduler of another party has denied a request. Nothing is done for it until a scheduler judges it again,
// see [requests.Operator.Reschedule]. The released operator denies none.
func IsRefused(r *api.ClusterRequest) bool {
	return !Serves(r) && api.Denies(r.Status.Status, r.Generation, nil) && r.DeletionTimestamp == nil
}
