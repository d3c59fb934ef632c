# The last request on a cluster is destroyed only where this was applied as false before.
variable "deletion_protection" {
  type    = bool
  default = true
}

# Each customer has a cluster to itself.
variable "customers" {
  type    = set(string)
  default = ["customer-1"]
}

# What the clusters of customers are labelled with.
variable "stage" {
  type    = string
  default = "dev"
}

locals {
  # Clusters with workers. The operator's configuration says the same by profiles: see the output operator_config.
  workers = [{ trait = "kubernetes.io/apis/compute" }]
  purposes = {
    platform = { traits = local.workers }
    workload = { traits = local.workers, tenancy_count = 2 }
    mcp      = { traits = local.workers, dedicated = true }
  }

  requests = merge(
    {
      core   = { namespace = "team-a", purpose = "platform" }
      blue   = { namespace = "team-a", purpose = "workload" }
      green  = { namespace = "team-a", purpose = "workload" }
      red    = { namespace = "team-b", purpose = "workload" }
      yellow = { namespace = "team-b", purpose = "workload" }
    },
    { for name in var.customers : name => { namespace = "team-b", purpose = "mcp" } },
  )
}

resource "hap_cluster_request" "landscape" {
  for_each = local.requests

  namespace = each.value.namespace
  name      = each.key

  # With the operator one purpose takes the place of all that the built-in scheduler goes by.
  purpose             = var.operator ? each.value.purpose : null
  purposes            = var.operator ? null : [each.value.purpose]
  purpose_definitions = var.operator ? null : local.purposes
  prefix_proposal     = var.operator ? null : "${each.key}-"
  global_account      = var.operator ? null : "ga-acme"

  # They go on to the Cluster of a customer, and to no shared one.
  labels      = { "metadata.open-control-plane.io/stage" = var.stage }
  annotations = { "metadata.open-control-plane.io/contact" = "${var.stage}@example.com" }

  deletion_protection = var.deletion_protection

  lifecycle {
    postcondition {
      condition     = self.ready
      error_message = "The cluster of request ${self.id} is not ready yet. Apply again to wait on."
    }
  }
  depends_on = [hap_gardener_provider_config.aws]
}

# Access to each of them, for the pipeline that deploys into it.
resource "hap_access_request" "deploy" {
  for_each = hap_cluster_request.landscape

  namespace   = each.value.namespace
  name        = "deploy-${each.key}"
  cluster_ref = each.value.cluster
  token       = { permissions = [{ rules = [{ api_groups = [""], resources = ["namespaces"], verbs = ["get", "list"] }] }] }

  lifecycle {
    postcondition {
      condition     = self.granted
      error_message = "Access ${self.id} is not granted yet. Apply again to wait on."
    }
  }
}

# Who is on which Cluster, and with which prefix.
output "clusters" {
  value = {
    for name, r in hap_cluster_request.landscape :
    "${r.cluster.namespace}/${r.cluster.name}" => trimspace("${name} ${r.prefix}")...
  }
}

# How many Clusters each account has.
output "accounts" {
  value = {
    for name, config in hap_gardener_provider_config.aws : config.credentials_binding_name => length(distinct([
      for r in hap_cluster_request.landscape : "${r.cluster.namespace}/${r.cluster.name}" if r.profile == config.profile_name
    ]))
  }
}

# The configuration file for the operator. Its requests come to the account of europe.
output "operator_config" {
  value = yamlencode({
    scheduler = {
      scope = "Namespaced"
      purposeMappings = {
        for name, purpose in local.purposes : name => merge(
          { template = { spec = {
            profile = hap_gardener_provider_config.aws["europe"].profile_name
            tenancy = try(purpose.dedicated, false) ? "Exclusive" : "Shared"
          } } },
          can(purpose.tenancy_count) ? { tenancyCount = purpose.tenancy_count } : {},
        )
      }
    }
  })
}
