terraform {
  required_providers {
    hap = {
      source = "hap-project/hap"
    }
  }
}

locals {
  purposes = {
    platform   = {}
    onboarding = { traits = [{ trait = "cluster.openmcp.cloud/workerless", optional = true }] }
    workload   = { traits = [{ trait = "kubernetes.io/apis/compute" }] }
    mcp        = { dedicated = true, traits = [{ trait = "cluster.openmcp.cloud/workerless", optional = true }] }
  }

  # A dedicated cluster, workerless if possible: both come from the purpose.
  mcp = provider::hap::aggregate_purposes({ purposes = ["mcp"] }, local.purposes)

  # What a request says itself: dedicated counts in place of the purposes, and its traits join theirs.
  shared = provider::hap::aggregate_purposes(
    {
      purposes  = ["onboarding", "mcp"]
      dedicated = false
      traits    = [{ trait = "cluster.openmcp.cloud/workerless" }, { trait = "infrastructure/vendor/aws" }]
    },
    local.purposes,
  )
}

# true, by mcp
output "dedicated" {
  value = "${local.mcp.dedicated}, by ${join(" and ", local.mcp.dedicated_by)}"
}

# ["cluster.openmcp.cloud/workerless: required by request, mcp, onboarding", "infrastructure/vendor/aws: required by request"]
output "traits" {
  value = [for t in local.shared.traits : "${t.trait}: ${t.optional ? "preferred" : "required"} by ${join(", ", t.sources)}"]
}
