resource "hap_credentials_binding_claim" "first" {
  rule_set       = hap_rule_set.landscape
  global_account = "ga-test"
  plan           = "aws"

  owner      = "getting-started"
  on_destroy = "return_to_pool" # nothing runs on it yet, so it needs no clean-up
}

output "account" {
  value = hap_credentials_binding_claim.first.binding_name
}
