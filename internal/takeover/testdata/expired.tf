# The rules that the blocks below go by: a hap_rule_set can take their place.
locals {
  hap_import_rule_set = {
    rules  = ["aws(PR=cf-us10)", "aws", "aws(PR=cf-eu11) -> PR,EU"]
    syntax = "arrow"
    plans  = { "aws" = ["aws"] }
  }
}

import {
  to = hap_credentials_binding_claim.aws-1_blue
  id = "ga-1/aws-1/blue"
}

resource "hap_credentials_binding_claim" "aws-1_blue" {
  global_account  = "ga-1"
  name            = "blue"
  rule_set        = local.hap_import_rule_set
  plan            = "aws"
  platform_region = "cf-us10"
  cluster_name    = "c1"
  owner           = "team \"a\" $${x}"
  lease           = "24h"
  on_destroy      = "mark_dirty"
}

import {
  to = hap_credentials_binding_claim.aws-1_old
  id = "ga-1/aws-1/old"
}

resource "hap_credentials_binding_claim" "aws-1_old" {
  global_account = "ga-1"
  name           = "old"
  rule_set       = local.hap_import_rule_set
  plan           = "aws"
  lease          = "1h"
  on_destroy     = "keep"
}

import {
  to = hap_credentials_binding_claim.eu_1_default
  id = "ga-2/eu.1/default"
}

resource "hap_credentials_binding_claim" "eu_1_default" {
  global_account  = "ga-2"
  name            = "default"
  rule_set        = local.hap_import_rule_set
  plan            = "aws"
  platform_region = "cf-eu11"
  lease           = "47h"
  on_destroy      = "mark_dirty"
}

