# A janitor for the claims of dead pipelines. In a folder of its own:
#   tofu apply && tofu output -raw claims > claims.tf
# Look at the claims and their owners, remove this file, apply, and destroy.
data "hap_pool_status" "expired" {
  expired_claims = true
}

output "claims" {
  value = data.hap_pool_status.expired.import_config
}

output "owners" {
  value = flatten([for a in data.hap_pool_status.expired.accounts : [for c in a.claims : "${c.name} of ${c.owner == null ? "no owner" : c.owner}"]])
}
