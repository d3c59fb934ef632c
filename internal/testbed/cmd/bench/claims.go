package main

import (
	"context"
	"fmt"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/rivals"
)

// spare is how many accounts there are beside those that the claims take.
const spare = 20

// numbers is an expression of the numbers below the first argument: range makes at most 1,024.
const numbers = `concat([for h in range(ceil(%[1]d / 1000)) : range(1000 * h, min(%[1]d, 1000 * (h + 1)))]...)`

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
  tenants = { for i in ` + numbers + ` : tostring(i) => "new-tenant-${i}" }
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
  tenants = { for i in ` + numbers + ` : tostring(i) => "new-tenant-${i}" }
}

resource "terraform_data" "this" {
  for_each = local.tenants

  input = each.value
}
`

// atOnce is how many claims a CLI that is asked to works on at a time: as many releases share their lists.
const atOnce = 50

// measureClaims measures the provider under tofu: many claims, and, where the large landscapes were made anyway, one claim in
// each of them. Beside each it measures as many resources of the CLI's own, and beside many
// claims as many labels of hashicorp/kubernetes.
func (b *bench) measureClaims(ctx context.Context) error {
	for i, n := range b.claims {
		l, err := b.settle(ctx, fmt.Sprintf("claims-%d", i), n+spare, 20)
		if err != nil {
			return err
		}
		if err := b.claim(ctx, l, n, nil); err != nil {
			return err
		}
	}
	for _, l := range b.landscapes {
		lists, err := b.best(ctx, l.everyList(ctx))
		if err != nil {
			return err
		}
		if err := b.claim(ctx, l, 1, &lists[0]); err != nil {
			return err
		}
	}
	return nil
}

// claim measures n claims, the floor, and the rival where there is one, by turns. Where the lists of the landscape take long, reading them
// once is a part of the floor.
func (b *bench) claim(ctx context.Context, l *landscape, n int, lists *measurement) error {
	cleaning := rivals.CleanupJob{Config: l.Garden().AdminConfig(), Namespace: l.Name}
	floor := applied{place: l.place(), configuration: fmt.Sprintf(theFloor, n)}.
		subject(thousands(n)+" `terraform_data` (the floor)", b.root)
	ours := applied{place: l.place(), configuration: fmt.Sprintf(theClaims, n, hyperscalerType)}
	what := fmt.Sprintf("%s, %s", counted(n, "claim"), l)
	claims := ours.subject(what, b.root)
	measured, others := []*subject{floor}, []*subject{claims}
	// The labels come before the claims: they are gone by then, and claims leave their accounts marked as dirty. The accounts of
	// the large landscapes have labels of another owner.
	if rival := b.rival(l, n); rival != nil && lists == nil {
		measured, others = append(measured, rival), append(others, rival)
	}
	clean := func() error { return cleaning.Round(ctx) } // the next round finds the accounts as they were
	if err := b.byTurns(ctx, n, clean, append(measured, claims)...); err != nil {
		return err
	}
	if ours.parallelism = atOnce; n >= 10*atOnce && n <= manyObjects {
		wide := ours.subject(fmt.Sprintf("%s, `-parallelism=%d`", what, atOnce), b.root)
		if err := b.byTurns(ctx, n, clean, wide); err != nil {
			return err
		}
		others = append(others, wide)
	}
	if lists != nil {
		floor.what = fmt.Sprintf("%s: the bytes read and dropped, and 1 `terraform_data` (the floor)", l)
		for i := range floor.found {
			floor.found[i].Wall += lists.Wall
			floor.found[i].CPU += lists.CPU
			floor.found[i].Requests += lists.Requests
		}
	}
	b.addSteps("claims", n, floor, others...)
	return nil
}
