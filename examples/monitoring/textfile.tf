# The metrics of the pool for the textfile collector of Prometheus' node exporter: apply this on a schedule, on the machine where
# the node exporter runs with --collector.textfile.directory. The file is replaced as a whole.
terraform {
  required_providers {
    hap = { source = "hap-project/hap" }
  }
}

provider "hap" {}

variable "textfile_directory" {
  type    = string
  default = "."
}

variable "rules" {
  type    = list(string)
  default = ["aws", "azure", "gcp"]
}

# The rules that the claims of the landscape go by. With them each pool that a rule leads to has its series, with 0 where it has no
# account, and the problems missing_pool and empty_pool appear.
data "hap_pool_status" "now" {
  rule_set = { rules = var.rules }
}

resource "terraform_data" "metrics" {
  # Each plan has a new time: the file is written at each apply, and its age says when that was, also while no metric changes.
  triggers_replace = plantimestamp()

  # A renamed file is there as a whole: the collector never reads half of it.
  provisioner "local-exec" {
    command = "printf '%s' \"$METRICS\" > \"$FILE.new\" && mv \"$FILE.new\" \"$FILE\""
    environment = {
      METRICS = data.hap_pool_status.now.prometheus
      FILE    = "${var.textfile_directory}/account-pool.prom"
    }
  }
}
