import {
  to = hap_credentials_binding_claim.blue
  id = "ga-acme/aws-account-7/blue" # <global_account>/<binding_name>[/<name>]
}
