package openmcp

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/hap-project/terraform-provider-hap/internal/clusters"
	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
)

const (
	// builtinFinalizer is on each request that the built-in scheduler serves, until it has freed what the request holds.
	builtinFinalizer = "hap-project.io/builtin-scheduler"
	// requestAnnotation holds all of a request that the built-in scheduler serves: the spec of a ClusterRequest has room for a purpose alone.
	requestAnnotation = "hap-project.io/request"
)

// ADRRequest is what a request of the built-in scheduler says beyond its name (ADR 015). An annotation of the ClusterRequest holds it.
type ADRRequest struct {
	Purposes          []string    `json:"purposes"`
	Dedicated         *bool       `json:"dedicated,omitempty"`
	Traits            []adr.Trait `json:"traits,omitempty"`
	KubernetesVersion string      `json:"kubernetesVersion,omitempty"`
	Prefix            string      `json:"prefix,omitempty"`
	// Definitions are the purposes that the request knows.
	Definitions map[string]adr.Purpose `json:"purposeDefinitions,omitempty"`
}

// request is the request as the engine takes it.
func (s ADRRequest) request(of Ref) adr.Request {
	return adr.Request{
		Ref: clusters.Ref(of), KubernetesVersion: s.KubernetesVersion, Dedicated: s.Dedicated, Purposes: s.Purposes, Traits: s.Traits,
		Prefix: s.Prefix,
	}
}

// IsBuiltin reports whether the built-in scheduler serves a request.
func IsBuiltin(r *ClusterRequest) bool { return slices.Contains(r.Finalizers, builtinFinalizer) }

// ADRRequestOf returns what a request says that the built-in scheduler serves, or has served.
func ADRRequestOf(r *ClusterRequest) (s ADRRequest, err error) {
	text, ok := r.Annotations[requestAnnotation]
	if !ok {
		return s, &RequestLostError{Ref: r.Ref()}
	}
	if err := json.Unmarshal([]byte(text), &s); err != nil || len(s.Purposes) == 0 {
		return s, &RequestLostError{Ref: r.Ref(), Err: err}
	}
	return s, nil
}

// metadata are the finalizers and annotations of a request that a configuration wants.
func (w WantedRequest) metadata() (finalizers []string, annotations map[string]string, err error) {
	annotations = map[string]string{}
	maps.Copy(annotations, w.Annotations)
	annotations[markAnnotation] = w.mark()
	if w.ADR == nil {
		return nil, annotations, nil
	}
	text, err := encode(w.ADR)
	annotations[requestAnnotation], annotations[OperationAnnotation] = string(text), OperationIgnore
	return []string{builtinFinalizer}, annotations, err
}

// mark distinguishes this configuration of a request from all others.
func (w WantedRequest) mark() string {
	if w.ADR == nil {
		return markOf(w.Ref, w.Purpose, w.Labels, w.Annotations)
	}
	return markOf(w.Ref, w.ADR, w.Labels, w.Annotations)
}

// purpose is that of the ClusterRequest: the first one, which the operator goes by behind a handover.
func (w WantedRequest) purpose() string {
	if w.ADR != nil {
		return w.ADR.Purposes[0]
	}
	return w.Purpose
}
