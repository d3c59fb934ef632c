# What the built-in scheduler does with a request, with purposes, traits and prefixes. The operator's configuration does not matter.
data "hap_cluster_schedule" "onboarding" {
  engine          = "adr"
  name            = "onboarding"
  purposes        = ["platform", "onboarding"]
  prefix_proposal = "crate-"
  purpose_definitions = {
    platform   = {}
    onboarding = { traits = [{ trait = "cluster.openmcp.cloud/workerless", optional = true }] }
  }
}

output "decision" {
  value = {
    message      = data.hap_cluster_schedule.onboarding.message
    dedicated_by = data.hap_cluster_schedule.onboarding.dedicated_by
    prefix       = data.hap_cluster_schedule.onboarding.prefix
    prefix_rule  = data.hap_cluster_schedule.onboarding.prefix_rule
  }
}
