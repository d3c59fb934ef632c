import {
  to = hap_access_request.deploy
  id = "team-a/deploy" # <namespace>/<name>
}
