terraform {
  required_version = ">= 1.11"
  required_providers {
    hap = {
      source = "hap-project/hap"
    }
  }
}

locals {
  values = yamldecode(file("${path.module}/keb-values.yaml"))
  keb    = provider::hap::broker_values(local.values)
  multi  = try(local.values.hap.multiHyperscalerAccount, {})
}

# The same limits as the broker's: both count on the same accounts.
provider "hap" {
  multi_account = {
    allowed_global_accounts = try(local.multi.allowedGlobalAccounts, [])
    limits                  = try(local.multi.limits, {})
    min_bindings_for_guard  = try(local.multi.minBindingsForGuard, 0)
  }

  # How long the broker may take from choosing an account to making the Shoot.
  release_grace = "5m"
}

# The same rules: checked here before the broker reads them.
resource "hap_rule_set" "keb" {
  rules          = local.keb.rule_set.rules
  legacy         = local.keb.rule_set.legacy
  syntax         = local.keb.rule_set.syntax
  required_plans = local.keb.rule_set.required_plans
}

# An account that the broker has claimed for this Global Account is used as it is. The claim is recorded on it.
resource "hap_credentials_binding_claim" "blue" {
  name            = "blue"
  rule_set        = hap_rule_set.keb
  global_account  = "ga-acme"
  plan            = "aws"
  platform_region = "cf-eu10"

  cluster_name = "blue"
  owner        = "pipelines/landscape"
  on_destroy   = "keep"
}

# For the way back: what the broker reads.
output "rule_file" {
  value = hap_rule_set.keb.rule_file
}
