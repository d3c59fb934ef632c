package rivals

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
)

// CleanupJob does what the Subscription Cleanup Job does: it wipes every account that is marked dirty=true and gives
// it back to the pool. As the original it lists dirty accounts once, and then neither for clusters nor whether an
// account is still dirty.
type CleanupJob struct {
	// Config is the connection; the User-Agent is "cleanup-job" where none is given.
	Config *rest.Config
	// Namespace of the pool.
	Namespace string
	// Interval is the wait between two rounds.
	Interval time.Duration
	// WipeTime is how long one account takes to wipe.
	WipeTime time.Duration

	// Conflicts counts the writes lost to others, Failures the rounds and accounts that ended with another error.
	Conflicts, Failures atomic.Int64

	mu    sync.Mutex
	wiped []Wiped
	rival rival
}

// Wiped is an account whose contents are gone.
type Wiped struct {
	// Account is its name, Version the one that was listed as dirty; see ShootsOn of a history.
	Account, Version string
	// Freed is the version that returned it to the pool; empty where that has failed.
	Freed string
}

// Run works until the context ends. What fails is left to the next round.
func (j *CleanupJob) Run(ctx context.Context) {
	for ctx.Err() == nil {
		if err := j.Round(ctx); err != nil && ctx.Err() == nil {
			j.Failures.Add(1)
		}
		_ = sleep(ctx, max(j.Interval, time.Millisecond))
	}
}

// Round wipes all accounts that are dirty now.
func (j *CleanupJob) Round(ctx context.Context) error {
	j.rival.open(j.Config, j.Namespace, "cleanup-job")
	accounts, err := j.rival.list(ctx, "dirty=true")
	if err != nil {
		return err
	}
	for i := range accounts {
		wiped := Wiped{Account: accounts[i].Name, Version: accounts[i].ResourceVersion}
		if err := sleep(ctx, j.WipeTime); err != nil {
			return err
		}
		freed, err := j.free(ctx, wiped.Account)
		switch {
		case apierrors.IsConflict(err):
			j.Conflicts.Add(1)
		case err != nil && ctx.Err() == nil:
			j.Failures.Add(1)
		}
		wiped.Freed = freed
		j.mu.Lock()
		j.wiped = append(j.wiped, wiped)
		j.mu.Unlock()
	}
	return nil
}

// free strips tenant and mark from whatever the account is by now.
func (j *CleanupJob) free(ctx context.Context, name string) (version string, err error) {
	account, err := j.rival.get(ctx, name)
	if err != nil {
		return "", err
	}
	delete(account.Labels, testbed.LabelTenant)
	delete(account.Labels, testbed.LabelDirty)
	if err := j.rival.update(ctx, account); err != nil {
		return "", err
	}
	return account.ResourceVersion, nil
}

// Wiped lists what was wiped so far, in order.
func (j *CleanupJob) Wiped() []Wiped {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.wiped)
}
