resource "hap_gardener_provider_config" "aws_blue" {
  name                     = "aws-blue"
  landscape_ref            = "canary"     # the Landscape of the cluster provider
  project                  = "my-project" # the Gardener project of the pool's accounts
  environment              = "test"       # what the cluster provider runs with
  credentials_binding_name = hap_credentials_binding_claim.blue.binding_name
  global_account           = hap_credentials_binding_claim.blue.global_account

  # The template of every Shoot that is made by this profile. It names no account.
  shoot_template = yamlencode({
    spec = {
      cloudProfile = { kind = "CloudProfile", name = "aws" }
      region       = "eu-central-1"
      kubernetes   = { version = "1.33.2" }
      networking   = { type = "calico", nodes = "10.250.0.0/16" }
      provider = {
        type = "aws"
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
}

# For profile of the operator's purposeMappings: test.gardener.aws-blue
output "profile" { value = hap_gardener_provider_config.aws_blue.profile_name }
