package rivals

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	securityv1alpha1 "github.com/gardener/gardener/pkg/apis/security/v1alpha1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
)

const (
	// brokerTries bounds the tries of the broker's step: one minute with its back-off of ten seconds.
	brokerTries = 6
	// BrokerBackOff is what the Kyma Environment Broker waits after a conflict.
	BrokerBackOff = 10 * time.Second
)

// ErrNoAccount says that the broker has found no account to claim.
var ErrNoAccount = errors.New("no unclaimed account in the pool")

// Broker claims and frees accounts as the Kyma Environment Broker does, with all that it leaves open: it takes the
// first account of the list, holds a lock that only this process knows, writes nothing when it uses an account again,
// and reads nothing but Shoots before it marks one dirty.
type Broker struct {
	// Config is the connection; the User-Agent is "broker" where none is given.
	Config *rest.Config
	// Namespace of the pool.
	Namespace string
	// BackOff is the wait after a failed try; 0 = at once. See [BrokerBackOff].
	BackOff time.Duration
	// Gap is the time between the choice of an account and the Shoot on it.
	Gap time.Duration

	// Claims, Reused, Conflicts and Freed count what it did: accounts taken from the pool and used again, writes lost to
	// others, and accounts marked dirty.
	Claims, Reused, Conflicts, Freed atomic.Int64

	step  sync.Mutex
	rival rival
}

// Claim returns an account for a cluster of the Global Account: one that it has, else an unclaimed one. After a
// failure it backs off and tries again, six times in all.
func (b *Broker) Claim(ctx context.Context, ga, hyperscalerType string) (string, error) {
	var err error
	for try := range brokerTries {
		if try > 0 {
			if waitErr := sleep(ctx, b.BackOff); waitErr != nil {
				return "", errors.Join(waitErr, err)
			}
		}
		var account string
		account, err = b.resolve(ctx, ga, hyperscalerType)
		if err == nil || errors.Is(err, ErrNoAccount) {
			return account, err
		}
		if apierrors.IsConflict(err) {
			b.Conflicts.Add(1)
		}
	}
	return "", fmt.Errorf("the broker gives up after %d tries: %w", brokerTries, err)
}

// resolve is one try.
func (b *Broker) resolve(ctx context.Context, ga, hyperscalerType string) (string, error) {
	b.step.Lock()
	defer b.step.Unlock()
	held, err := b.first(ctx, "hyperscalerType=%s,tenantName=%s,!dirty,!euAccess,shared!=true", hyperscalerType, ga)
	if err != nil {
		return "", err
	}
	if held != nil {
		b.Reused.Add(1)
		return held.Name, nil
	}
	free, err := b.first(ctx, "hyperscalerType=%s,!tenantName,!dirty,!euAccess,shared!=true", hyperscalerType)
	if err != nil {
		return "", err
	}
	if free == nil {
		return "", fmt.Errorf("%w: %s", ErrNoAccount, hyperscalerType)
	}
	free.Labels[testbed.LabelTenant] = ga
	if err := b.rival.update(ctx, free); err != nil {
		return "", err
	}
	b.Claims.Add(1)
	return free.Name, nil
}

// first is the first account that a selector finds.
func (b *Broker) first(ctx context.Context, selector string, args ...any) (*securityv1alpha1.CredentialsBinding, error) {
	accounts, err := b.open().list(ctx, fmt.Sprintf(selector, args...))
	if err != nil || len(accounts) == 0 {
		return nil, err
	}
	return &accounts[0], nil
}

// Provision claims an account and, after the gap, makes a Shoot on it.
func (b *Broker) Provision(ctx context.Context, ga, hyperscalerType, shoot string) (string, error) {
	account, err := b.Claim(ctx, ga, hyperscalerType)
	if err != nil {
		return "", err
	}
	if err := sleep(ctx, b.Gap); err != nil {
		return account, err
	}
	return account, b.rival.namespace.MakeShoots(ctx, testbed.ShootSpec{Name: shoot, Account: account, Tenant: ga})
}

// Deprovision deletes a Shoot and frees its account where no other is left on it.
func (b *Broker) Deprovision(ctx context.Context, account, shoot string) error {
	if err := b.open().err; err != nil {
		return err
	}
	if err := b.rival.namespace.RemoveShoot(ctx, shoot); err != nil {
		return err
	}
	return b.Free(ctx, account)
}

// Free marks an account dirty where no Shoot names it. A shared or internal one it leaves alone.
func (b *Broker) Free(ctx context.Context, account string) error {
	shoots := &gardencorev1beta1.ShootList{}
	if err := b.open().read(ctx, shoots); err != nil {
		return fmt.Errorf("listing the Shoots: %w", err)
	}
	for i := range shoots.Items {
		if ptr.Deref(shoots.Items[i].Spec.CredentialsBindingName, "") == account {
			return nil
		}
	}
	var err error
	for try := range brokerTries {
		if try > 0 {
			if waitErr := sleep(ctx, b.BackOff); waitErr != nil {
				return errors.Join(waitErr, err)
			}
		}
		if err = b.markDirty(ctx, account); err == nil || !apierrors.IsConflict(err) {
			return client.IgnoreNotFound(err)
		}
		b.Conflicts.Add(1)
	}
	return err
}

func (b *Broker) markDirty(ctx context.Context, name string) error {
	account, err := b.rival.get(ctx, name)
	if err != nil {
		return err
	}
	l := account.Labels
	for _, off := range []string{testbed.LabelShared, testbed.LabelInternal, testbed.LabelDirty} {
		if l[off] == testbed.LabelTrue {
			return nil
		}
	}
	account.Labels = labels.Merge(l, labels.Set{testbed.LabelDirty: testbed.LabelTrue})
	if err := b.rival.update(ctx, account); err != nil {
		return err
	}
	b.Freed.Add(1)
	return nil
}

// open connects at the first call.
func (b *Broker) open() *rival { return b.rival.open(b.Config, b.Namespace, "broker") }

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}
