data "hap_binding_selection" "next" {
  rule_set        = hap_rule_set.landscape
  global_account  = "ga-acme"
  plan            = "aws"
  platform_region = "cf-eu10"
}

output "next_account" {
  value = "${data.hap_binding_selection.next.action} ${data.hap_binding_selection.next.binding_name}: ${data.hap_binding_selection.next.reason}"
}
