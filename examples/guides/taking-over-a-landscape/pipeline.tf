# The pool in each run of the pipeline.
data "hap_pool_status" "now" {
  rule_set       = hap_rule_set.broker
  import_options = { rule_set = "hap_rule_set.broker", account_rules = "eu_access" }
  outputs        = ["import_decisions", "problems", "report"] # the rest would be in the state for nothing
}

locals {
  decided = yamldecode(file("${path.module}/decided.yaml"))

  # Without idle: the cluster of an account that the broker has just claimed is on its way.
  undecided = [for d in data.hap_pool_status.now.import_decisions : "${d.kind}: ${d.account}"
  if d.kind != "idle" && !contains(try(local.decided[d.kind], []), d.account)]
}

# A new oddity of the pool is a warning until it is in decided.yaml, or gone.
check "decided" {
  assert {
    condition     = length(local.undecided) == 0
    error_message = "To be decided: ${join(", ", local.undecided)}"
  }
}

# Each rule leads to a pool that has something to give.
check "supplied" {
  assert {
    condition     = alltrue([for p in data.hap_pool_status.now.problems : !contains(["missing_pool", "empty_pool"], p.kind)])
    error_message = "A pool has run dry, see the report."
  }
}

# For the summary page of the pipeline.
output "report" {
  value = data.hap_pool_status.now.report
}
