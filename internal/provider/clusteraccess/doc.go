// Package clusteraccess offers access to Clusters of openMCP: the resource hap_access_request, and the ephemeral resource
// hap_cluster_access, which reads what was granted.
package clusteraccess
