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

  multi_account = {
    allowed_global_accounts = ["*"]
    limits = {
      default = 100
      aws     = 180
    }
  }
}
