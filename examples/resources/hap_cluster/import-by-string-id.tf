import {
  to = hap_cluster.first
  id = "team-a/first" # <namespace>/<name>
}
