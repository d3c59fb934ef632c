terraform {
  required_version = ">= 1.11"
  required_providers {
    hap = {
      source = "hap-project/hap"
    }
  }
}

# The kubeconfig of the service account, from the pipeline's secret store: TF_VAR_kubeconfig. The namespace is HAP_NAMESPACE.
variable "kubeconfig" {
  type      = string
  sensitive = true
  ephemeral = true
}

provider "hap" {
  kubernetes = {
    config_raw = var.kubeconfig
  }
}

# Needs get and list on the accounts and list on Shoots: enough for plans, checks and reports.
data "hap_pool_status" "pool" {}

output "free_accounts" {
  value = { for p in data.hap_pool_status.pool.pools : p.hyperscaler_type => p.unclaimed... }
}
