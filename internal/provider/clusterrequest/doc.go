// Package clusterrequest offers clusters that are requested from openMCP: the resource hap_cluster_request.
package clusterrequest
