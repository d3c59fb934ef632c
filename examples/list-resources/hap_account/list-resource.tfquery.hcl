list "hap_account" "aws" {
  provider = hap

  config {
    hyperscaler_type = "aws"
  }
}
