# A kubeconfig for the cluster, issued anew by each plan and apply, in neither state nor plan.
ephemeral "hap_shoot_access" "blue" {
  shoot_name = hap_shoot.blue.access_name # not its name: this one is null while the cluster is not ready
  expiration = "2h"                       # longer than the run
}

# The next layer: providers that work inside the cluster.
provider "kubernetes" {
  host                   = ephemeral.hap_shoot_access.blue.host
  client_certificate     = ephemeral.hap_shoot_access.blue.client_certificate
  client_key             = ephemeral.hap_shoot_access.blue.client_key
  cluster_ca_certificate = ephemeral.hap_shoot_access.blue.cluster_ca_certificate
}

provider "helm" {
  kubernetes = {
    host                   = ephemeral.hap_shoot_access.blue.host
    client_certificate     = ephemeral.hap_shoot_access.blue.client_certificate
    client_key             = ephemeral.hap_shoot_access.blue.client_key
    cluster_ca_certificate = ephemeral.hap_shoot_access.blue.cluster_ca_certificate
  }
}

resource "kubernetes_namespace_v1" "apps" {
  metadata {
    name = "my-apps"
  }
}

resource "helm_release" "podinfo" {
  name       = "podinfo"
  namespace  = kubernetes_namespace_v1.apps.id
  repository = "https://stefanprodan.github.io/podinfo"
  chart      = "podinfo"
}
