terraform {
  required_version = ">= 1.11"
  required_providers {
    hap = {
      source = "hap-project/hap"
    }
  }
}

provider "hap" {
  kubernetes = {
    config_path = "~/.kube/garden.yaml"
  }
  namespace = "garden-my-project"

  # As the broker has it, where one claims from the same pool: otherwise the two disagree about who may have several accounts.
  multi_account = {
    allowed_global_accounts = ["*"]
    limits = {
      default = 100
      aws     = 180
    }
  }
}
