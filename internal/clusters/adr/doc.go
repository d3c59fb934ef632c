// Package adr decides which Cluster a ClusterRequest gets, with which prefix, and why, by the proposal for the Cluster API that no
// released operator implements (ADR 015). [Schedule] runs the steps, in this order:
//
//   - aggregation.go: request and purposes become one value of dedicated and one list of traits ([Aggregate]).
//   - traits.go, equivalences.go: which profile has a trait, under whatever name.
//   - versions.go: which Kubernetes version a request means.
//   - schedule.go: a Cluster that exists, else a new one, else a denial; schedule_clusters.go and schedule_profiles.go say of
//     each whether it fits, and denial.go which requirement no profile meets.
//   - prefixes.go: the prefix that keeps the names of tenants apart; [DrawPrefix] draws one where the decision leaves it open.
//   - access.go: which AccessRequest is granted ([DecideAccess]).
//
// Where the proposal is silent, the scheduler does what is safest. Such a place has the mark [choice] in its comment, and
// [Choices] lists those that a user can notice, for the documentation.
package adr
