// Package apiserver is a Kubernetes API server in memory, for the schedules that the explorer visits: a [Server] is the transport of a
// client, without a socket, and works under testing/synctest. It has custom resources with a status, and what a client of optimistic
// concurrency needs: create (also with generateName), get, list by labels, watch, JSON merge patch and delete with preconditions,
// finalizers, and refusals with a Status. Each of its answers that is a fact of the conformance test is the answer of kube-apiserver.
//
// It has no rights, no admission, no pages of lists, no dry run, no managed fields, no defaults, and no schema: a field that a definition
// lacks is kept. Of the rules of a definition it has those of [Resource].
package apiserver
