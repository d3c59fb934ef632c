data "hap_cluster_providers" "all" {}

# Why there is no profile: the cluster providers that do not run, each with what its operator says.
output "not_ready" {
  value = {
    for p in data.hap_cluster_providers.all.providers : p.name => [
      for c in p.conditions : "${c.type}: ${coalesce(c.message, c.status)}" if c.status != "True"
    ] if !p.ready
  }
}
