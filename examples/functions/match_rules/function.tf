terraform {
  required_providers {
    hap = {
      source = "hap-project/hap"
    }
  }
}

locals {
  rule_set = {
    rules = ["aws(euAccess=*)", "gcp", "gcp(PR=cf-sa30)", "trial(shared)"]
  }
  match = provider::hap::match_rules(local.rule_set, {
    plan            = "gcp"
    platform_region = "cf-sa30"
  })
}

# gcp_cf-sa30, by entry 3: it has more attributes than entry 2.
output "pool" {
  value = "${local.match.hyperscaler_type}, by entry ${local.match.number}: ${local.match.entry}"
}

check "assured_workloads" {
  assert {
    condition     = local.match.hyperscaler_type == "gcp_cf-sa30"
    error_message = "Clusters in cf-sa30 must have the pool gcp_cf-sa30, not ${local.match.hyperscaler_type}."
  }
}
