# The configuration that takes over a landscape which exists. In a folder that has the provider block and hap_rule_set.landscape:
#   tofu apply && tofu output -raw import_config > import.tf
# Then remove this file, and apply: each account is imported, and each that a Global Account holds without a claim gets one. The plan
# after it is empty. Claims that are recorded belong to other configurations, and are left out. An account that is in another state,
# too, is not known as such: take its blocks out.
data "hap_pool_status" "existing" {
  rule_set = hap_rule_set.landscape
}

output "import_config" {
  value = data.hap_pool_status.existing.import_config
}

# What a person has to decide about it.
output "to_decide" {
  value = [for d in data.hap_pool_status.existing.import_decisions : "${d.kind}: ${d.account}: ${join(" Or: ", d.choices)}"]
}

# Pools whose accounts serve no request.
output "unused_pools" {
  value = data.hap_pool_status.existing.unused_pools
}
