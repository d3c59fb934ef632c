terraform {
  required_providers {
    hap = { source = "hap-project/hap" }
  }
}

resource "hap_credentials_binding_claim" "nightly" {
  name           = "nightly"
  rule_set       = { rules = ["gcp"] }
  global_account = "ga-acme"
  plan           = "gcp"
  owner          = "pipelines/nightly"
  on_destroy     = "keep"
  lease          = "1s" # over when the next plan looks
}
