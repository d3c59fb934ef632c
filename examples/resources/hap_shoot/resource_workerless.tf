# A cluster without workers: an API server and nothing else. It needs no account.
resource "hap_shoot" "control" {
  name     = "control"
  template = <<-EOT
    spec:
      cloudProfile: { kind: CloudProfile, name: aws }
      region: eu-central-1
      kubernetes: { version: 1.33.2 }
      provider: { type: aws }
  EOT

  lifecycle {
    postcondition {
      condition     = self.ready
      error_message = "Cluster ${self.name} is not ready yet. Apply again to wait on."
    }
  }
}
