# The metrics of the pool for the textfile collector of Prometheus' node exporter: apply this on a schedule, on the machine where
# the node exporter runs with --collector.textfile.directory. The file is replaced as a whole.
variable "textfile_directory" {
  type    = string
  default = "."
}

data "hap_pool_status" "now" {}

resource "terraform_data" "metrics" {
  triggers_replace = [data.hap_pool_status.now.prometheus]

  # A renamed file is there as a whole: the collector never reads half of it.
  provisioner "local-exec" {
    command = "printf '%s' \"$METRICS\" > \"$FILE.new\" && mv \"$FILE.new\" \"$FILE\""
    environment = {
      METRICS = data.hap_pool_status.now.prometheus
      FILE    = "${var.textfile_directory}/account-pool.prom"
    }
  }
}
