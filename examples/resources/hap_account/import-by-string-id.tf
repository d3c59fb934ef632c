import {
  to = hap_account.spare
  id = "aws-account-9" # the name of the account
}
