# The access, read anew by each plan and apply, in neither state nor plan.
ephemeral "hap_cluster_access" "deploy" {
  access_request_id = hap_access_request.deploy.access_request_id # not its id: this one is null while access is not granted
}

# The next layer: a provider that works inside the cluster.
provider "helm" {
  kubernetes = {
    host                   = ephemeral.hap_cluster_access.deploy.host
    token                  = ephemeral.hap_cluster_access.deploy.token
    cluster_ca_certificate = ephemeral.hap_cluster_access.deploy.cluster_ca_certificate
  }
}

resource "helm_release" "podinfo" {
  name       = "podinfo"
  namespace  = "my-apps"
  repository = "https://stefanprodan.github.io/podinfo"
  chart      = "podinfo"
}
