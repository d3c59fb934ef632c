resource "hap_cluster_request" "landscape" {
  for_each = local.requests

  name                = each.key
  purposes            = each.value.purposes
  traits              = try(each.value.traits, null)
  prefix_proposal     = try(each.value.prefix, null)
  purpose_definitions = local.purposes
  deletion_protection = var.deletion_protection

  lifecycle {
    postcondition {
      condition     = self.ready
      error_message = "The cluster of request ${self.id} is not ready yet. Apply again to wait on."
    }
  }
}

# The two requests for workload share a Cluster, and their prefixes do not collide.
output "shared" {
  value = length(distinct([for name in ["blue", "green"] : hap_cluster_request.landscape[name].cluster.name])) == 1
}

# core- and blue- as proposed; one that is drawn at random, because "no" is too short; none on the dedicated Cluster.
output "prefixes" {
  value = { for name, r in hap_cluster_request.landscape : name => r.prefix }
}

# {"blue": [], "core": [], "customer-1": ["mcp"], "green": []}
output "dedicated_by" {
  value = { for name, a in local.asked : name => a.dedicated_by }
}

# The workerless profile, because that was possible.
output "tenancy" {
  value = { for name, r in hap_cluster_request.landscape : name => r.tenancy }
}
