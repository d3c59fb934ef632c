// Package landscape has the accounts of a landscape as one is found: two hundred bindings, most of them ordinary, and at least three of
// each oddity.
package landscape

import (
	"context"
	"fmt"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
)

// Landscape is what is in the namespace of a Gardener project.
type Landscape struct {
	Accounts []testbed.AccountSpec // of any kind
	Shoots   []testbed.ShootSpec
}

// Large is the Global Account that may hold several accounts of a pool.
var Large = tenant(1)

// tenant is the n-th Global Account.
func tenant(n int) string { return fmt.Sprintf("5a1e8f3c-7d20-4b6a-9c41-%012d", n) }

// Bindings is how many bindings the landscape has.
const Bindings = 200

// New returns the landscape. It is the same each time.
func New() Landscape {
	l := Landscape{Accounts: odd()}
	hosts := []string{"aws", "aws", "aws", "azure", "gcp", "aws", "azure", "gcp", "gcp_cf-sa30"}
	const held = 24
	for i := range held { // with one cluster, or several
		spec := testbed.AccountSpec{Name: fmt.Sprintf("hap-held-%03d", i+1), HyperscalerType: hosts[i%len(hosts)], Tenant: tenant(i + 1)}
		clusters := 1
		if i < 3 {
			spec.Tenant, clusters = Large, 3
		}
		l.hosting(spec, clusters)
	}
	for i := range 3 { // the clean-up job comes to them
		l.Accounts = append(l.Accounts, testbed.AccountSpec{
			Name: fmt.Sprintf("hap-dirty-%03d", i+1), HyperscalerType: "aws", Tenant: tenant(30 + i), Dirty: true,
		})
	}
	free := []string{"aws", "azure", "gcp", "aws", "azure", "gcp", "aws", "aws", "gcp_cf-sa30"}
	for i := 0; len(l.Accounts) < Bindings; i++ {
		l.Accounts = append(l.Accounts, testbed.AccountSpec{Name: fmt.Sprintf("hap-%03d", i+1), HyperscalerType: free[i%len(free)]})
	}
	return l
}

// hosting adds an account with clusters.
func (l *Landscape) hosting(spec testbed.AccountSpec, clusters int) {
	l.Accounts = append(l.Accounts, spec)
	for range clusters {
		// Gardener allows 21 characters for the names of a project and of a Shoot together.
		l.Shoots = append(l.Shoots, testbed.ShootSpec{Name: fmt.Sprintf("c-%03d", len(l.Shoots)+1), Account: spec.Name, Tenant: spec.Tenant})
	}
}

// odd are the accounts that are not ordinary, without clusters.
func odd() []testbed.AccountSpec {
	label := func(key, value string) map[string]string { return map[string]string{key: value} }
	return []testbed.AccountSpec{
		// Without the label that makes an account.
		{Name: "no-label-1"}, {Name: "no-label-2", Tenant: tenant(40)}, {Name: "no-label-3", Labels: label("hyperscaler-type", "aws")},
		// Hidden from the broker.
		{Name: "not-dirty-1", HyperscalerType: "aws", Labels: label("dirty", "false")},
		{Name: "not-dirty-2", HyperscalerType: "azure", Labels: label("dirty", "false")},
		{Name: "not-dirty-3", HyperscalerType: "gcp", Tenant: tenant(41), Labels: label("dirty", "false")},
		// Of the older kind.
		{Name: "old-1", Kind: testbed.SecretBinding, HyperscalerType: "aws"},
		{Name: "old-2", Kind: testbed.SecretBinding, HyperscalerType: "azure", Tenant: tenant(42)},
		{Name: "old-3", Kind: testbed.SecretBinding, HyperscalerType: "gcp", Shared: true},
		// Without a Secret.
		{Name: "identity-1", HyperscalerType: "aws", Credentials: testbed.WorkloadIdentity},
		{Name: "identity-2", HyperscalerType: "azure", Credentials: testbed.WorkloadIdentity},
		{Name: "identity-3", HyperscalerType: "gcp", Credentials: testbed.WorkloadIdentity, Tenant: tenant(43)},
		// For EU access.
		{Name: "eu-1", HyperscalerType: "aws", EUAccess: true}, {Name: "eu-2", HyperscalerType: "aws", EUAccess: true, Tenant: tenant(44)},
		{Name: "eu-3", HyperscalerType: "azure", EUAccess: true},
		// For internal use; one is a tenant's all the same.
		{Name: "internal-1", HyperscalerType: "aws", Internal: true}, {Name: "internal-2", HyperscalerType: "gcp", Internal: true},
		{Name: "internal-3", HyperscalerType: "aws", Internal: true, Tenant: tenant(45)},
		// For all tenants; one is a tenant's all the same.
		{Name: "shared-1", HyperscalerType: "aws", Shared: true}, {Name: "shared-2", HyperscalerType: "azure", Shared: true},
		{Name: "shared-3", HyperscalerType: "openstack_eu-de-1", Shared: true, Tenant: tenant(46)},
		// Two on one Secret: both free, one held, both held by different tenants.
		{Name: "twin-1a", HyperscalerType: "aws"}, {Name: "twin-1b", Secret: "twin-1a", HyperscalerType: "aws"},
		{Name: "twin-2a", HyperscalerType: "azure", Tenant: tenant(47)}, {Name: "twin-2b", Secret: "twin-2a", HyperscalerType: "azure"},
		{Name: "twin-3a", HyperscalerType: "gcp", Tenant: tenant(48)},
		{Name: "twin-3b", Secret: "twin-3a", HyperscalerType: "gcp", Tenant: tenant(49)},
		// Held, without a cluster.
		{Name: "idle-1", HyperscalerType: "aws", Tenant: tenant(50)}, {Name: "idle-2", HyperscalerType: "azure", Tenant: tenant(51)},
		{Name: "idle-3", HyperscalerType: "gcp_cf-sa30", Tenant: tenant(52)},
		// With names that the configuration language does not take.
		{Name: "007-aws", HyperscalerType: "aws"}, {Name: "azure.emea.1", HyperscalerType: "azure"},
		{Name: "1.gcp", HyperscalerType: "gcp", Tenant: tenant(53)},
	}
}

// Lay puts the landscape into a namespace that has none of it.
func (l Landscape) Lay(ctx context.Context, ns *testbed.Namespace) error {
	if err := ns.MakeCredentials(ctx, l.Accounts...); err != nil {
		return err
	}
	if err := ns.MakeAccounts(ctx, l.Accounts...); err != nil {
		return err
	}
	return ns.MakeShoots(ctx, l.Shoots...)
}

// Remove takes the landscape out of its namespace, or what is left of it.
func (l Landscape) Remove(ctx context.Context, ns *testbed.Namespace) error {
	names := make([]string, len(l.Shoots))
	for i, shoot := range l.Shoots {
		names[i] = shoot.Name
	}
	if err := ns.EndShoots(ctx, names...); err != nil {
		return err
	}
	return ns.RemoveAccounts(ctx, l.Accounts...)
}
