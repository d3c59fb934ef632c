package requests

import (
	"fmt"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
)

// NoSchedulerError says that no scheduler has seen a request.
type NoSchedulerError struct {
	api.Ref
	Ignored bool          // the request says itself that controllers are to leave it alone
	After   time.Duration // how long it was waited for one
	Blind   error         // that the Clusters may not be listed, which show whether it is busy with other namespaces; nil = they may
	Err     error         // why the wait has ended, where it was not this
}

func (e *NoSchedulerError) Error() string {
	if e.Ignored {
		return fmt.Sprintf("ClusterRequest %s bears the annotation %s: %s, with which every scheduler leaves it alone",
			e.Ref, api.OperationAnnotation, api.OperationIgnore)
	}
	text := fmt.Sprintf("no scheduler picked up ClusterRequest %s within %s: it has no finalizer %s", e.Ref, e.After, api.RequestFinalizer)
	if e.Blind != nil {
		text += fmt.Sprintf("; whether one is busy with other namespaces could not be seen: %v", e.Blind)
	}
	return text
}

// Unwrap returns why the wait has ended.
func (e *NoSchedulerError) Unwrap() error { return e.Err }

// PrefixError says that the derived prefix of a request collides with that of another one on its Cluster.
type PrefixError struct {
	api.Ref         // the request
	Other   api.Ref // the one that has the prefix too
	Cluster api.Ref
	Prefix  string
	Others  string // the prefix of the other
}

func (e *PrefixError) Error() string {
	if e.Others != e.Prefix {
		return fmt.Sprintf("the derived prefix %s of request %s on Cluster %s collides with %s, which is granted to %s", e.Prefix, e.Ref,
			e.Cluster, e.Others, e.Other)
	}
	return fmt.Sprintf("requests %s and %s on Cluster %s have the same derived prefix %s", e.Ref, e.Other, e.Cluster, e.Prefix)
}
