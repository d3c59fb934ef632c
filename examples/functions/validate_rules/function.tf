terraform {
  required_providers {
    hap = {
      source = "hap-project/hap"
    }
  }
}

locals {
  problems = provider::hap::validate_rules({
    syntax         = "attribute"
    rules          = ["gcp", "gcp(PR=cf-sa30)", "gcp(PR=*)", "awz"]
    required_plans = ["aws", "gcp"]
  })
}

# Every problem of the rule set: awz is no plan, aws has no entry, and two entries for gcp are ambiguous.
output "problems" {
  value = [for p in local.problems : "${p.severity} ${p.kind}: ${p.message}"]
}

check "rules" {
  assert {
    condition     = alltrue([for p in local.problems : p.severity != "error"])
    error_message = join("\n", local.problems[*].message)
  }
}
