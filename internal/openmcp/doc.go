// Package openmcp is the client of openMCP on a platform cluster: ClusterRequests, Clusters, AccessRequests and ClusterProfiles as
// openmcp-operator v1.3.0 serves them, and the ProviderConfigs of its Gardener cluster provider (ADR 016, 017). It writes with strict field
// validation, so that no field is dropped without a word, and it deletes and changes only the object that was judged (uid).
//
// A request is [Platform.Request]ed, and waited for ([Platform.AwaitGranted], [Platform.AwaitCluster]); what waits shares one watch
// for each kind, and what reads many objects one list. The operator never says why a request stays pending: [Platform.Explain] searches
// for what can be seen of it. Secrets are read by [Platform.Access] alone.
//
// The package knows neither accounts nor Terraform.
package openmcp
