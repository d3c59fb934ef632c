# To decide about 1gcp: idle.
import {
  to = hap_account._1gcp
  id = "1gcp"
}

resource "hap_account" "_1gcp" {
  name             = "1gcp"
  provider_type    = "gcp"
  hyperscaler_type = "gcp_cf-sa30"
  credentials_ref  = { kind = "Secret", namespace = "garden-hap", name = "1gcp-key" }
}

import {
  to = hap_account.aws-1
  id = "aws-1"
}

resource "hap_account" "aws-1" {
  name             = "aws-1"
  provider_type    = "aws"
  hyperscaler_type = "aws"
  credentials_ref  = { kind = "Secret", namespace = "garden-hap", name = "aws-1-key" }
}

# To decide about aws-2: idle.
import {
  to = hap_account.aws-2
  id = "aws-2"
}

resource "hap_account" "aws-2" {
  name             = "aws-2"
  provider_type    = "aws"
  hyperscaler_type = "aws"
  credentials_ref  = { kind = "Secret", namespace = "garden-hap", name = "aws-2-key" }
}

# To decide about aws-3: stray.
import {
  to = hap_account.aws-3
  id = "aws-3"
}

resource "hap_account" "aws-3" {
  name             = "aws-3"
  provider_type    = "aws"
  hyperscaler_type = "aws"
  credentials_ref  = { kind = "Secret", namespace = "garden-hap", name = "aws-3-key" }
  internal         = true
  labels           = { "example.com/x" = "%%{if}", "team" = "a" }
}

import {
  to = hap_account.aws-4
  id = "aws-4"
}

resource "hap_account" "aws-4" {
  name             = "aws-4"
  provider_type    = "aws"
  hyperscaler_type = "aws"
  credentials_ref  = { kind = "Secret", namespace = "garden-hap", name = "aws-4-key" }
}

import {
  to = hap_account.aws-5
  id = "aws-5"
}

resource "hap_account" "aws-5" {
  name             = "aws-5"
  provider_type    = "aws"
  hyperscaler_type = "aws"
  credentials_ref  = { kind = "Secret", namespace = "garden-hap", name = "aws-5-key" }
  quarantine       = "misuse\nof all"
}

# Account aws-6 is being deleted.

import {
  to = hap_account.eu_1
  id = "eu.1"
}

resource "hap_account" "eu_1" {
  name             = "eu.1"
  provider_type    = "aws"
  hyperscaler_type = "aws_cf-eu11"
  credentials_ref  = { kind = "Secret", namespace = "garden-hap", name = "eu.1-key" }
  eu_access        = true
}

import {
  to = hap_account.trial
  id = "trial"
}

resource "hap_account" "trial" {
  name             = "trial"
  provider_type    = "aws"
  hyperscaler_type = "aws"
  credentials_ref  = { kind = "Secret", namespace = "garden-hap", name = "trial-key" }
  shared           = true
}

# The rules that the blocks below go by: a hap_rule_set can take their place.
locals {
  hap_import_rule_set = {
    rules  = ["gcp(PR=cf-sa30) -> PR", "aws(PR=cf-us10)", "aws", "preview", "aws(PR=cf-eu11) -> PR,EU"]
    syntax = "arrow"
    plans  = { "aws" = ["aws"], "gcp" = ["gcp"], "preview" = ["aws"] }
  }
}

import {
  to = hap_credentials_binding_claim._1gcp_held
  id = "ga-2/1gcp/1gcp"
}

resource "hap_credentials_binding_claim" "_1gcp_held" {
  global_account  = "ga-2"
  name            = "1gcp"
  rule_set        = local.hap_import_rule_set
  plan            = "gcp"
  platform_region = "cf-sa30"
  on_destroy      = "keep"
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
  on_destroy      = "keep"
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
  to = hap_credentials_binding_claim.aws-1_red
  id = "ga-1/aws-1/red"
}

resource "hap_credentials_binding_claim" "aws-1_red" {
  global_account = "ga-1"
  name           = "red"
  rule_set       = local.hap_import_rule_set
  plan           = "preview"
  lease          = "720h"
  on_destroy     = "keep"
}

import {
  to = hap_credentials_binding_claim.aws-2_held
  id = "ga-1/aws-2/aws-2"
}

resource "hap_credentials_binding_claim" "aws-2_held" {
  global_account = "ga-1"
  name           = "aws-2"
  rule_set       = local.hap_import_rule_set
  plan           = "aws"
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
  on_destroy      = "keep"
}

