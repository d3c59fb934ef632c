// Package cluster offers clusters that are made on the platform cluster of openMCP by themselves: the resource hap_cluster.
package cluster
