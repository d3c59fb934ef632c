package kube

import (
	"fmt"
	"strings"
)

// HeldBy says which finalizers keep an object that is being deleted, each with whose it is, as far as that is known; empty = it has none.
func HeldBy(finalizers []string) string {
	if len(finalizers) == 0 {
		return ""
	}
	all := make([]string, len(finalizers))
	for i, name := range finalizers {
		all[i] = fmt.Sprintf("%s (%s)", Clean(name), ownerOf(name))
	}
	noun := "finalizer"
	if len(all) > 1 {
		noun += "s"
	}
	return fmt.Sprintf("held by the %s %s", noun, strings.Join(all, ", "))
}

// owners are those that are known of finalizers: a name, the beginning of one where it ends with a slash, or a domain with all below it
// where it begins with a dot. The first that fits counts.
var owners = []struct{ finalizer, owner string }{
	{"gardener", "Gardener's, until it has taken down what the object describes, or no Shoot refers to it"},
	{"gardener.cloud/reference-protection", "Gardener's, as long as another object refers to it"},
	{"gardener.clusters.openmcp.cloud/", "that of the Gardener cluster provider of openMCP"},
	{"request.clusters.openmcp.cloud/", "that of the ClusterRequest with this UID, which holds the Cluster"},
	{"clusters.openmcp.cloud/request", "that of the scheduler of openMCP"},
	{"hap-project.io/builtin-scheduler", "that of the built-in scheduler of this provider"},
	{"foregroundDeletion", "that of Kubernetes' garbage collector, until the objects that it owns are gone"},
	{"orphan", "that of Kubernetes' garbage collector, until the objects that it owns are released"},
	{".gardener.cloud", "that of a controller of Gardener"},
	{".openmcp.cloud", "that of a controller of openMCP"},
	{".kubernetes.io", "that of a controller of Kubernetes"},
	{".k8s.io", "that of a controller of Kubernetes"},
}

// ownerOf says whose a finalizer is.
func ownerOf(finalizer string) string {
	domain, _, _ := strings.Cut(finalizer, "/")
	for _, known := range owners {
		switch {
		case finalizer == known.finalizer,
			strings.HasSuffix(known.finalizer, "/") && strings.HasPrefix(finalizer, known.finalizer),
			strings.HasPrefix(known.finalizer, ".") && strings.HasSuffix("."+domain, known.finalizer):
			return known.owner
		}
	}
	return "its owner is not known here"
}
