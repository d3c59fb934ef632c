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

# Both take the connection from KUBE_HOST, KUBE_TOKEN and KUBE_CLUSTER_CA_CERT_DATA: a service account with role-supply.yaml,
# and for the Secrets create, update and delete on secrets.
provider "kubernetes" {}
provider "hap" {}

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
    namespace = "garden-my-project"
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

  # The name out of the id: before the Secret exists the id is not known, and so the plan does not look for the Secret.
  credentials_ref = {
    name = split("/", kubernetes_secret_v1.account[each.key].id)[1]
  }
}

output "pool" {
  value = { for name, account in hap_account.pool : name => account.class }
}
