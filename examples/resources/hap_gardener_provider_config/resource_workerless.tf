# Clusters without workers have no account.
resource "hap_gardener_provider_config" "workerless" {
  name          = "aws-workerless"
  landscape_ref = "canary"
  project       = "my-project"
  environment   = "test"

  shoot_template = yamlencode({
    spec = {
      cloudProfile = { kind = "CloudProfile", name = "aws" }
      region       = "eu-central-1"
      kubernetes   = { version = "1.33.2" }
      provider     = { type = "aws" }
    }
  })
  enforced_shoot_extensions = yamlencode([]) # none; left out, the provider enforces the OIDC extension
}
