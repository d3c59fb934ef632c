package main

import (
	"context"
	"fmt"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/rivals"
)

const (
	// spare is how many accounts there are beside those that the claims take.
	spare = 20
	// tofuRounds is how often the commands of tofu are timed at most: one round takes a minute.
	tofuRounds = 3
)

// theClaims is n claims of one pool, each for a Global Account of its own: every claim takes a new account. They are made for
// each key of a local map, because a CLI evaluates the expression of for_each anew for every instance.
const theClaims = `terraform {
  required_providers {
    hap = { source = "hap-project/hap" }
  }
}

provider "hap" {
  release_grace = "0s"
}

resource "hap_rule_set" "this" {
  rules = [%[2]q]
}

locals {
  tenants = { for i in range(%[1]d) : tostring(i) => "new-tenant-${i}" }
}

resource "hap_credentials_binding_claim" "this" {
  for_each = local.tenants

  name            = "cluster-${each.key}"
  rule_set        = hap_rule_set.this
  global_account  = each.value
  plan            = "aws"
  platform_region = "cf-eu10"
  cluster_name    = "cluster-${each.key}"
}
`

// theFloor is as many resources that the CLI itself keeps: what it takes without any provider.
const theFloor = `locals {
  tenants = { for i in range(%[1]d) : tostring(i) => "new-tenant-${i}" }
}

resource "terraform_data" "this" {
  for_each = local.tenants

  input = each.value
}
`

// steps are the commands that are measured, in this order. A plan fails where something would change.
var steps = []struct {
	name      string
	arguments []string
}{
	{"apply", []string{"apply", "-auto-approve", "-input=false"}},
	{"plan without changes", []string{"plan", "-detailed-exitcode", "-input=false"}},
	{"destroy", []string{"destroy", "-auto-approve", "-input=false"}},
}

// measureClaims measures the provider under tofu: many claims, and, where the large landscapes were made anyway, one claim in
// each of them. Beside each stand as many resources of the CLI's own.
func (b *bench) measureClaims(ctx context.Context) error {
	for i, n := range b.claims {
		l, err := b.settle(ctx, fmt.Sprintf("claims-%d", i), n+spare, 20)
		if err != nil {
			return err
		}
		if err := b.claim(ctx, l, n); err != nil {
			return err
		}
	}
	for _, l := range b.landscapes {
		if err := b.claim(ctx, l, 1); err != nil {
			return err
		}
	}
	return nil
}

// claim measures n claims and the floor by turns.
func (b *bench) claim(ctx context.Context, l *landscape, n int) error {
	cleaning := rivals.CleanupJob{Config: l.Garden().AdminConfig(), Namespace: l.Name}
	what := fmt.Sprintf("%s, %s", counted(n, "claim"), l)
	return b.byTurns(ctx, l.place(), what, fmt.Sprintf(theClaims, n, hyperscalerType), n, func() error {
		return cleaning.Round(ctx) // the next round finds the accounts as they were
	})
}

// byTurns measures a configuration of n objects and the floor by turns, and cleans up behind each round. The first round counts the
// requests and measures the memory, both of which take time; the others are timed.
func (b *bench) byTurns(ctx context.Context, at place, what, configuration string, n int, clean func() error) error {
	floor := &subject{
		what: thousands(n) + " `terraform_data` (the floor)", place: at, configuration: fmt.Sprintf(theFloor, n),
	}
	objects := &subject{what: what, place: at, configuration: configuration}
	rounds := min(b.rounds, tofuRounds)
	for round := range 1 + rounds {
		tell("%s, round %d of %d", what, round, rounds)
		for _, s := range []*subject{floor, objects} {
			if err := s.round(ctx, b.root, round == 0); err != nil {
				return err
			}
		}
		if err := clean(); err != nil {
			return err
		}
	}
	for i, step := range steps {
		for _, s := range []*subject{floor, objects} {
			b.add(s.what+": "+step.name, s.found[i].measurement, s.found[i].Details)
		}
	}
	return nil
}
