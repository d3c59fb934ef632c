data "hap_cluster_schedule" "workload" {
  name    = "workload"
  purpose = "workload"

  # The operator's configuration file as it is: file("operator.yaml"), or in HCL.
  scheduler_config = yamlencode({
    scheduler = {
      scope = "Namespaced"
      purposeMappings = {
        workload = {
          tenancyCount = 2
          template     = { spec = { profile = "test.gardener.aws-blue", tenancy = "Shared" } }
        }
      }
    }
  })

  lifecycle {
    # The operator would leave such a request pending, without a reason.
    postcondition {
      condition     = self.decision != "deny"
      error_message = self.message
    }
  }
}

output "cluster" { value = data.hap_cluster_schedule.workload.cluster }
