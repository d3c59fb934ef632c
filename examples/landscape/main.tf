# A landscape with two tenants: which account does each of their clusters go to? One of the clusters is made there, too.
#
# It needs a connection (KUBE_CONFIG_PATH) and the namespace of a Gardener project (HAP_NAMESPACE). `make demo` brings
# both along, with a small pool.

terraform {
  required_version = ">= 1.11"
  required_providers {
    hap = {
      source = "hap-project/hap"
    }
  }
}

provider "hap" {
  # ga-acme may hold several accounts of one pool, with at most three clusters on each.
  multi_account = {
    allowed_global_accounts = ["ga-acme"]
    limits                  = { default = 3 }
  }

  release_grace = var.release_grace
}

# How long a release waits for clusters that may be on their way to the account. "0s" only where no party beside this configuration
# makes clusters there: no broker, and no other configuration.
variable "release_grace" {
  type    = string
  default = "1m"
}

# Which request leads to which pool. A mistake in here is an error before anything else happens.
resource "hap_rule_set" "landscape" {
  rules = [
    "aws(euAccess=*)",        # aws, and a pool of its own for EU access
    "azure(euAccess=*)",      # likewise
    "gcp",                    # gcp
    "gcp(PR=cf-sa30)",        # gcp_cf-sa30: Assured Workloads
    "trial(shared)",          # aws or azure, shared by all tenants
    "openstack(CR=*,shared)", # openstack_<region>, shared by all tenants
  ]
  required_plans = ["aws", "azure", "gcp", "trial", "sap-converged-cloud"]
}

locals {
  clusters = {
    # ga-acme holds two accounts of pool aws. One is full, the other has one cluster: two of these three clusters fit on
    # it, the third one overflows to a new account.
    acme-blue  = { global_account = "ga-acme", plan = "aws", platform_region = "cf-eu10", on_destroy = "keep" }
    acme-green = { global_account = "ga-acme", plan = "aws", platform_region = "cf-eu10", on_destroy = "keep" }
    acme-red   = { global_account = "ga-acme", plan = "aws", platform_region = "cf-eu10", on_destroy = "keep" }

    # The same plan from a platform region with EU access has a pool of its own.
    acme-eu = { global_account = "ga-acme", plan = "aws", platform_region = "cf-eu11", on_destroy = "return_to_pool" }

    # ga-globex holds an account for Assured Workloads already, and none for azure.
    globex-sa = { global_account = "ga-globex", plan = "gcp", platform_region = "cf-sa30", on_destroy = "keep" }
    globex-az = { global_account = "ga-globex", plan = "azure", platform_region = "cf-eu20" }

    # Shared pools: the account with the fewest clusters.
    globex-trial = { global_account = "ga-globex", plan = "trial", platform_region = "cf-eu10", hyperscaler = "aws" }
    globex-cc    = { global_account = "ga-globex", plan = "sap-converged-cloud", platform_region = "cf-eu10", hyperscaler_region = "eu-de-1" }
  }
}

# What would happen, before anything is claimed.
data "hap_binding_selection" "preview" {
  for_each = local.clusters

  rule_set           = hap_rule_set.landscape
  global_account     = each.value.global_account
  plan               = each.value.plan
  platform_region    = each.value.platform_region
  hyperscaler_region = try(each.value.hyperscaler_region, null)
  hyperscaler        = try(each.value.hyperscaler, null)
}

resource "hap_credentials_binding_claim" "cluster" {
  for_each = local.clusters

  name               = each.key
  rule_set           = hap_rule_set.landscape
  global_account     = each.value.global_account
  plan               = each.value.plan
  platform_region    = each.value.platform_region
  hyperscaler_region = try(each.value.hyperscaler_region, null)
  hyperscaler        = try(each.value.hyperscaler, null)

  cluster_name = each.key # reserves a place until the Shoot exists
  owner        = "landscape-example"
  on_destroy   = try(each.value.on_destroy, null)

  # So that the previews show the pool as it is before the first claim.
  depends_on = [data.hap_binding_selection.preview]
}

# A cluster on the account that its claim got. The others are made elsewhere, or later: their claims keep the places.
resource "hap_shoot" "cluster" {
  for_each = toset(["acme-red"])

  name                     = each.key
  credentials_binding_name = hap_credentials_binding_claim.cluster[each.key].binding_name
  global_account           = hap_credentials_binding_claim.cluster[each.key].global_account
  deletion_protection      = false # so that one destroy ends the landscape; true is the default

  template = yamlencode({
    spec = {
      cloudProfile = { kind = "CloudProfile", name = "aws" }
      region       = "eu-central-1"
      purpose      = "evaluation"
      kubernetes   = { version = "1.33.2" }
      networking   = { type = "calico", nodes = "10.250.0.0/16" }
      provider = {
        type = "aws"
        infrastructureConfig = {
          apiVersion = "aws.provider.extensions.gardener.cloud/v1alpha1"
          kind       = "InfrastructureConfig"
          networks = {
            vpc   = { cidr = "10.250.0.0/16" }
            zones = [{ name = "eu-central-1a", workers = "10.250.0.0/19", public = "10.250.32.0/20", internal = "10.250.48.0/20" }]
          }
        }
        workers = [{
          name    = "general"
          minimum = 1
          maximum = 3
          zones   = ["eu-central-1a"]
          machine = { type = "m5.large" }
          volume  = { type = "gp3", size = "50Gi" }
        }]
      }
    }
  })

  lifecycle {
    postcondition {
      condition     = self.ready
      error_message = "Cluster ${self.name} is not ready yet. Apply again to wait on."
    }
  }
}

# The whole pool after the last claim and the last cluster: who holds what, how full it is, and what is wrong.
data "hap_pool_status" "after" {
  depends_on = [hap_credentials_binding_claim.cluster, hap_shoot.cluster]
}
