terraform {
  required_providers {
    hap = {
      source = "hap-project/hap"
    }
  }
}

variable "values" {
  type        = string
  description = "The values file of the broker."
}

locals {
  broker = provider::hap::broker_values(yamldecode(var.values))
}

output "rule_set" {
  value = local.broker.rule_set
}

output "multi_account" {
  value = local.broker.multi_account
}

output "notes" {
  value = local.broker.notes
}
