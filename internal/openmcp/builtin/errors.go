package builtin

import (
	"fmt"

	"github.com/hap-project/terraform-provider-hap/internal/clusters"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/words"
)

// DeniedError says that the built-in scheduler denies a request. The status of the request says so, too.
type DeniedError struct {
	api.Ref
	Reason   clusters.Reason
	Message  string
	Standing bool // it existed before this run, so that Terraform does not taint it
	Foreseen bool // a plan says so: the request is not made yet
}

func (e *DeniedError) Error() string {
	verb := "is"
	if e.Foreseen {
		verb = "would be"
	}
	return fmt.Sprintf("ClusterRequest %s %s denied (%s): %s", e.Ref, verb, e.Reason, e.Message)
}

// EndsClusterError says that a request of the name is being deleted, and that a Cluster would be deleted with it: only a run whose state
// has that request ends it.
type EndsClusterError struct {
	api.Ref
	Cluster api.Ref // which it is the last to hold
}

func (e *EndsClusterError) Error() string {
	return fmt.Sprintf("ClusterRequest %s is being deleted, and it is the last that holds Cluster %s, which would be deleted with it",
		e.Ref, e.Cluster)
}

// OperatorRunsError says that the built-in scheduler does not run beside the operator.
type OperatorRunsError struct {
	api.Ref         // what was asked for
	Served  api.Ref // a request that has the operator's finalizer
	Handed  bool    // in place of Served: another run has handed over what was asked for, and the operator takes it
}

func (e *OperatorRunsError) Error() string {
	if e.Handed {
		return fmt.Sprintf("another run has handed ClusterRequest %s over to the openmcp-operator, and the built-in scheduler does not run "+
			"beside it", e.Ref)
	}
	return fmt.Sprintf("ClusterRequest %s bears the finalizer %s: the openmcp-operator serves it, and the built-in scheduler does not run "+
		"beside it", e.Served, api.RequestFinalizer)
}

// SecondClusterError says that a request was granted a Cluster while another run handed it over, and was not taken off it: it may hold
// that Cluster besides the one that the operator gives it.
type SecondClusterError struct {
	api.Ref
	Clusters []api.Ref // what it was granted
	Err      error     // why it was not taken off
}

func (e *SecondClusterError) Error() string {
	names := make([]string, len(e.Clusters))
	for i, c := range e.Clusters {
		names[i] = c.String()
	}
	return fmt.Sprintf("ClusterRequest %s was granted the Cluster %s while another run handed it over to the openmcp-operator, and was not "+
		"taken off it: %s", e.Ref, words.List(names), api.Ended(e.Err))
}

// Unwrap returns why it was not taken off.
func (e *SecondClusterError) Unwrap() error { return e.Err }

// UndecidedError says that it is not known whether a request holds a Cluster by now: the answer to the grant was lost, and the grant may
// yet come. The request must live on: a grant that outlives its request keeps its Cluster for ever.
type UndecidedError struct {
	api.Ref
	Err error // why it was not read any more
}

func (e *UndecidedError) Error() string {
	return fmt.Sprintf("the answer to the grant of ClusterRequest %s was lost, and it is not known whether it was carried out: %s",
		e.Ref, api.Ended(e.Err))
}

// Unwrap returns why it was not read any more.
func (e *UndecidedError) Unwrap() error { return e.Err }

// AccountUnseenError says that it cannot be seen whose the account of a request's Cluster is.
type AccountUnseenError struct {
	api.Ref
	Account, GlobalAccount string // the Global Account is the one that the request names
	Why                    string
}

func (e *AccountUnseenError) Error() string {
	return fmt.Sprintf("it is not known whether Global Account %q holds account %s, in which the Cluster of ClusterRequest %s lies: %s",
		e.GlobalAccount, e.Account, e.Ref, e.Why)
}

// RequestLostError says that a request does not say what it asks for.
type RequestLostError struct {
	api.Ref
	Err error // why it cannot be read; nil = it is not there
}

func (e *RequestLostError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("ClusterRequest %s has no annotation %s with what it asks for", e.Ref, api.RequestAnnotation)
	}
	return fmt.Sprintf("the annotation %s of ClusterRequest %s cannot be read: %v", api.RequestAnnotation, e.Ref, e.Err)
}

// Unwrap returns why it cannot be read.
func (e *RequestLostError) Unwrap() error { return e.Err }
