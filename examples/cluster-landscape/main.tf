# A landscape of clusters, from the first account to the second. Each stage is one apply, see variables.tf:
#
#   tofu apply                      # stage first
#   tofu apply -var stage=operator  # and so on
#   tofu destroy -var stage=full    # the stage that it has reached: what was handed over is not handed back
#
# `make demo` shows it on a local Garden with a platform cluster beside it.

terraform {
  required_version = ">= 1.11"
  required_providers {
    hap = {
      source = "hap-project/hap"
    }
  }
}

locals {
  # What has come by this stage.
  stages = ["first", "operator", "account", "full"]
  has    = { for i, name in local.stages : name => index(local.stages, var.stage) >= i }
}

provider "hap" {
  kubernetes = { config_path = var.garden_kubeconfig }
  namespace  = "garden-${var.project}"

  # ga-acme may hold several accounts of one pool, with at most two clusters on each.
  multi_account = {
    allowed_global_accounts = ["ga-acme"]
    limits                  = { default = 2 }
  }

  platform = {
    config_path = var.platform_kubeconfig
    namespace   = var.platform_namespace
    # Who grants requests: the provider itself, until the operator runs.
    scheduler = local.has.operator ? "operator" : "builtin"
  }

  release_grace = var.release_grace
}

resource "hap_rule_set" "landscape" {
  rules = ["aws"]
}

# An account for the Global Account, and a place on it for the first cluster.
resource "hap_credentials_binding_claim" "first" {
  name           = "first"
  rule_set       = hap_rule_set.landscape
  global_account = "ga-acme"
  plan           = "aws"
  cluster_name   = "first"
}

# When it is full, another one. It is a claim of its own, so that nothing of the first one changes.
resource "hap_credentials_binding_claim" "second" {
  count = local.has.account ? 1 : 0

  name           = "second"
  rule_set       = hap_rule_set.landscape
  global_account = "ga-acme"
  plan           = "aws"
}

# The first cluster comes straight from Gardener: nothing runs yet that could make one.
resource "hap_shoot" "first" {
  name                     = "first"
  credentials_binding_name = hap_credentials_binding_claim.first.binding_name
  global_account           = hap_credentials_binding_claim.first.global_account
  template                 = file("${path.module}/shoot.yaml")
  deletion_protection      = false # so that one destroy ends the landscape; true is the default

  # It becomes that of hap_cluster.first, which is made later.
  cluster_ref = { namespace = var.platform_namespace, name = "first" }

  lifecycle {
    postcondition {
      condition     = self.ready
      error_message = "Cluster ${self.name} is not ready yet. Apply again to wait on."
    }
  }
}
