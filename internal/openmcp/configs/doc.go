// Package configs has the ClusterProfiles of a platform cluster, and the ProviderConfigs of its Gardener cluster provider behind them. A
// ProviderConfig is neither deleted nor led to another account while Clusters live by its profile, and no Shoot is moved by one that is
// made.
package configs
