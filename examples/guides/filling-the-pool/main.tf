terraform {
  required_version = ">= 1.11"
  required_providers {
    hap = {
      source = "hap-project/hap"
    }
    kubernetes = {
      source  = "hashicorp/kubernetes"
      version = ">= 2.36"
    }
  }
}

# Both take the connection from the environment: that of a service account with role-supply.yaml, and for the Secrets get, create, patch
# and delete on secrets.
provider "kubernetes" {}
provider "hap" {}

# The namespace of the Gardener project: TF_VAR_namespace.
variable "namespace" {
  type = string
}

# The keys of each account, from where the pipeline keeps them. Ephemeral: they are neither in a plan nor in the state.
variable "keys" {
  type      = map(object({ id = string, secret = string }))
  ephemeral = true
  sensitive = true
}

locals {
  accounts = {
    aws-account-21 = { type = "aws" }
    aws-account-22 = { type = "aws" }
    aws-account-31 = { type = "aws", eu_access = true }
    aws-shared-41  = { type = "aws", shared = true }
  }

  # Accounts that are out of circulation, and why. Taken away here, an account is given back.
  quarantine = {
    aws-account-22 = "cost alert of 12 May is being looked into"
  }
}

resource "kubernetes_secret_v1" "account" {
  for_each = local.accounts

  metadata {
    name      = each.key
    namespace = var.namespace
  }
  data_wo = {
    accessKeyID     = var.keys[each.key].id
    secretAccessKey = var.keys[each.key].secret
  }
  data_wo_revision = 1 # raise it to write new keys
}

# The rules of the landscape: a plan warns of an account that no rule leads to.
resource "hap_rule_set" "landscape" {
  rules      = ["aws(euAccess=*)", "trial(shared)"]
  pool_check = "off"
}

resource "hap_account" "pool" {
  for_each = local.accounts

  name             = each.key
  provider_type    = "aws"
  hyperscaler_type = each.value.type
  eu_access        = try(each.value.eu_access, false)
  shared           = try(each.value.shared, false)
  quarantine       = try(local.quarantine[each.key], null)
  rule_set         = hap_rule_set.landscape
  credentials_ref  = { id = kubernetes_secret_v1.account[each.key].id }
}

output "pool" {
  value = { for name, account in hap_account.pool : name => account.class }
}
