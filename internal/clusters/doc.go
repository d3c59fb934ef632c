// Package clusters decides which Cluster a ClusterRequest gets, with which prefix, and why. It is pure: no client, no clock,
// no environment; the same input gives the same decision, whatever the order of Clusters, profiles and grants in it.
//
// Two engines are here. One is openmcp: what the scheduler of openmcp-operator v1.3.0 does, faults included. [ScheduleOpenMCP] runs
// it, and its files begin with openmcp_ (openmcp_doc.go lists them). The other is adr: the semantics of seed 004 as it was proposed,
// which no released operator has. [ScheduleSeed] runs it. Its steps, in their order, and where they stand:
//
//   - aggregation.go: request and purposes become one value of dedicated and one list of traits ([Aggregate]).
//   - traits.go, equivalences.go: which profile has a trait, under whatever name.
//   - versions.go: which Kubernetes version a request means.
//   - schedule.go: a Cluster that exists, else a new one, else a denial; schedule_clusters.go and schedule_profiles.go say of
//     each whether it fits, and denial.go which requirement no profile meets.
//   - prefixes.go: the prefix that keeps the names of tenants apart; [DrawPrefix] draws one where the decision leaves it open.
//   - access.go: which AccessRequest is granted ([DecideAccess]).
//
// The words that engines share stand in files of their own: [Request] and [Trait], [Landscape] with [Purpose], [Profile],
// [Cluster] and [Grant], [Decision] with [Candidate], and [InputError].
//
// Where the seed is silent, the engine does what is safest. Such a place bears the mark [choice] in its comment, and
// [SeedChoices] lists those that a user can notice, for the documentation.
package clusters
