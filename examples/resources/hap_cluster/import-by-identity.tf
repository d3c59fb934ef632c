import {
  to = hap_cluster.first
  identity = {
    namespace = "team-a" # optional: the provider's platform.namespace
    name      = "first"
  }
}
