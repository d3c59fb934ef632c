data "hap_cluster_profiles" "all" {}

# The profiles whose clusters run on AWS and have workers.
output "aws" {
  value = [
    for p in data.hap_cluster_profiles.all.profiles : p.name
    if p.traits != null && try(contains(p.traits, "infrastructure/vendor/aws") && contains(p.traits, "kubernetes.io/apis/compute"), false)
  ]
}
