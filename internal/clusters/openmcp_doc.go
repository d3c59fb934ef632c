// The engine openmcp: what the scheduler of openmcp-operator v1.3.0 does with a request, faults included.
//
//   - openmcp_config.go: the operator's configuration, as it defaults and judges it; openmcp_selector.go: its label selectors.
//   - openmcp_landscape.go: the request and what the operator sees of the platform cluster.
//   - openmcp_schedule.go: [ScheduleOpenMCP], a grant that stands, a Cluster that exists, else a new one.
//   - openmcp_create.go: what a new Cluster is called, and who may have the name already; openmcp_names.go: the names themselves.
//   - openmcp_decision.go: [OperatorDecision] and its reasons.

package clusters
