import {
  to = hap_account.spare
  identity = {
    namespace = "garden-my-project" # optional: the provider's
    name      = "aws-account-9"
  }
}
