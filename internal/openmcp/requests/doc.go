// Package requests has the life of a ClusterRequest as the openmcp-operator serves it (ADR 016): it is made, waited for, described anew,
// withdrawn or given up, see [Operator]. The operator never says why a request stays pending: the error of a wait says what can be seen of
// it. [Operator.Schedule] says what the operator would decide.
//
// The package knows nothing of the built-in scheduler, which hands on to it the requests of the operator.
package requests
