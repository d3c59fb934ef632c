# Warn when the pool runs low. A check never stops an apply.
check "room_for_acme" {
  data "hap_binding_selection" "room" {
    rule_set        = hap_rule_set.landscape
    global_account  = "ga-acme"
    plan            = "aws"
    platform_region = "cf-eu10"
  }

  assert {
    condition     = data.hap_binding_selection.room.unclaimed >= 3
    error_message = "Only ${data.hap_binding_selection.room.unclaimed} accounts of pool ${data.hap_binding_selection.room.hyperscaler_type} are left to claim."
  }
}
