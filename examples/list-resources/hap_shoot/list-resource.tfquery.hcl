# terraform query: the clusters on one account, those of all configurations.
list "hap_shoot" "on_account" {
  provider = hap

  config {
    credentials_binding_name = "aws-account-7" # optional
  }
}
