// Package openmcp runs a platform cluster of openMCP on this machine: etcd and kube-apiserver with the real custom resource
// definitions, the real openmcp-operator v1.3.0, and a cluster provider that is played ([Provider]), because none can be built here.
//
//	platform := openmcp.Shared(t)
//	ns := platform.NewNamespace(t)
//
// The operator serves all namespaces of a platform cluster by one configuration ([Landscape]); it searches Clusters in the namespace
// of the request, so that tests in different namespaces do not see each other.
package openmcp
