output "preview" {
  description = "What the pool would have done for each cluster alone, before anything was claimed, and why."
  value       = { for name, s in data.hap_binding_selection.preview : name => "${s.action} ${s.binding_name}: ${s.reason}" }
}

output "accounts" {
  description = "The account of each cluster and how it came to it, and the cluster on it."
  value = {
    for name, c in hap_credentials_binding_claim.cluster : name => join(" ", compact([
      c.binding_name,
      c.shared ? "shared with other tenants" : c.newly_claimed ? "newly claimed for ${c.global_account}" : "held by ${c.global_account} already",
      c.limit == null ? "" : "(${c.cluster_count + c.reserved} of ${c.limit} places taken)",
      try("and runs Kubernetes ${hap_shoot.cluster[name].kubernetes_version} as ${hap_shoot.cluster[name].technical_id}", ""),
    ]))
  }
}

output "report" {
  description = "For the summary page of a pipeline: tofu output -raw report."
  value       = data.hap_pool_status.after.report
}
