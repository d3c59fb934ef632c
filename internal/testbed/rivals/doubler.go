package rivals

import (
	"context"
	"fmt"
	"math/rand/v2"

	"time"

	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	securityv1alpha1 "github.com/gardener/gardener/pkg/apis/security/v1alpha1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
)

// Doubler is an owner of a pool who is not careful: it makes further bindings to the Secrets of accounts, of both kinds, some of them with
// the label of a Global Account, some with a cluster on them, and takes them away after a while.
type Doubler struct {
	// Namespace is the pool's, with the rights of an administrator.
	Namespace *testbed.Namespace
	// Accounts are those that it doubles, Tenants the Global Accounts whose labels it puts on bindings.
	Accounts, Tenants []string
	// Stay is how long a binding stays, at most.
	Stay time.Duration

	// Made counts the bindings.
	Made int
}

// Run works until the context ends, and leaves nothing behind. The random numbers are the caller's, so that a run can be repeated.
func (d *Doubler) Run(ctx context.Context, rng *rand.Rand) error {
	for ctx.Err() == nil {
		if err := d.double(ctx, rng, fmt.Sprintf("double-%d", d.Made)); err != nil {
			return err
		}
		_ = sleep(ctx, time.Duration(rng.IntN(100))*time.Millisecond)
	}
	return nil
}

// double makes one binding, and takes it away again.
func (d *Doubler) double(ctx context.Context, rng *rand.Rand, name string) error {
	background := context.WithoutCancel(ctx)
	spec := testbed.AccountSpec{
		Name: name, Secret: d.Accounts[rng.IntN(len(d.Accounts))], Kind: []string{testbed.SecretBinding, testbed.CredentialsBinding}[rng.IntN(2)],
	}
	if rng.IntN(2) == 0 {
		spec.Tenant = d.Tenants[rng.IntN(len(d.Tenants))]
	}
	if spec.Kind == testbed.CredentialsBinding && rng.IntN(2) == 0 {
		spec.HyperscalerType = "aws_double" // a pool of which no party claims
	}
	if err := d.Namespace.MakeAccounts(background, spec); err != nil {
		return fmt.Errorf("making the binding %s: %w", name, err)
	}
	d.Made++
	var shoot string
	if rng.IntN(3) == 0 {
		shoot = name
		if err := d.Namespace.MakeShootBy(background, shoot, spec.Kind, name); err != nil {
			return fmt.Errorf("making a cluster on %s: %w", name, err)
		}
	}
	_ = sleep(ctx, time.Duration(rng.Int64N(int64(d.Stay))))
	if shoot != "" {
		if err := d.Namespace.RemoveShoot(background, shoot); err != nil {
			return fmt.Errorf("removing the cluster on %s: %w", name, err)
		}
	}
	return d.remove(background, spec.Kind, name)
}

func (d *Doubler) remove(ctx context.Context, kind, name string) error {
	var binding client.Object = &securityv1alpha1.CredentialsBinding{}
	if kind == testbed.SecretBinding {
		binding = &gardencorev1beta1.SecretBinding{}
	}
	binding.SetNamespace(d.Namespace.Name)
	binding.SetName(name)
	if err := d.Namespace.Client().Delete(ctx, binding); err != nil {
		return fmt.Errorf("removing the binding %s: %w", name, err)
	}
	return nil
}
