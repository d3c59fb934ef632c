resource "hap_credentials_binding_claim" "blue" {
  name            = "blue"
  rule_set        = hap_rule_set.landscape
  global_account  = "ga-acme"
  plan            = "aws"
  platform_region = "cf-eu10"

  cluster_name = "blue" # reserves a place on the account until the Shoot exists
  owner        = "pipeline/landscape"
}
