terraform {
  required_providers {
    hap = { source = "hap-project/hap" }
  }
}

provider "hap" {
  clean_up_types = ["aws", "azure", "gcp", "alicloud"] # what the clean-up job of this landscape wipes
}

resource "hap_rule_set" "landscape" {
  rules      = ["aws", "gcp", "gcp(PR=cf-sa30)", "azure(euAccess=*)"]
  pool_check = "warn"
}

# The pool as it is now, compared with the rules.
data "hap_pool_status" "today" {
  rule_set = hap_rule_set.landscape
}

# The claims whose pipelines are dead.
data "hap_pool_status" "expired" {
  expired_claims = true
}

# For the summary page of the pipeline.
output "report" {
  value = data.hap_pool_status.today.report
}

# For the janitor: tofu output -raw janitor > janitor/claims.tf
output "janitor" {
  value = data.hap_pool_status.expired.import_config
}

# What does not pass by itself.
output "stuck" {
  value = [for p in data.hap_pool_status.today.problems : "${p.kind}: ${p.account == null ? "" : p.account} ${p.text}"
  if contains(["stranded", "stray", "fence", "unreachable", "unused_pool", "expired_claim", "quarantine_lost"], p.kind)]
}
