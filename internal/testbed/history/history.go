package history

import (
	"cmp"
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
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/rand"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
)

const (
	// endTimeout bounds the wait for the revisions that are still on their way when a history ends.
	endTimeout = 3 * time.Minute

	// markerPrefix begins the names of the objects that end a history; no history keeps them.
	markerPrefix = "end-"
)

// History is every revision of every account and every Shoot of a namespace, in the order of the server, from
// [Follow] to [History.End]. What the claimers heard is added by [History.Acknowledge],
// [History.Released] and [History.Unknown]; [History.Check] then judges all of it.
type History struct {
	namespace string
	ns        *testbed.Namespace // nil in a history that was written by hand
	marker    string
	start     uint64

	accounts, shoots *track
	siblings         *track // SecretBindings, which may refer to the credentials of an account
	streams          []*stream
	cancel           context.CancelFunc
	endOnce          sync.Once
	endErr           error

	answers answers
	// supplies says which clients of ours may write as the pool's owner does; nil = none may.
	supplies func(client string) bool
	// clusters says which clients of ours may write Shoots; nil = none may.
	clusters func(client string) bool
}

func newHistory(namespace string) *History {
	return &History{
		namespace: namespace,
		marker:    markerPrefix + rand.String(6),
		accounts:  newTrack("account"),
		shoots:    newTrack("Shoot"),
		siblings:  newTrack("SecretBinding"),
		cancel:    func() {},
	}
}

// Options of a [History]; the zero value is what most tests want.
type Options struct {
	// WatchSeconds is after how long the server closes a watch, which is then taken up again. Default: 600.
	WatchSeconds int64
	// Since is the resourceVersion after which the history begins, of a namespace whose state at that version does not matter;
	// empty = now, with the state of now.
	Since string
}

// Follow keeps the history of a namespace from now on, until the test ends.
func Follow(t testing.TB, ns *testbed.Namespace) *History {
	t.Helper()
	h, err := Make(t.Context(), ns, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Stop)
	return h
}

// Make is Follow for programs. The history goes on when ctx has ended, until [History.Stop] or
// [History.Finish].
func Make(ctx context.Context, ns *testbed.Namespace, options Options) (*History, error) {
	seconds := cmp.Or(options.WatchSeconds, watchSeconds)
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
	siblings, err := newStream(ns, h.siblings, gardencorev1beta1.SchemeGroupVersion, "secretbindings", seconds)
	if err != nil {
		return nil, err
	}
	accounts.version, shoots.version, siblings.version = options.Since, options.Since, options.Since
	if options.Since == "" {
		// Both begin at the same revision of etcd: a Shoot of a moment later is not there yet.
		if err := accounts.begin(ctx, &securityv1alpha1.CredentialsBindingList{}, ""); err != nil {
			return nil, err
		}
		if err := shoots.begin(ctx, &gardencorev1beta1.ShootList{}, accounts.version); err != nil {
			return nil, err
		}
		if err := siblings.begin(ctx, &gardencorev1beta1.SecretBindingList{}, accounts.version); err != nil {
			return nil, err
		}
	}
	h.start = number(accounts.version)
	var background context.Context
	background, h.cancel = context.WithCancel(context.WithoutCancel(ctx))
	for _, s := range []*stream{accounts, shoots, siblings} {
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
	err := h.ns.MakeAccounts(ctx, testbed.AccountSpec{Name: h.marker}, testbed.AccountSpec{Name: h.marker, Kind: testbed.SecretBinding})
	if err == nil {
		err = h.ns.MakeShoots(ctx, testbed.ShootSpec{Name: h.marker, Account: h.marker})
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
	err := h.ns.RemoveShoot(ctx, h.marker)
	meta := metav1.ObjectMeta{Namespace: h.namespace, Name: h.marker}
	markers := []client.Object{&securityv1alpha1.CredentialsBinding{ObjectMeta: meta}, &gardencorev1beta1.SecretBinding{ObjectMeta: meta}}
	for _, marker := range markers {
		err = errors.Join(err, client.IgnoreNotFound(h.ns.Client().Delete(ctx, marker)))
	}
	return err
}

// Watches counts how often a watch of the accounts was begun.
func (h *History) Watches() int { return int(h.streams[0].watches.Load()) }

// Revisions counts what is kept, the state at the start included.
func (h *History) Revisions() int {
	return len(h.accounts.steps) + len(h.shoots.steps) + len(h.siblings.steps)
}

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
			if e.key == testbed.LabelTenant {
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
