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

# The kubeconfig of the Garden, a path, and the namespace of the project there. Both providers work in the Garden here.
variable "garden_kubeconfig" {
  type = string
}

variable "namespace" {
  type = string
}

provider "kubernetes" {
  config_path = var.garden_kubeconfig
}

provider "hap" {
  kubernetes = {
    config_path = var.garden_kubeconfig
  }
}

# The keys of each account, from where the pipeline keeps them.
variable "keys" {
  type      = map(object({ id = string, secret = string }))
  ephemeral = true
  sensitive = true
}

resource "kubernetes_secret_v1" "account" {
  metadata {
    name      = "aws-account-51"
    namespace = var.namespace
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
  credentials_ref  = { id = kubernetes_secret_v1.account.id }
}
