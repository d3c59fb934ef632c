package openmcp

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/hap-project/terraform-provider-hap/internal/clusters"
)

const (
	// builtinFinalizer is on each request that the built-in scheduler serves, until it has freed what the request holds.
	builtinFinalizer = "hap-project.io/builtin-scheduler"
	// seedAnnotation holds all of a request that the built-in scheduler serves: the spec of a ClusterRequest has room for a purpose alone.
	seedAnnotation = "hap-project.io/request"
)

// SeedRequest is what a request of seed 004 says beyond its name. It stands in an annotation of the ClusterRequest.
type SeedRequest struct {
	Purposes          []string         `json:"purposes"`
	Dedicated         *bool            `json:"dedicated,omitempty"`
	Traits            []clusters.Trait `json:"traits,omitempty"`
	KubernetesVersion string           `json:"kubernetesVersion,omitempty"`
	Prefix            string           `json:"prefix,omitempty"`
	// Definitions are the purposes that the request knows.
	Definitions map[string]clusters.Purpose `json:"purposeDefinitions,omitempty"`
}

// request is the request as the engine takes it.
func (s SeedRequest) request(of Ref) clusters.Request {
	return clusters.Request{
		Ref: clusters.Ref(of), KubernetesVersion: s.KubernetesVersion, Dedicated: s.Dedicated, Purposes: s.Purposes, Traits: s.Traits,
		Prefix: s.Prefix,
	}
}

// IsBuiltin reports whether the built-in scheduler serves a request.
func IsBuiltin(r *ClusterRequest) bool { return slices.Contains(r.Finalizers, builtinFinalizer) }

// SeedOf returns what a request says that the built-in scheduler serves, or has served.
func SeedOf(r *ClusterRequest) (s SeedRequest, err error) {
	text, ok := r.Annotations[seedAnnotation]
	if !ok {
		return s, &SeedLostError{Ref: r.Ref()}
	}
	if err := json.Unmarshal([]byte(text), &s); err != nil || len(s.Purposes) == 0 {
		return s, &SeedLostError{Ref: r.Ref(), Err: err}
	}
	return s, nil
}

// metadata are the finalizers and annotations of a request that a configuration wants.
func (w WantedRequest) metadata() (finalizers []string, annotations map[string]string, err error) {
	annotations = map[string]string{}
	maps.Copy(annotations, w.Annotations)
	annotations[markAnnotation] = w.mark()
	if w.Seed == nil {
		return nil, annotations, nil
	}
	text, err := encode(w.Seed)
	annotations[seedAnnotation], annotations[OperationAnnotation] = string(text), OperationIgnore
	return []string{builtinFinalizer}, annotations, err
}

// mark tells this very configuration of a request from all others.
func (w WantedRequest) mark() string {
	if w.Seed == nil {
		return markOf(w.Ref, w.Purpose, w.Labels, w.Annotations)
	}
	return markOf(w.Ref, w.Seed, w.Labels, w.Annotations)
}

// purpose is that of the ClusterRequest: the first one, which the operator goes by behind a handover.
func (w WantedRequest) purpose() string {
	if w.Seed != nil {
		return w.Seed.Purposes[0]
	}
	return w.Purpose
}
