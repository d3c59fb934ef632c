# What the pipeline may do that deploys into the cluster of a request, and nothing else.
resource "hap_access_request" "deploy" {
  name        = "deploy"
  request_ref = { name = "workload" } # of another configuration; in the same take cluster_ref

  token = {
    permissions = [
      # In one namespace of the cluster, which is made where it is not there.
      { namespace = "my-apps", rules = [{ api_groups = ["", "apps"], resources = ["*"], verbs = ["*"] }] },
      # In the whole cluster.
      { rules = [{ api_groups = [""], resources = ["namespaces", "nodes"], verbs = ["get", "list", "watch"] }] },
    ]
  }

  lifecycle {
    # An apply that does not see the access granted in time ends with a warning. This keeps what depends on it from running then.
    postcondition {
      condition     = self.granted
      error_message = "Access ${self.id} is not granted yet. Apply again to wait on."
    }
  }
}
