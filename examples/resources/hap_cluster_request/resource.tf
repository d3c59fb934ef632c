resource "hap_cluster_request" "workload" {
  name    = "workload"
  purpose = "workload" # one of the operator's scheduler.purposeMappings

  lifecycle {
    # An apply that does not see the cluster ready in time ends with a warning. This keeps what depends on it from running then.
    postcondition {
      condition     = self.ready
      error_message = "The cluster of request ${self.id} is not ready yet. Apply again to wait on."
    }
  }
}

# Objects that are not in a namespace of their own begin with this prefix: others share the cluster.
output "prefix" { value = hap_cluster_request.workload.prefix }
