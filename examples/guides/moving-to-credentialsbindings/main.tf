terraform {
  required_version = ">= 1.11"
  required_providers {
    hap = {
      source = "hap-project/hap"
    }
  }
}

# What the accounts are: SecretBinding before the move, CredentialsBinding after it.
variable "pool_kind" {
  type = string
}

# Another binding of the same cloud account that the claim is to be on; null = the only one.
variable "binding" {
  type    = string
  default = null
}

provider "hap" {
  pool = { kind = var.pool_kind }
}

resource "hap_rule_set" "landscape" {
  rules      = ["aws"]
  pool_check = "warn"
}

resource "hap_credentials_binding_claim" "blue" {
  name           = "blue"
  rule_set       = hap_rule_set.landscape
  global_account = "ga-initech"
  plan           = "aws"
  cluster_name   = "blue"
  binding_name   = var.binding
}

# A cluster is destroyed only where this was applied as false before.
variable "deletion_protection" {
  type    = bool
  default = true
}

resource "hap_shoot" "blue" {
  name                     = "blue"
  credentials_binding_name = hap_credentials_binding_claim.blue.binding_name
  global_account           = hap_credentials_binding_claim.blue.global_account
  template                 = file("${path.module}/blue.yaml")
  deletion_protection      = var.deletion_protection
}

output "claim" {
  value = {
    account     = hap_credentials_binding_claim.blue.binding_name
    credentials = hap_credentials_binding_claim.blue.credentials_ref.kind
    dirty       = hap_credentials_binding_claim.blue.dirty
  }
}
