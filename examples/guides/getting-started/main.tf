terraform {
  required_version = ">= 1.11"
  required_providers {
    hap = {
      source = "hap-project/hap"
    }
  }
}

# The connection comes from the environment: KUBE_HOST, KUBE_TOKEN, KUBE_CLUSTER_CA_CERT_DATA and HAP_NAMESPACE.
provider "hap" {}

# Clusters of plan aws go to the pool whose accounts have the label hyperscalerType=aws.
resource "hap_rule_set" "landscape" {
  rules = ["aws"]
}

# Which account would the next cluster of this Global Account go to? Nothing is written.
data "hap_binding_selection" "next" {
  rule_set       = hap_rule_set.landscape
  global_account = "ga-test"
  plan           = "aws"
}

output "next_account" {
  value = data.hap_binding_selection.next.reason
}
