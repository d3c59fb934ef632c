data "hap_pool_status" "now" {}

# For the summary page of a pipeline: tofu output -raw report >> "$GITHUB_STEP_SUMMARY"
output "report" {
  value = data.hap_pool_status.now.report
}

# For a push gateway, or for the textfile collector of the node exporter.
output "metrics" {
  value = data.hap_pool_status.now.prometheus
}

# A warning at every plan and apply when a pool runs low. Shared pools have nothing to claim.
check "pools" {
  assert {
    condition     = alltrue([for p in data.hap_pool_status.now.pools : p.shared || p.unclaimed >= 2])
    error_message = "Running low: ${join(", ", [for p in data.hap_pool_status.now.pools : "${p.hyperscaler_type} (${p.unclaimed} left)" if !p.shared && p.unclaimed < 2])}."
  }
}

# And when something is wrong that does not pass by itself.
locals {
  problems = [for p in data.hap_pool_status.now.problems : p if !contains(["dirty", "deleting"], p.kind)]
}

check "problems" {
  assert {
    condition     = length(local.problems) == 0
    error_message = join("\n", [for p in local.problems : "${p.account == null ? "Pool" : p.account}: ${p.text} ${p.remedy}"])
  }
}
