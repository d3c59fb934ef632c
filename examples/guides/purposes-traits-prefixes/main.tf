terraform {
  required_version = ">= 1.11"
  required_providers {
    hap = {
      source = "hap-project/hap"
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
    scheduler   = "builtin"
  }
}

locals {
  # The purposes of the proposal, as all requests of the landscape know them.
  purposes = {
    platform   = { traits = [{ trait = "infrastructure/vendor/aws" }] }
    onboarding = { traits = [{ trait = "infrastructure/vendor/aws" }] }
    workload   = { traits = [{ trait = "infrastructure/vendor/aws" }, { trait = "kubernetes.io/apis/compute" }] }
    mcp = {
      dedicated = true # don't share MCP clusters
      traits = [
        { trait = "infrastructure/vendor/aws" },
        { trait = "cluster.openmcp.cloud/workerless", optional = true },
      ]
    }
  }

  # The keys are those of the functions.
  requests = {
    core = {
      purposes = ["platform", "onboarding"]
      traits   = [{ trait = "cluster.openmcp.cloud/workerless", negated = true }]
      prefix   = "core-"
    }
    blue       = { purposes = ["workload"], prefix = "blue-" }
    green      = { purposes = ["workload"], prefix = "no" }
    customer-1 = { purposes = ["mcp"] }
  }

  # What each request asks for together with its purposes, before anything is asked for.
  asked = { for name, request in local.requests : name => provider::hap::aggregate_purposes(request, local.purposes) }
}
