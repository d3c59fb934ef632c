// Package clusters has the words that the two schedulers of ClusterRequests share: what a decision is called, why it came out so, and
// which candidates it had. The schedulers are pure: no client, no clock, no environment; the same input gives the same decision, whatever
// the order of the Clusters, profiles and grants in it.
//
//   - adr decides by purposes, traits and prefixes, as proposed for the Cluster API (ADR 015).
//   - operator decides as openmcp-operator v1.3.0 does, faults included (ADR 016).
package clusters
