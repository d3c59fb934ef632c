# <global_account>/<binding_name>[/<name>]; the name is "default" where it is left out
terraform import hap_credentials_binding_claim.blue ga-acme/aws-account-7/blue
