terraform {
  required_providers {
    hap = {
      source = "hap-project/hap"
    }
  }
}

locals {
  # In a pipeline: yamldecode(file("values.yaml"))
  values = yamldecode(<<-EOT
    broker:
      enablePlans: "aws,gcp,trial"
    hap:
      rule:
        - aws
        - aws(PR=cf-eu11) -> EU
        - gcp
        - gcp(PR=cf-sa30) -> PR
        - trial -> S
      multiHyperscalerAccount:
        allowedGlobalAccounts: ["*"]
        limits:
          default: 100
          aws: 180
          gdch: 50
  EOT
  )
  broker = provider::hap::broker_values(local.values)
}

# The broker does not start where one of the plans has no rule; nor does this.
resource "hap_rule_set" "broker" {
  rules          = local.broker.rule_set.rules
  legacy         = local.broker.rule_set.legacy
  syntax         = local.broker.rule_set.syntax
  required_plans = local.broker.rule_set.required_plans
  pool_check     = "off"
}

# For multi_account of the provider block: { allowed_global_accounts = ["*"], limits = { aws = 180, default = 100 }, min_bindings_for_guard = 0 }
output "multi_account" {
  value = local.broker.multi_account
}

# ["limits.gdch is left out: the code of the broker ignores it, and its accounts have the default, 100."]
output "notes" {
  value = local.broker.notes
}

# The way back: values for helm upgrade.
output "helm_values" {
  value = hap_rule_set.broker.helm_values
}
