package api

import (
	"errors"
	"reflect"
)

// ErrDenied is why a wait has ended for a request that was denied.
var ErrDenied = errors.New("it was denied")

// Denies reports whether a status is a denial of what a request says now. One that stood when the request was shown to the controllers
// again is none: they have not answered yet. (One that says the same again, before anything else was seen, cannot be distinguished from
// it.)
func Denies(now Status, generation int64, asked *Status) bool {
	return now.Phase == Denied && now.ObservedGeneration == generation && (asked == nil || !reflect.DeepEqual(now, *asked))
}

// ShownAgain is the status that a request had when it was shown to the controllers again; nil = it was not.
func ShownAgain(annotations map[string]string, status Status) *Status {
	if annotations[OperationAnnotation] != OperationReconcile {
		return nil
	}
	return &status
}

// IsGranted reports whether a request has its Cluster.
func IsGranted(r *ClusterRequest) bool { return r.Status.Phase == Granted && r.Status.Cluster != nil }

// LeftAlone reports whether a request says that schedulers are to leave it alone.
func LeftAlone(r *ClusterRequest) bool { return r.Annotations[OperationAnnotation] == OperationIgnore }
