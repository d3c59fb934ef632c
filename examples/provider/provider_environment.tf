terraform {
  required_providers {
    hap = {
      source = "hap-project/hap"
    }
  }
}

# KUBE_CONFIG_PATH and HAP_NAMESPACE say where.
provider "hap" {}

# What the pool has. Nothing is written.
data "hap_pool_status" "pool" {}

output "free_accounts" {
  value = { for p in data.hap_pool_status.pool.pools : p.hyperscaler_type => p.unclaimed... }
}
