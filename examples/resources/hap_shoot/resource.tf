resource "hap_shoot" "blue" {
  name                     = "blue"
  credentials_binding_name = hap_credentials_binding_claim.blue.binding_name # with cluster_name = "blue"
  global_account           = hap_credentials_binding_claim.blue.global_account

  # labels, annotations and spec of a Shoot: every field that Gardener has. What is left out is left to Gardener.
  template = yamlencode({
    metadata = { labels = { stage = "dev" } }
    spec = {
      cloudProfile = { kind = "CloudProfile", name = "aws" }
      region       = "eu-central-1"
      purpose      = "evaluation"
      kubernetes   = { version = "1.33.2" }
      networking   = { type = "calico", nodes = "10.250.0.0/16" }
      maintenance  = { autoUpdate = { kubernetesVersion = true, machineImageVersion = true } }
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
    # An apply that does not see the cluster ready in time ends with a warning. This keeps what depends on it from running then.
    postcondition {
      condition     = self.ready
      error_message = "Cluster ${self.name} is not ready yet. Apply again to wait on."
    }
  }
}
