# terraform query: the claims that are recorded on the accounts of the pool, those of all configurations.
list "hap_credentials_binding_claim" "acme" {
  provider = hap

  config {
    global_account   = "ga-acme" # optional
    hyperscaler_type = "aws"     # optional
  }
}
