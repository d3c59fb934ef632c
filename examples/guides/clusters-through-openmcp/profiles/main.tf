terraform {
  required_version = ">= 1.11"
  required_providers {
    hap = {
      source = "hap-project/hap"
    }
  }
}

# The kubeconfigs of the Garden and of the platform cluster: paths.
variable "garden_kubeconfig" {
  type = string
}

variable "platform" {
  type = string
}

provider "hap" {
  kubernetes = { config_path = var.garden_kubeconfig }
  platform   = { config_path = var.platform }
}

resource "hap_rule_set" "landscape" {
  rules = ["aws"]
}

resource "hap_credentials_binding_claim" "blue" {
  name           = "blue"
  rule_set       = hap_rule_set.landscape
  global_account = "ga-acme"
  plan           = "aws"
  on_destroy     = "keep"
}
