import {
  to = hap_cluster_request.workload
  identity = {
    namespace = "team-a" # optional: the provider's platform.namespace
    name      = "workload"
  }
}
