// Package builtin is the built-in scheduler (ADR 017): it grants ClusterRequests by purposes, traits and prefixes where no operator serves
// them, takes them off their Clusters when they are withdrawn, and hands them over to the operator. [Scheduler] serves the requests of
// both: those of the operator it leaves to the package requests.
//
// A grant is one write to a Cluster under the version that was judged. The explorer of this package visits its schedules (EXPLORED.md).
package builtin
