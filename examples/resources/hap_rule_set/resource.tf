resource "hap_rule_set" "landscape" {
  rules = [
    "aws(euAccess=*)",
    "azure(euAccess=*)",
    "gcp",
    "gcp(PR=cf-sa30)",
    "trial(shared)",
    "sap-converged-cloud(CR=*, shared)",
  ]
  required_plans = ["aws", "azure", "gcp", "trial", "sap-converged-cloud"]
}
