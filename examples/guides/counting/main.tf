terraform {
  required_version = ">= 1.11"
  required_providers {
    hap = {
      source = "hap-project/hap"
    }
  }
}

provider "hap" {
  # The broker's database, read-only. Its URL is HAP_DATABASE_URL.
  database = {
    connect_timeout = "5s"
    query_timeout   = "20s"
  }

  # Per account the higher of the two numbers.
  cluster_count = {
    source          = "both"
    on_disagreement = "highest"
  }

  multi_account = {
    allowed_global_accounts = ["ga-acme", "ga-globex"]
    limits = {
      default = 100
      aws     = 180
    }
    min_bindings_for_guard = 3
  }
}

data "hap_binding_selection" "next" {
  rule_set       = { rules = ["aws", "gcp"] }
  global_account = "ga-acme"
  plan           = "aws"
}

# How full each account is, and why the first was chosen.
output "candidates" {
  value = {
    for c in data.hap_binding_selection.next.candidates :
    c.name => "${c.clusters} clusters (${c.shoots} Shoots, ${c.instances} rows), ${c.reserved} reserved, limit ${c.limit}: ${c.verdict}, ${c.why}"
  }
}
