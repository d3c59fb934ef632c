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

# The kubeconfig of the Garden: a path. It is in the provider blocks, and not in KUBE_CONFIG_PATH: hashicorp/kubernetes reads
# the same variables, and would take the Garden for the cluster where the cluster is not ready.
variable "garden_kubeconfig" {
  type = string
}

provider "hap" {
  kubernetes = {
    config_path = var.garden_kubeconfig
  }
}

resource "hap_rule_set" "landscape" {
  rules = ["aws"]
}

# An account for the tenant, and a place on it for the cluster.
resource "hap_credentials_binding_claim" "blue" {
  name           = "blue"
  rule_set       = hap_rule_set.landscape
  global_account = "ga-initech"
  plan           = "aws"
  cluster_name   = "blue"
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

  lifecycle {
    postcondition {
      condition     = self.ready
      error_message = "Cluster ${self.name} is not ready yet. Apply again to wait on."
    }
  }
}

output "cluster" {
  value = {
    tenant     = hap_credentials_binding_claim.blue.global_account
    account    = hap_credentials_binding_claim.blue.binding_name
    cluster    = hap_shoot.blue.id
    kubernetes = hap_shoot.blue.kubernetes_version
    api_server = hap_shoot.blue.api_server_urls["external"]
    namespace  = kubernetes_namespace_v1.apps.id
  }
}
