# What would become of one more request, without making it.
data "hap_cluster_schedule" "red" {
  name                = "red"
  purposes            = ["workload"]
  prefix_proposal     = "blue-red-"
  purpose_definitions = local.purposes

  depends_on = [hap_cluster_request.landscape]
}

# random: the proposal blue-red- collides with blue-, which is granted to team-a/blue
output "red" {
  value = data.hap_cluster_schedule.red.prefix_rule
}
