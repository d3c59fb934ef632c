import {
  to = hap_credentials_binding_claim.blue
  identity = {
    namespace      = "garden-my-project" # optional: the provider's
    global_account = "ga-acme"
    binding_name   = "aws-account-7"
    name           = "blue" # optional: default
  }
}
