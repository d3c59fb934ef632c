# Access to two of them: the pipeline administers the workload cluster, and sees the namespaces of the customer's.
resource "hap_access_request" "deploy" {
  name        = "deploy"
  cluster_ref = hap_cluster_request.landscape["blue"].cluster
  token = {
    role_refs = [{ kind = "ClusterRole", name = "cluster-admin" }]
  }

  lifecycle {
    postcondition {
      condition     = self.granted
      error_message = "Access ${self.id} is not granted yet. Apply again to wait on."
    }
  }
}

resource "hap_access_request" "look" {
  name        = "look"
  cluster_ref = hap_cluster_request.landscape["customer-1"].cluster
  token = {
    permissions = [{ rules = [{ api_groups = [""], resources = ["namespaces"], verbs = ["get", "list"] }] }]
  }

  lifecycle {
    postcondition {
      condition     = self.granted
      error_message = "Access ${self.id} is not granted yet. Apply again to wait on."
    }
  }
}

# The tokens of this run: in neither state nor plan.
ephemeral "hap_cluster_access" "deploy" {
  access_request_id = hap_access_request.deploy.access_request_id
}

provider "kubernetes" {
  host                   = ephemeral.hap_cluster_access.deploy.host
  token                  = ephemeral.hap_cluster_access.deploy.token
  cluster_ca_certificate = ephemeral.hap_cluster_access.deploy.cluster_ca_certificate
}

# Others share the cluster: what is in no namespace begins with the prefix of the request.
resource "kubernetes_namespace_v1" "apps" {
  metadata {
    name   = "${hap_cluster_request.landscape["blue"].prefix}my-apps"
    labels = { team = "a" }
  }
}
