import {
  to = hap_account.a
  id = "a"
}

resource "hap_account" "a" {
  name             = "a"
  provider_type    = "aws"
  hyperscaler_type = "aws"
  credentials_ref  = { kind = "Secret", namespace = "garden-hap", name = "a-key" }
}

# To decide about b: idle.
import {
  to = hap_account.b
  id = "b"
}

resource "hap_account" "b" {
  name             = "b"
  provider_type    = "aws"
  hyperscaler_type = "aws"
  credentials_ref  = { kind = "Secret", namespace = "garden-hap", name = "b-key" }
}

# The rules that the blocks below go by: a hap_rule_set can take their place.
locals {
  hap_import_rule_set = {
    rules = ["gcp"]
  }
}

# No rule leads the request of claim ga-1/a/asked to a pool: each plan warns of it, and the claim stays where it is.

import {
  to = hap_credentials_binding_claim.a_asked
  id = "ga-1/a/asked"
}

resource "hap_credentials_binding_claim" "a_asked" {
  global_account  = "ga-1"
  name            = "asked"
  rule_set        = local.hap_import_rule_set
  plan            = "odd (plan"
  platform_region = "x"
  owner           = "team"
  on_destroy      = "keep"
}

# No rule leads the request of claim ga-1/a/silent to a pool: each plan warns of it, and the claim stays where it is.

import {
  to = hap_credentials_binding_claim.a_silent
  id = "ga-1/a/silent"
}

resource "hap_credentials_binding_claim" "a_silent" {
  global_account = "ga-1"
  name           = "silent"
  rule_set       = local.hap_import_rule_set
  plan           = ""
  on_destroy     = "keep"
}

# No rule leads the request of claim ga-1/b/b to a pool: each plan warns of it, and the claim stays where it is.

import {
  to = hap_credentials_binding_claim.b_held
  id = "ga-1/b/b"
}

resource "hap_credentials_binding_claim" "b_held" {
  global_account = "ga-1"
  name           = "b"
  rule_set       = local.hap_import_rule_set
  plan           = ""
  on_destroy     = "keep"
}

