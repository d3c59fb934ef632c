package openmcp

import "github.com/hap-project/terraform-provider-hap/internal/clusters"

// HashOf returns the eight characters that the operator derives from the namespace and the name of a request, for the name of its
// Cluster: see [clusters.NameHash].
func HashOf(namespace, name string) string { return clusters.NameHash(namespace, name) }
