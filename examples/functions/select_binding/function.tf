terraform {
  required_providers {
    hap = {
      source = "hap-project/hap"
    }
  }
}

locals {
  choice = provider::hap::select_binding(
    [
      { name = "aws-account-1", clusters = 3 },
      { name = "aws-account-2", clusters = 1 },
      { name = "aws-account-3", clusters = 2 },
    ],
    3,
  )
}

# reuse aws-account-3: the fullest account below the limit. Account 1 has no place left.
output "next_account" {
  value = "${local.choice.action}: ${local.choice.reason}"
}

# claim: with all accounts full there is no name, and another account has to be claimed.
output "all_full" {
  value = provider::hap::select_binding([{ name = "aws-account-1", clusters = 3 }], 3).action
}
