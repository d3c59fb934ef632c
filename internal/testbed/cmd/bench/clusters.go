package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/gardenlet"
)

// theClusters is n clusters without workers: what many cost is the same with workers, and they need no accounts.
const theClusters = `terraform {
  required_providers {
    hap = { source = "hap-project/hap" }
  }
}

locals {
  clusters = { for i in range(%[1]d) : tostring(i) => "c-${i}" }
  template = <<-EOT
    spec:
      cloudProfile: {kind: CloudProfile, name: aws}
      region: region-1
      kubernetes: {version: 1.33.2}
      provider: {type: aws}
  EOT
}

resource "hap_shoot" "this" {
  for_each = local.clusters

  name                = each.value
  template            = local.template
  deletion_protection = false
}
`

// measureClusters measures many clusters under tofu, with a gardenlet that brings each up at its first look.
func (b *bench) measureClusters(ctx context.Context) error {
	for i, n := range b.clusters {
		l, err := b.settle(ctx, fmt.Sprintf("many-%d", i), 1, 0)
		if err != nil {
			return err
		}
		role, err := os.ReadFile(filepath.Join(b.root, "examples", "rbac", "role-clusters.yaml"))
		if err != nil {
			return err
		}
		if l.user, err = l.MakeUser(ctx, "clusters", role); err != nil {
			return err
		}
		working, stop := context.WithCancel(ctx)
		ended := make(chan struct{})
		go func() { defer close(ended); gardenlet.Of(l.Namespace).Run(working) }()
		err = b.byTurns(ctx, l.place(), counted(n, "cluster"), fmt.Sprintf(theClusters, n), n, func() error { return nil })
		stop()
		<-ended
		if err != nil {
			return err
		}
	}
	return nil
}
