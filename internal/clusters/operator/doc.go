// Package operator decides on a ClusterRequest as the scheduler of openmcp-operator v1.3.0 does, faults included (ADR 016).
//
//   - config.go: the operator's configuration with its defaults and checks; selector.go: its label selectors.
//   - landscape.go: the request and what the operator sees of the platform cluster.
//   - schedule.go: [Schedule] keeps a grant, else takes a Cluster that exists, else makes a new one.
//   - create.go: how a new Cluster is called, and what happens where the name is taken; names.go: the names themselves.
//   - decision.go: [Decision] and its reasons.
package operator
