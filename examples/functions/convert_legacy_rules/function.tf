terraform {
  required_providers {
    hap = {
      source = "hap-project/hap"
    }
  }
}

# ["aws(euAccess=*)", "azure(euAccess=*)", "gcp", "gcp(PR=cf-sa30)", "sap-converged-cloud(CR=*,shared)", "trial(shared)"]
output "rules" {
  value = provider::hap::convert_legacy_rules(
    {
      platform_region_rule = "gcp:cf-sa30"
      cluster_region_rule  = "sap-converged-cloud"
      shared_rule          = "trial;sap-converged-cloud"
      eu_access_rule       = "aws:cf-eu11;aws:cf-ch20;azure:cf-eu11;azure:cf-ch20"
    },
    {
      aws                 = ["aws"]
      azure               = ["azure"]
      gcp                 = ["gcp"]
      sap-converged-cloud = ["openstack"]
      trial               = ["aws", "azure"]
    },
  )
}

# Without a table of plans the built-in one counts: one entry for each plan, and shared for trial.
output "rules_for_all_plans" {
  value = provider::hap::convert_legacy_rules({ shared_rule = "trial" })
}
