package main

import (
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
)

const project = "hap"

// demoAccounts are what the demo starts with: each account with the clusters that already run on it.
// examples/landscape is written for it.
var demoAccounts = []struct {
	testbed.AccountSpec
	clusters int
}{
	// Full at the landscape's limit of three clusters.
	{testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Tenant: "ga-acme"}, 3},
	// Room for two more.
	{testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws", Tenant: "ga-acme"}, 1},
	{testbed.AccountSpec{Name: "aws-3", HyperscalerType: "aws"}, 0},
	{testbed.AccountSpec{Name: "aws-4", HyperscalerType: "aws"}, 0},
	{testbed.AccountSpec{Name: "aws-eu-1", HyperscalerType: "aws", EUAccess: true}, 0},
	{testbed.AccountSpec{Name: "aws-eu-2", HyperscalerType: "aws", EUAccess: true}, 0},
	{testbed.AccountSpec{Name: "aws-internal", HyperscalerType: "aws", Internal: true}, 0},
	{testbed.AccountSpec{Name: "trial-aws-1", HyperscalerType: "aws", Shared: true}, 2},
	{testbed.AccountSpec{Name: "trial-aws-2", HyperscalerType: "aws", Shared: true}, 1},
	{testbed.AccountSpec{Name: "trial-azure-1", HyperscalerType: "azure", Shared: true}, 1},
	{testbed.AccountSpec{Name: "azure-1", HyperscalerType: "azure", Dirty: true}, 0},
	{testbed.AccountSpec{Name: "azure-2", HyperscalerType: "azure"}, 0},
	{testbed.AccountSpec{Name: "azure-eu-1", HyperscalerType: "azure", EUAccess: true}, 0},
	{testbed.AccountSpec{Name: "cc-eu-de-1-a", HyperscalerType: "openstack_eu-de-1", Shared: true}, 1},
	{testbed.AccountSpec{Name: "cc-eu-de-1-b", HyperscalerType: "openstack_eu-de-1", Shared: true}, 0},
	{testbed.AccountSpec{Name: "gcp-1", HyperscalerType: "gcp"}, 0},
	{testbed.AccountSpec{Name: "gcp-sa-1", HyperscalerType: "gcp_cf-sa30", Tenant: "ga-globex"}, 1},
}
