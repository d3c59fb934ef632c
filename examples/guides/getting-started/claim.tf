resource "hap_credentials_binding_claim" "first" {
  rule_set       = hap_rule_set.landscape
  global_account = "ga-test"
  plan           = "aws"
  binding_name   = "try-hap" # this account and no other; without it the rules choose one of the pool

  owner      = "getting-started"
  on_destroy = "return_to_pool" # nothing runs on it yet, so it needs no clean-up
}

output "account" {
  value = hap_credentials_binding_claim.first.binding_name
}
