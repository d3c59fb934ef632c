# The credentials of an account: read anew by each plan and apply, in neither state nor plan.
#
# The account is claimed by a configuration of its own, which ran before: most providers have to know their credentials
# at plan already, and an account that is claimed in the same run is known only at apply. With global_account the credentials
# are refused once the account is another tenant's.
ephemeral "hap_credentials" "blue" {
  binding_name   = "aws-account-7"
  global_account = "ga-acme"
}

# They configure another provider, which works inside the account from then on.
provider "aws" {
  region     = "eu-central-1"
  access_key = ephemeral.hap_credentials.blue.data["accessKeyID"]
  secret_key = ephemeral.hap_credentials.blue.data["secretAccessKey"]
}

data "aws_caller_identity" "blue" {}

output "aws_account" {
  value = data.aws_caller_identity.blue.account_id
}
