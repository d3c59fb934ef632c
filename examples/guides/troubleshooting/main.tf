terraform {
  required_providers {
    hap = { source = "hap-project/hap" }
  }
}

# What is stuck, before a pipeline runs into it. Checks warn and never stop an apply.
data "hap_pool_status" "pool" {}

check "pool" {
  assert {
    condition     = length(data.hap_pool_status.pool.problems) == 0
    error_message = join("\n", [for p in data.hap_pool_status.pool.problems : "${coalesce(p.account, "pool")}: ${p.text} ${p.remedy}"])
  }
}

output "report" {
  value = data.hap_pool_status.pool.report
}
