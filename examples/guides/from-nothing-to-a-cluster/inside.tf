# A kubeconfig for as long as this run lasts: it comes into neither state nor plan.
ephemeral "hap_shoot_access" "blue" {
  shoot_name = hap_shoot.blue.access_name
}

# This one works inside the cluster.
provider "kubernetes" {
  host                   = ephemeral.hap_shoot_access.blue.host
  client_certificate     = ephemeral.hap_shoot_access.blue.client_certificate
  client_key             = ephemeral.hap_shoot_access.blue.client_key
  cluster_ca_certificate = ephemeral.hap_shoot_access.blue.cluster_ca_certificate
}

resource "kubernetes_namespace_v1" "apps" {
  metadata {
    name   = "my-apps"
    labels = { team = "initech" }
  }
}
