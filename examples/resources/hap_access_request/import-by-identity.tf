import {
  to = hap_access_request.deploy
  identity = {
    namespace = "team-a" # optional: the provider's platform.namespace
    name      = "deploy"
  }
}
