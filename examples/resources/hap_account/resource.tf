resource "hap_account" "spare" {
  name             = "aws-account-9"
  provider_type    = "aws"
  hyperscaler_type = "aws"
  credentials_ref  = { name = "aws-account-9" } # a Secret in the provider's namespace
  eu_access        = true

  labels = { cost-center = "4711" }
}
