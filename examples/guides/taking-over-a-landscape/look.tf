# The pool as it is found, and the configuration that takes it over.
data "hap_pool_status" "found" {
  rule_set = hap_rule_set.broker
  import_options = {
    rule_set      = "hap_rule_set.broker" # what the blocks have as rule_set
    account_rules = "eu_access"           # the accounts that have it, too
  }
}

# What the broker does with its values beyond what they say.
output "notes" {
  value = module.broker.notes
}

output "import_config" {
  value     = data.hap_pool_status.found.import_config
  sensitive = true # it is long: tofu output -raw import_config shows it
}

locals {
  decisions = data.hap_pool_status.found.import_decisions
}

# What a person has to decide: the accounts by the kind of the decision.
output "decisions" {
  value = { for kind, accounts in { for d in local.decisions : d.kind => d.account... } : kind => join(", ", accounts) }
}

# The same with what was found, and what there is to choose from: tofu output -raw choices
output "choices" {
  value     = join("\n", flatten([for d in local.decisions : ["${d.kind}: ${d.account}", d.found, formatlist("- %s", d.choices), ""]]))
  sensitive = true
}
