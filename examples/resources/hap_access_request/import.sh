# <namespace>/<name>
terraform import hap_access_request.deploy team-a/deploy
