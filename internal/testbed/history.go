package testbed

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	securityv1alpha1 "github.com/gardener/gardener/pkg/apis/security/v1alpha1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/rand"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	// endTimeout bounds the wait for the revisions that are still on their way when a history ends.
	endTimeout = 3 * time.Minute

	// markerPrefix begins the names of the objects that end a history; no history keeps them.
	markerPrefix = "history-end-"
)

// History is every revision of every account and every Shoot of a namespace, in the order of the server, from
// [Namespace.Follow] to [History.End]. What the claimers were told is added by [History.Acknowledge],
// [History.Released] and [History.Unknown]; [History.Check] then judges all of it.
type History struct {
	namespace string
	ns        *Namespace // nil in a history that was written by hand
	marker    string
	start     uint64

	accounts, shoots *track
	streams          []*stream
	cancel           context.CancelFunc
	endOnce          sync.Once
	endErr           error

	told told
}

func newHistory(namespace string) *History {
	return &History{
		namespace: namespace,
		marker:    markerPrefix + rand.String(10),
		accounts:  newTrack("account"),
		shoots:    newTrack("Shoot"),
		cancel:    func() {},
	}
}

// Follow keeps the history of the namespace from now on.
func (ns *Namespace) Follow(t testing.TB) *History {
	t.Helper()
	h, err := ns.MakeHistory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Stop)
	return h
}

// MakeHistory is Follow for programs. The history goes on when ctx has ended, until [History.Stop] or
// [History.Finish].
func (ns *Namespace) MakeHistory(ctx context.Context) (*History, error) {
	return ns.makeHistory(ctx, watchSeconds)
}

func (ns *Namespace) makeHistory(ctx context.Context, seconds int64) (*History, error) {
	h := newHistory(ns.Name)
	h.ns = ns
	accounts, err := newStream(ns, h.accounts, securityv1alpha1.SchemeGroupVersion, "credentialsbindings", seconds)
	if err != nil {
		return nil, err
	}
	shoots, err := newStream(ns, h.shoots, gardencorev1beta1.SchemeGroupVersion, "shoots", seconds)
	if err != nil {
		return nil, err
	}
	// Both begin at the same revision of etcd: a Shoot of a moment later is not there yet.
	if err := accounts.begin(ctx, &securityv1alpha1.CredentialsBindingList{}, ""); err != nil {
		return nil, err
	}
	if err := shoots.begin(ctx, &gardencorev1beta1.ShootList{}, accounts.version); err != nil {
		return nil, err
	}
	h.start = number(accounts.version)
	var background context.Context
	background, h.cancel = context.WithCancel(context.WithoutCancel(ctx))
	for _, s := range []*stream{accounts, shoots} {
		h.streams = append(h.streams, s)
		go s.run(background, h.marker)
	}
	return h, nil
}

// End waits until everything that was written so far has arrived; what comes later is not kept. It fails the test
// where a revision may be missing.
func (h *History) End(t testing.TB) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), endTimeout)
	defer cancel()
	if err := h.Finish(ctx); err != nil {
		t.Fatal(err)
	}
}

// Finish is End for programs.
func (h *History) Finish(ctx context.Context) error {
	h.endOnce.Do(func() {
		h.endErr = h.finish(ctx)
		h.cancel()
	})
	return h.endErr
}

// Stop ends the history where it is.
func (h *History) Stop() { h.cancel() }

// finish writes an object that comes after all others, one of each kind, and waits for it.
func (h *History) finish(ctx context.Context) error {
	if h.ns == nil {
		return nil
	}
	_, err := h.ns.makeAccount(ctx, AccountSpec{Name: h.marker})
	if err == nil {
		err = h.ns.MakeShoots(ctx, ShootSpec{Name: h.marker, Account: h.marker})
	}
	for _, s := range h.streams {
		if err == nil {
			err = s.wait(ctx)
		}
	}
	if err != nil {
		err = fmt.Errorf("following %s: %w", h.namespace, err)
	}
	return errors.Join(err, h.removeMarker(ctx))
}

func (h *History) removeMarker(ctx context.Context) error {
	err := h.ns.removeShoot(ctx, h.marker)
	account := &securityv1alpha1.CredentialsBinding{ObjectMeta: h.ns.named(h.marker)}
	return errors.Join(err, client.IgnoreNotFound(h.ns.garden.client.Delete(ctx, account)))
}

// removeShoot deletes a cluster at once, with nothing to take down behind it, and waits until it is gone.
func (ns *Namespace) removeShoot(ctx context.Context, name string) error {
	shoot := &gardencorev1beta1.Shoot{ObjectMeta: ns.named(name)}
	err := ns.patchMetadata(ctx, shoot, map[string]any{
		"finalizers": nil, "annotations": map[string]string{deletionConfirmation: "true"},
	})
	if err == nil {
		err = ns.garden.client.Delete(ctx, shoot)
	}
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("deleting the Shoot %s: %w", name, err)
	}
	return poll(ctx, callTimeout, func(ctx context.Context) error {
		err := ns.garden.client.Get(ctx, ns.key(name), shoot)
		switch {
		case err == nil:
			return fmt.Errorf("the Shoot %s still exists", name)
		case apierrors.IsNotFound(err):
			return nil
		}
		return err
	})
}

// Revisions counts what is kept, the state at the start included.
func (h *History) Revisions() int { return len(h.accounts.steps) + len(h.shoots.steps) }

// Tenants lists the tenants that an account had, one for each time the label changed, "" for none.
func (h *History) Tenants(account string) []string {
	var tenants []string
	for i := range h.accounts.steps {
		s := &h.accounts.steps[i]
		if s.name != account {
			continue
		}
		tenant, changed := "", s.event == Deleted
		for _, e := range s.labels {
			if e.key == labelTenant {
				tenant, changed = e.after(), true
			}
		}
		if changed || len(tenants) == 0 {
			tenants = append(tenants, tenant)
		}
	}
	return tenants
}

// ShootsOn lists the Shoots that named an account at a version.
func (h *History) ShootsOn(account, version string) []string {
	until := number(version)
	on := map[string]string{}
	for i := range h.shoots.steps {
		s := &h.shoots.steps[i]
		if s.version > until && s.event != Present {
			break
		}
		if s.event == Deleted {
			delete(on, s.name)
			continue
		}
		on[s.name] = s.account
	}
	var shoots []string
	for name, named := range on {
		if named == account {
			shoots = append(shoots, name)
		}
	}
	return shoots
}

// number reads a resourceVersion; what is none comes before all.
func number(version string) uint64 {
	n, err := strconv.ParseUint(version, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

func isMarker(name string) bool { return strings.HasPrefix(name, markerPrefix) }
