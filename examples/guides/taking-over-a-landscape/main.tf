terraform {
  required_version = ">= 1.11"
  required_providers {
    hap = {
      source = "hap-project/hap"
    }
  }
}

# The module calls a function of the provider, and the provider block below needs what it returns. OpenTofu configures a provider before
# it calls its functions, so the module has a provider without settings.
provider "hap" {
  alias = "values"
}

module "broker" {
  source    = "./broker"
  providers = { hap = hap.values }
  values    = file("${path.module}/values.yaml")
}

# The same limits as the broker's: both count on the same accounts.
provider "hap" {
  multi_account = module.broker.multi_account

  # How long the broker may take from choosing an account to making the Shoot.
  release_grace = "5m"
}

# The same rules. The broker does not start where one of the plans has no rule; nor does this.
resource "hap_rule_set" "broker" {
  rules          = module.broker.rule_set.rules
  legacy         = module.broker.rule_set.legacy
  syntax         = module.broker.rule_set.syntax
  required_plans = module.broker.rule_set.required_plans
}
