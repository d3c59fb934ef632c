output "accounts" {
  description = "The account of each claim."
  value = merge(
    { first = hap_credentials_binding_claim.first.binding_name },
    { for c in hap_credentials_binding_claim.second : c.name => c.binding_name },
  )
}

output "first_cluster" {
  description = "The Shoot that Gardener made, and the Cluster that adopted it."
  value       = "Shoot ${hap_shoot.first.id} with Kubernetes ${hap_shoot.first.kubernetes_version} is Cluster ${hap_cluster.first.id}"
}

output "clusters" {
  description = "Who shares each Cluster, and with which prefix."
  value = {
    for name, r in merge({ platform = hap_cluster_request.platform }, hap_cluster_request.tenant) :
    r.cluster.name => "${name} with prefix ${r.prefix} at ${one(values(r.endpoints))}"...
  }
}

output "access" {
  description = "Until when the access lasts that was granted. The tokens are nowhere."
  value       = { for name, a in hap_access_request.deploy : name => "granted until ${a.expires_at}" }
}

output "next" {
  description = "Where the next request for a workload cluster comes to."
  value = one([
    for s in data.hap_cluster_schedule.next : join(" ", compact([
      "${s.decision} ${s.cluster.name} by ${s.profile}",
      try("on account ${s.account.binding_name} (${s.account.shoots} of ${s.account.limit} clusters)", ""),
      try(s.decision == "create" && s.account.shoots >= s.account.limit ? "which is full: claim another account" : "", ""),
    ]))
  ])
}

output "operator_config" {
  description = "The configuration file for the operator: tofu output -raw operator_config."
  value       = local.operator_config
}
