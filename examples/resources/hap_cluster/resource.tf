# The first cluster of a landscape: it is there before anything requests one.
resource "hap_cluster" "first" {
  name     = "first"
  profile  = "test.gardener.aws" # profile_name of a hap_gardener_provider_config
  purposes = ["onboarding", "workload"]
  tenancy  = "Shared"

  deletion_protection = var.deletion_protection

  lifecycle {
    # An apply that does not see the cluster ready in time ends with a warning. This keeps what depends on it from running then.
    postcondition {
      condition     = self.ready
      error_message = "Cluster ${self.id} is not ready yet. Apply again to wait on."
    }
  }
}

# The Cluster is destroyed only where this was applied as false before.
variable "deletion_protection" {
  type    = bool
  default = true
}

output "holders" { value = hap_cluster.first.requests }
