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

# Both work in the Garden here, with the connection of KUBE_HOST, KUBE_TOKEN and KUBE_CLUSTER_CA_CERT_DATA.
provider "kubernetes" {}
provider "hap" {}

# The keys of each account, from where the pipeline keeps them.
variable "keys" {
  type      = map(object({ id = string, secret = string }))
  ephemeral = true
  sensitive = true
}

resource "kubernetes_secret_v1" "account" {
  metadata {
    name      = "aws-account-51"
    namespace = "garden-my-project"
  }
  data_wo = {
    accessKeyID     = var.keys["aws-account-51"].id
    secretAccessKey = var.keys["aws-account-51"].secret
  }
  data_wo_revision = 1
}

resource "hap_account" "first" {
  name             = "aws-account-51"
  provider_type    = "aws"
  hyperscaler_type = "aws"
  credentials_ref  = { name = split("/", kubernetes_secret_v1.account.id)[1] }
}
