# The metrics of the pool for the textfile collector of Prometheus' node exporter: apply this on a schedule, on the machine where
# the node exporter runs with --collector.textfile.directory. The file is replaced as a whole.
variable "textfile_directory" {
  type    = string
  default = "."
}

data "hap_pool_status" "now" {}

resource "terraform_data" "metrics" {
  # Each plan has a new time: the file is written at each apply, and its age tells when that was, also while no metric changes.
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
