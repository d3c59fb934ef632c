# <namespace>/<name>
terraform import hap_cluster.first team-a/first
