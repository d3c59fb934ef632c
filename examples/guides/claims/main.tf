terraform {
  required_version = ">= 1.11"
  required_providers {
    hap = {
      source = "hap-project/hap"
    }
  }
}

resource "hap_rule_set" "landscape" {
  rules = ["aws", "gcp", "gcp(PR=cf-sa30)"]
}

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
  lease        = "2160h"               # meant to live for 90 days; nothing ends by itself

  wait_for_account = true # an exhausted pool is looked at again until timeouts.create

  timeouts = {
    create = "30m"
    delete = "60m" # a destroy waits as long for clusters that are being deleted
  }
}

# What a Shoot needs to name its account.
output "bindings" {
  value = { for name, claim in hap_credentials_binding_claim.cluster : name => claim.binding_name }
}
