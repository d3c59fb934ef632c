package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

// onPlatform begins a configuration whose provider leads to the platform cluster alone.
const onPlatform = `terraform {
  required_providers {
    hap = { source = "hap-project/hap" }
  }
}

variable "kubeconfig" { type = string }

provider "hap" {
  platform = { config_path = var.kubeconfig }
}

locals {
  names = { for i in range(%[1]d) : tostring(i) => "o-${i}" }
}
`

const theRequests = onPlatform + `
resource "hap_cluster_request" "this" {
  for_each = local.names

  name    = each.value
  purpose = "onboarding"

  deletion_protection = false
}
`

// theAccesses are all to the Cluster of a request that exists.
const theAccesses = onPlatform + `
resource "hap_access_request" "this" {
  for_each = local.names

  name        = each.value
  request_ref = { name = "` + standing + `" }
  token       = { role_refs = [{ kind = "ClusterRole", name = "view" }] }
}
`

const theConfigs = onPlatform + `
resource "hap_gardener_provider_config" "this" {
  for_each = local.names

  name           = each.value
  landscape_ref  = "canary"
  project        = "hap"
  environment    = "test"
  wait_for_profile = false
  shoot_template = "spec: {provider: {type: aws}}"
}
`

const (
	// standing is the request to whose Cluster access is asked for.
	standing = "standing"
	// theNamespace is where all of them lie.
	theNamespace = "bench"
)

// measurePlatform measures many requests, accesses and configurations under tofu, on a platform cluster whose scheduler and cluster
// provider are played, and answer at once: the real operator, which throttles itself, is not what is measured. Beside each is the same
// done by a plain client, which waits as long.
func (b *bench) measurePlatform(ctx context.Context) (err error) {
	tell("starting a platform cluster")
	p, err := openmcp.Start(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Stop()) }()
	defer (&openmcp.Provider{Platform: p}).Start(ctx)()
	if err := p.Client().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: theNamespace}}); err != nil {
		return err
	}
	stop, err := p.GrantAll(ctx, theNamespace)
	if err != nil {
		return err
	}
	defer stop()
	var roles []byte
	for _, name := range []string{"platform.yaml", "platform-profiles.yaml"} {
		content, err := os.ReadFile(filepath.Join(b.root, "examples", "rbac", name)) //nolint:gosec // two names
		if err != nil {
			return err
		}
		roles = append(append(roles, content...), "\n---\n"...)
	}
	user, err := p.MakeUser(ctx, theNamespace, "bench", roles)
	if err != nil {
		return err
	}
	at := place{server: p.Server(), variable: "TF_VAR_kubeconfig", kubeconfig: user.WriteThrough}
	if err := p.Client().Create(ctx, plainRequest(standing)); err != nil {
		return err
	}
	for _, n := range b.requests {
		for _, kind := range []plainKind{
			{name: "ClusterRequest", resource: resourceOf("clusterrequests"), make: plainRequest, there: isGranted, beside: resourceOf("clusters")},
			{name: "AccessRequest", resource: resourceOf("accessrequests"), make: plainAccess, there: isGranted, secrets: true},
			{name: "ProviderConfig", resource: configs, make: plainConfig, share: configShare},
		} {
			if err := b.beside(ctx, "platform", at, plainClient{user.Config, kind}, configurations[kind.name], n/max(kind.share, 1)); err != nil {
				return err
			}
		}
	}
	return nil
}

// configurations are what tofu applies of each kind.
var configurations = map[string]string{"ClusterRequest": theRequests, "AccessRequest": theAccesses, "ProviderConfig": theConfigs}

// configShare is for how many requests there is a configuration: a landscape has few of them.
const configShare = 5

// beside measures n objects of a kind under tofu, and the same done by a plain client by turns with them.
func (b *bench) beside(ctx context.Context, part string, at place, plain plainClient, configuration string, n int) error {
	what := counted(n, plain.name)
	floor := &subject{what: what + " by a plain client (the floor)", run: func(ctx context.Context, _ bool) ([]row, error) {
		return plain.round(ctx, n)
	}}
	objects := applied{place: at, configuration: fmt.Sprintf(configuration, n)}.subject(what, b.root)
	if err := b.byTurns(ctx, n, func() error { return nil }, floor, objects); err != nil {
		return err
	}
	b.addSteps(part, n, floor, objects)
	return nil
}
