# The metrics of the pool for the textfile collector of Prometheus' node exporter. Run this on a schedule, on the machine where the node
# exporter runs with --collector.textfile.directory:
#   tofu apply -auto-approve && tofu output -raw metrics > account-pool.prom.new && mv account-pool.prom.new "$DIRECTORY/account-pool.prom"
# A renamed file is there as a whole: the collector never reads half of it. It has to be in the same file system.
terraform {
  required_providers {
    hap = { source = "hap-project/hap" }
  }
}

provider "hap" {}

variable "rules" {
  type    = list(string)
  default = ["aws", "azure", "gcp"]
}

# The rules that the claims of the landscape go by. With them each pool that a rule leads to has its series, with 0 where it has no
# account, and the problems missing_pool and empty_pool appear.
data "hap_pool_status" "now" {
  rule_set = { rules = var.rules }
}

output "metrics" {
  value = data.hap_pool_status.now.prometheus
}
