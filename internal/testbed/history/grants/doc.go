// Package grants keeps every revision of the Clusters and ClusterRequests of a namespace of a platform cluster, and judges what the
// built-in scheduler has granted by the invariants G1 to G4, which scenarios/CATALOGUE.md lists and [Violation] words.
//
// A test calls [Follow] before anything happens, and in the end [History.MustHold].
package grants
