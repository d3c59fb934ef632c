# The profile by which clusters come to the account of a claim. Its account never changes: another account gets another profile.
resource "hap_gardener_provider_config" "first" {
  name                     = "aws-first"
  environment              = var.environment
  landscape_ref            = "garden" # the Landscape of the cluster provider
  project                  = var.project
  credentials_binding_name = hap_credentials_binding_claim.first.binding_name
  global_account           = hap_credentials_binding_claim.first.global_account
  shoot_template           = file("${path.module}/shoot.yaml")
}

resource "hap_gardener_provider_config" "second" {
  count = local.has.account ? 1 : 0

  name                     = "aws-second"
  environment              = var.environment
  landscape_ref            = "garden"
  project                  = var.project
  credentials_binding_name = hap_credentials_binding_claim.second[0].binding_name
  global_account           = hap_credentials_binding_claim.second[0].global_account
  shoot_template           = file("${path.module}/shoot.yaml")
}

# Clusters without workers have no account, and take no place on one.
resource "hap_gardener_provider_config" "workerless" {
  name          = "aws-workerless"
  environment   = var.environment
  landscape_ref = "garden"
  project       = var.project

  shoot_template = yamlencode({
    spec = {
      cloudProfile = { kind = "CloudProfile", name = "aws" }
      region       = "eu-central-1"
      kubernetes   = { version = "1.33.2" }
      provider     = { type = "aws" }
    }
  })
}

# The Cluster of the first Shoot: the cluster provider finds the Shoot by its labels, and adopts it.
resource "hap_cluster" "first" {
  name     = "first"
  profile  = hap_gardener_provider_config.first.profile_name
  purposes = ["platform"]
  tenancy  = "Shared"

  deletion_protection = false # so that one destroy ends the landscape; true is the default

  lifecycle {
    postcondition {
      condition     = self.ready
      error_message = "Cluster ${self.id} is not ready yet. Apply again to wait on."
    }
  }
  depends_on = [hap_shoot.first]
}

# Granted by the provider itself, with a prefix of its own choice. When the operator takes over, one purpose takes the place of all
# that; the request keeps its Cluster and its prefix.
resource "hap_cluster_request" "platform" {
  name = "platform"

  purposes            = local.has.operator ? null : ["platform"]
  prefix_proposal     = local.has.operator ? null : "core-"
  purpose_definitions = local.has.operator ? null : { platform = { traits = [{ trait = "kubernetes.io/apis/compute" }] } }

  purpose = local.has.operator ? "platform" : null

  deletion_protection = false # as above

  lifecycle {
    postcondition {
      condition     = self.ready
      error_message = "The cluster of request ${self.id} is not ready yet. Apply again to wait on."
    }
  }
  depends_on = [hap_cluster.first]
}

locals {
  # The operator's configuration file: what it makes for each purpose. Start it with the output operator_config. New workload clusters
  # come to the second account as soon as there is one; those that run stay where they are.
  operator_config = yamlencode({
    scheduler = {
      scope = "Namespaced"
      purposeMappings = {
        platform   = { template = { spec = { profile = hap_gardener_provider_config.first.profile_name, tenancy = "Shared" } } }
        onboarding = { template = { spec = { profile = hap_gardener_provider_config.workerless.profile_name, tenancy = "Shared" } } }
        workload = {
          tenancyCount = 2
          template = { spec = {
            profile = coalesce(one(hap_gardener_provider_config.second[*].profile_name), hap_gardener_provider_config.first.profile_name)
            tenancy = "Shared"
          } }
        }
      }
    }
  })

  # Requests by their purpose: blue and green share a cluster, red is one too many for it.
  requests = merge(
    local.has.operator ? { onboarding = "onboarding", blue = "workload", green = "workload" } : {},
    local.has.full ? { red = "workload" } : {},
  )
}

resource "hap_cluster_request" "tenant" {
  for_each = local.requests

  name    = each.key
  purpose = each.value

  deletion_protection = false # as above

  lifecycle {
    postcondition {
      condition     = self.ready
      error_message = "The cluster of request ${self.id} is not ready yet. Apply again to wait on."
    }
  }
  # The operator makes the Clusters by these: they go after them. The request of the platform comes first to it.
  depends_on = [
    hap_gardener_provider_config.first, hap_gardener_provider_config.second, hap_gardener_provider_config.workerless,
    hap_cluster_request.platform,
  ]
}

# Access to two of them, for the pipeline that deploys into them.
resource "hap_access_request" "deploy" {
  for_each = local.has.operator ? toset(["onboarding", "blue"]) : toset([])

  name        = "deploy-${each.key}"
  cluster_ref = hap_cluster_request.tenant[each.key].cluster
  token       = { permissions = [{ rules = [{ api_groups = [""], resources = ["namespaces"], verbs = ["get", "list"] }] }] }

  lifecycle {
    postcondition {
      condition     = self.granted
      error_message = "Access ${self.id} is not granted yet. Apply again to wait on."
    }
  }
}

# The token of this run: in neither state nor plan. A provider block for what runs inside takes host, token and cluster_ca_certificate.
ephemeral "hap_cluster_access" "deploy" {
  for_each = hap_access_request.deploy

  access_request_id = each.value.access_request_id

  lifecycle {
    postcondition {
      condition     = self.host == null || contains(values(hap_cluster_request.tenant[each.key].endpoints), self.host)
      error_message = "The access leads to another server than that of the cluster."
    }
  }
}

# Where the next request for a workload cluster would come to, as the platform cluster is after all that.
data "hap_cluster_schedule" "next" {
  count = local.has.operator ? 1 : 0

  name             = local.has.full ? "yellow" : "red"
  purpose          = "workload"
  scheduler_config = local.operator_config

  # The names of profiles are known at plan: without this the preview would be read before there are the objects behind them.
  depends_on = [hap_gardener_provider_config.second, hap_cluster_request.tenant]
}
