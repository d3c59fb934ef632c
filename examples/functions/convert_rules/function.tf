terraform {
  required_providers {
    hap = {
      source = "hap-project/hap"
    }
  }
}

# ["azure", "azure(PR=cf-ch20) -> EU", "azure(PR=cf-eu11) -> EU", "aws", "aws(PR=cf-ch20) -> EU", "aws(PR=cf-eu11) -> EU",
#  "trial -> S", "gcp", "gcp(PR=cf-sa30) -> PR", "sap-converged-cloud -> HR,S"]
output "for_the_broker" {
  value = provider::hap::convert_rules(
    {
      rules = [
        "azure(euAccess=*)",
        "aws(euAccess=*)",
        "trial(shared)",
        "gcp",
        "gcp(PR=cf-sa30)",
        "openstack(CR=*, shared)",
      ]
    },
    "arrow",
  )
}

locals {
  not_offered = [
    "alicloud", "azure", "azure_lite", "build-runtime-alicloud", "build-runtime-aws", "build-runtime-azure", "build-runtime-gcp", "free",
    "gdch", "preview",
  ]

  # The four properties in arrow syntax, one entry for each side on which a region may be.
  converted = provider::hap::convert_rules(
    {
      legacy = {
        platform_region_rule = "gcp:cf-sa30"
        cluster_region_rule  = "sap-converged-cloud"
        shared_rule          = "trial;sap-converged-cloud"
      }
      # Every plan that is known gets an entry; null takes out those that the landscape does not offer.
      plans = { for plan in local.not_offered : plan => null }
    },
    "arrow",
  )

  # A region that begins with cf- is a platform region, so no request has it as its hyperscaler region.
  platform_regions_on_one_side = [for rule in local.converted : rule if !strcontains(rule, "HR=cf-")]
}

# ["aws", "gcp", "gcp(PR=cf-sa30)", "sap-converged-cloud(CR=*,shared)", "trial(shared)"]
output "from_properties" {
  value = provider::hap::convert_rules({ rules = local.platform_regions_on_one_side, syntax = "arrow" }, "attribute")
}
