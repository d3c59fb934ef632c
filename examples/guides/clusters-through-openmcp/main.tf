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

# The kubeconfig of the platform cluster: a path.
variable "platform" {
  type = string
}

# The last request on a cluster is destroyed only where this was applied as false before.
variable "deletion_protection" {
  type    = bool
  default = true
}

provider "hap" {
  platform = {
    config_path = var.platform
    namespace   = "team-a"
  }
}

locals {
  # Each request by its purpose, as the operator's configuration has it.
  requests = {
    platform   = "platform"
    onboarding = "onboarding"
    blue       = "workload"
    green      = "workload"
    red        = "workload"
    customer-1 = "mcp"
    customer-2 = "mcp"
  }
}

resource "hap_cluster_request" "landscape" {
  for_each = local.requests

  name                = each.key
  purpose             = each.value
  deletion_protection = var.deletion_protection

  lifecycle {
    postcondition {
      condition     = self.ready
      error_message = "The cluster of request ${self.id} is not ready yet. Apply again to wait on."
    }
  }
}

output "clusters" {
  value = {
    for name, r in hap_cluster_request.landscape : name => {
      cluster = r.cluster.name
      tenancy = r.tenancy
      tenants = r.tenants
      prefix  = r.prefix
    }
  }
}
