# An account in the pool, with its Secret. Leave this file out where the pool is filled already.

# The keys of the account, from where the pipeline keeps them.
variable "keys" {
  type      = object({ id = string, secret = string })
  ephemeral = true
  sensitive = true
}

provider "kubernetes" {
  alias       = "garden"
  config_path = var.garden_kubeconfig
}

resource "kubernetes_secret_v1" "account" {
  provider = kubernetes.garden

  metadata {
    name      = "aws-account-51"
    namespace = "garden-my-project"
  }
  data_wo = {
    accessKeyID     = var.keys.id
    secretAccessKey = var.keys.secret
  }
  data_wo_revision = 1
}

resource "hap_account" "first" {
  name             = "aws-account-51"
  provider_type    = "aws"
  hyperscaler_type = "aws"
  credentials_ref  = { name = split("/", kubernetes_secret_v1.account.id)[1] }
}
