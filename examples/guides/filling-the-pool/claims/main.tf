terraform {
  required_version = ">= 1.11"
  required_providers {
    hap = {
      source = "hap-project/hap"
    }
  }
}

# Another pipeline, with a service account of its own and role.yaml: it claims, and can neither make nor delete an account.
provider "hap" {
  release_grace = "0s" # no broker runs here
}

resource "hap_credentials_binding_claim" "blue" {
  rule_set       = { rules = ["aws(euAccess=*)", "trial(shared)"] }
  name           = "blue"
  global_account = "ga-acme"
  plan           = "aws"
  owner          = "pipeline/tenants"
}

output "account" {
  value = hap_credentials_binding_claim.blue.binding_name
}
