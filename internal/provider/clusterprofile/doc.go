// Package clusterprofile offers the profiles that clusters of openMCP are made by: the resource hap_gardener_provider_config, which ties a
// profile to a claimed account, and the data sources hap_cluster_profiles, hap_cluster_providers and hap_cluster_schedule.
package clusterprofile
