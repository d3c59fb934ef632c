package main

import (
	"fmt"
	"os"
	"path/filepath"
)

const (
	// rivalLabels is how its rows are called.
	rivalLabels = "`kubernetes_labels` of hashicorp/kubernetes"
	// rivalProgram is the provider that does the nearest to a claim: it sets a label of an object that is there.
	rivalProgram = providerPrefix + "kubernetes"
	// rivalMost is how many objects it is measured with at most: 5,000 take several minutes a command.
	rivalMost = manyObjects
)

// theLabels is the label of a claim on n accounts, which the configuration names itself. The first accounts have clusters.
const theLabels = `terraform {
  required_providers {
    kubernetes = { source = "hashicorp/kubernetes" }
  }
}

locals {
  tenants = { for i in ` + numbers + ` : tostring(i) => "new-tenant-${i}" }
}

resource "kubernetes_labels" "this" {
  for_each = local.tenants

  api_version = "security.gardener.cloud/v1alpha1"
  kind        = "CredentialsBinding"

  metadata {
    name      = format("account-%%05d", each.key + %[2]d)
    namespace = %[3]q
  }
  labels = { tenantName = each.value }
}
`

// rival is hashicorp/kubernetes with n labels on the accounts of a landscape; nil where there is none to measure.
func (b *bench) rival(l *landscape, n int) *subject {
	if b.kubernetes == "" || n > rivalMost || l.accounts < n+spare {
		return nil
	}
	of := applied{place: l.place(), configuration: fmt.Sprintf(theLabels, n, spare, l.Name), kubernetes: b.kubernetes}
	return of.subject(thousands(n)+" "+rivalLabels, b.root)
}

// rivalConfig makes the CLI take hashicorp/kubernetes from a folder, without `init`.
const rivalConfig = `provider_installation {
  dev_overrides {
    "registry.terraform.io/hashicorp/kubernetes" = %[1]q
    "registry.opentofu.org/hashicorp/kubernetes" = %[1]q
  }
  direct {}
}
`

// useRival has the CLI of a folder run a program as hashicorp/kubernetes.
func useRival(folder, config, program string) error {
	bin := filepath.Join(folder, "kubernetes")
	if err := os.Mkdir(bin, 0o700); err != nil {
		return err
	}
	if err := os.Symlink(program, filepath.Join(bin, rivalProgram)); err != nil {
		return err
	}
	return os.WriteFile(config, fmt.Appendf(nil, rivalConfig, bin), 0o600)
}
