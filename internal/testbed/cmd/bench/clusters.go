package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

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

// plainShoots are the same clusters, made by a plain client.
func plainShoots(namespace string) plainKind {
	return plainKind{
		name: "cluster", resource: schema.GroupVersionResource{Group: "core.gardener.cloud", Version: "v1beta1", Resource: "shoots"},
		confirm: true,
		make: func(name string) *unstructured.Unstructured {
			object := &unstructured.Unstructured{Object: map[string]any{
				"apiVersion": "core.gardener.cloud/v1beta1", "kind": "Shoot",
				"spec": map[string]any{
					"cloudProfile": map[string]any{"kind": "CloudProfile", "name": "aws"}, "region": "region-1",
					"kubernetes": map[string]any{"version": "1.33.2"}, "provider": map[string]any{"type": "aws"},
				},
			}}
			object.SetNamespace(namespace)
			object.SetName(name)
			return object
		},
		there: func(object *unstructured.Unstructured) bool {
			state, _, _ := unstructured.NestedString(object.Object, "status", "lastOperation", "state")
			return state == "Succeeded"
		},
	}
}

// measureClusters measures many clusters under tofu, with a gardenlet that brings each up at its first read. Beside it is the same
// done by a plain client, which waits as long.
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
		err = b.beside(ctx, "clusters", l.place(), plainClient{l.user.Config(), plainShoots(l.Name)}, theClusters, n)
		stop()
		<-ended
		if err != nil {
			return err
		}
	}
	return nil
}
