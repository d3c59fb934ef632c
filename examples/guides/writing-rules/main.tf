terraform {
  required_version = ">= 1.11"
  required_providers {
    hap = {
      source = "hap-project/hap"
    }
  }
}

resource "hap_rule_set" "attribute" {
  rules = [
    "aws(euAccess=*)",
    "gcp",
    "gcp(PR=cf-sa30)",
    "sap-converged-cloud(CR=*, shared)",
    "trial(shared)",
  ]
}

resource "hap_rule_set" "arrow" {
  syntax = "arrow"
  rules = [
    "aws",
    "aws(PR=cf-eu11) -> EU",
    "aws(PR=cf-ch20) -> EU",
    "gcp",
    "gcp(PR=cf-sa30) -> PR",
    "sap-converged-cloud -> HR, S",
    "trial -> S",
  ]
}

resource "hap_rule_set" "legacy" {
  legacy = {
    platform_region_rule = "gcp:cf-sa30"
    cluster_region_rule  = "sap-converged-cloud"
    shared_rule          = "trial;sap-converged-cloud"
    eu_access_rule       = "aws:cf-eu11;aws:cf-ch20"
  }

  # Each plan has a pool here, also those that this landscape has no accounts for.
  pool_check = "off"
}
