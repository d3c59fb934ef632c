package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

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

// theRequests share one Cluster: the operator, which makes Clusters slowly, is not what is measured.
const theRequests = onPlatform + `
resource "hap_cluster_request" "this" {
  for_each = local.names

  name    = each.value
  purpose = "onboarding"
}
`

// theAccesses are all to the Cluster of a request that stands.
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
  shoot_template = "spec: {provider: {type: aws}}"
}
`

const (
	// standing is the request to whose Cluster access is asked for.
	standing = "standing"
	// theNamespace is where all of them lie.
	theNamespace = "bench"
)

// measurePlatform measures many requests, accesses and configurations under tofu, on a platform cluster with the real operator and a
// cluster provider that answers at its next look. Beside each stands the same done by a plain client, which waits as long.
func (b *bench) measurePlatform(ctx context.Context) (err error) {
	tell("starting a platform cluster with openmcp-operator")
	p, err := openmcp.Start(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Stop()) }()
	if err := p.StartOperator(ctx, openmcp.Usual()); err != nil {
		return err
	}
	defer (&openmcp.Provider{Platform: p}).Start(ctx)()
	if err := p.Client().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: theNamespace}}); err != nil {
		return err
	}
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
	s := setting{server: p.Server(), variable: "TF_VAR_kubeconfig", kubeconfig: func(lead func(*rest.Config)) (string, error) {
		return user.WriteThrough(lead)
	}}
	plain := plainClient{config: user.Config, namespace: theNamespace}
	if err := plain.make(ctx, requestsOf("", standing)); err != nil {
		return err
	}
	for _, n := range b.requests {
		for _, of := range []struct {
			thing, configuration string
			objects              []plainObject
		}{
			{"request", theRequests, many(n, func(name string) plainObject { return requestsOf("onboarding", name)[0] })},
			{"access", theAccesses, many(n, accessOf)},
			{"provider configuration", theConfigs, many(n/configShare, configOf)},
		} {
			if err := b.beside(ctx, s, plain, of.thing, of.configuration, of.objects); err != nil {
				return err
			}
		}
	}
	return nil
}

// configShare is for how many requests there is a configuration: a landscape has few of them.
const configShare = 5

var _ = time.Second
var _ = fmt.Sprint
