# <namespace>/<name>
terraform import hap_cluster_request.workload team-a/workload
