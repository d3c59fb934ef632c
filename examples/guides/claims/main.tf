locals {
  clusters = {
    blue  = { plan = "aws", platform_region = "cf-eu10" }
    green = { plan = "aws", platform_region = "cf-eu10" }
    red   = { plan = "gcp", platform_region = "cf-sa30" }
  }
}

# One claim for each cluster. Claims of one Global Account on one pool may end on the same account.
resource "hap_credentials_binding_claim" "cluster" {
  for_each = local.clusters

  name            = each.key
  rule_set        = hap_rule_set.landscape
  global_account  = "ga-acme"
  plan            = each.value.plan
  platform_region = each.value.platform_region

  cluster_name = each.key              # reserves a place until the Shoot of this name exists
  owner        = "pipelines/landscape" # who keeps the claim: another owner cannot change it
  on_destroy   = "keep"                # the account stays with the Global Account

  timeouts = {
    create = "2m"
    delete = "10m"
  }
}

# What a Shoot needs to name its account.
output "bindings" {
  value = { for name, claim in hap_credentials_binding_claim.cluster : name => claim.binding_name }
}
