terraform {
  required_providers {
    hap = { source = "hap-project/hap" }
  }
}

provider "hap" {}
