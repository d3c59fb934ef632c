# Access for people: the kubeconfig has no token, each user of the OIDC provider logs in.
resource "hap_access_request" "people" {
  name        = "people"
  request_ref = { name = "workload" }

  oidc = {
    name      = "corp" # and the prefix of users and groups: corp:admins
    issuer    = "https://id.example.com"
    client_id = "clusters"
    role_bindings = [{
      subjects  = [{ kind = "Group", name = "admins" }]
      role_refs = [{ kind = "ClusterRole", name = "view" }]
    }]
  }

  lifecycle {
    postcondition {
      condition     = self.granted
      error_message = "Access ${self.id} is not granted yet. Apply again to wait on."
    }
  }
}
