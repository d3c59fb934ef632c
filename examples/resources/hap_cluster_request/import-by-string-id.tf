import {
  to = hap_cluster_request.workload
  id = "team-a/workload" # <namespace>/<name>
}
