# the name of the account
terraform import hap_account.spare aws-account-9
