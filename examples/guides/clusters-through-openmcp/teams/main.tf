terraform {
  required_version = ">= 1.11"
  required_providers {
    hap = {
      source = "hap-project/hap"
    }
  }
}

# The kubeconfigs of the Garden and of the platform cluster: paths.
variable "garden_kubeconfig" {
  type = string
}

variable "platform" {
  type = string
}

# The Gardener project of the accounts and the Shoots.
variable "project" {
  type = string
}

# Who grants requests: the provider itself, until the openmcp-operator runs.
variable "operator" {
  type    = bool
  default = false
}

provider "hap" {
  kubernetes = { config_path = var.garden_kubeconfig }

  # At most two clusters on each account.
  multi_account = {
    allowed_global_accounts = ["ga-acme"]
    limits                  = { default = 2 }
  }

  platform = {
    config_path = var.platform
    namespace   = "team-a" # of requests that name none
    scheduler   = var.operator ? "operator" : "builtin"
  }
}

# Two pools, with EU access and without: the Global Account holds an account in each.
resource "hap_rule_set" "landscape" {
  rules = ["aws(euAccess=*)"]
}

resource "hap_credentials_binding_claim" "landscape" {
  for_each = { world = "cf-us10", europe = "cf-eu11" }

  name            = "teams-${each.key}"
  rule_set        = hap_rule_set.landscape
  global_account  = "ga-acme"
  plan            = "aws"
  platform_region = each.value
  on_destroy      = "keep"
}

# A profile for each account. The account of a profile never changes.
resource "hap_gardener_provider_config" "aws" {
  for_each = hap_credentials_binding_claim.landscape

  name                     = "aws-${each.key}"
  landscape_ref            = "canary"
  project                  = var.project
  environment              = "test"
  credentials_binding_name = each.value.binding_name
  global_account           = each.value.global_account

  shoot_template = yamlencode({
    spec = {
      cloudProfile = { kind = "CloudProfile", name = "aws" }
      region       = "eu-central-1"
      kubernetes   = { version = "1.33.2" }
      networking   = { type = "calico", nodes = "10.250.0.0/16" }
      provider = {
        type = "aws"
        workers = [{
          name    = "general"
          minimum = 1
          maximum = 3
          zones   = ["eu-central-1a"]
          machine = { type = "m5.large" }
          volume  = { type = "gp3", size = "50Gi" }
        }]
      }
    }
  })
}
