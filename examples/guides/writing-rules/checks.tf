locals {
  rules = ["aws(euAccess=*)", "gcp", "gcp(PR=cf-sa30)", "trial(shared)"]

  # What would be wrong with another list.
  problems = provider::hap::validate_rules({ rules = ["gcp", "gpc"] })[*].kind
}

resource "hap_rule_set" "landscape" {
  rules      = local.rules
  pool_check = "off"

  lifecycle {
    # Warnings are errors here.
    precondition {
      condition     = length(provider::hap::validate_rules({ rules = local.rules })) == 0
      error_message = join("\n", provider::hap::validate_rules({ rules = local.rules })[*].message)
    }
  }
}

output "pool_of_cf_sa30" {
  value = provider::hap::match_rules(hap_rule_set.landscape, {
    plan            = "gcp"
    platform_region = "cf-sa30"
  }).hyperscaler_type
}
