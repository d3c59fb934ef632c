package testbed

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"testing"

	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	securityv1alpha1 "github.com/gardener/gardener/pkg/apis/security/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// The order of the server is one order for accounts, Shoots and Secrets: they share one etcd.
func TestVersionsOfAllResourcesCanBeCompared(t *testing.T) {
	t.Parallel()
	ns := Shared(t).NewNamespace(t)
	ns.Account(t, AccountSpec{Name: "account"})
	ns.Shoot(t, "cluster", "account")
	objects := []client.Object{
		&securityv1alpha1.CredentialsBinding{ObjectMeta: ns.named("account")},
		&gardencorev1beta1.Shoot{ObjectMeta: ns.named("cluster")},
		&corev1.Secret{ObjectMeta: ns.named("account")},
	}
	var last uint64
	for i := range 30 {
		object := objects[i%len(objects)]
		body := fmt.Appendf(nil, `{"metadata":{"annotations":{"round":"%d"}}}`, i)
		if err := ns.garden.client.Patch(t.Context(), object, client.RawPatch(types.MergePatchType, body)); err != nil {
			t.Fatal(err)
		}
		version := number(object.GetResourceVersion())
		if version <= last {
			t.Fatalf("%T has version %d after %d", object, version, last)
		}
		last = version
	}
}

// Every revision is kept, though the server closes the watch every second.
func TestHistoryLacksNothing(t *testing.T) {
	t.Parallel()
	const accounts, atMost = 8, 20_000
	ns := Shared(t).NewNamespace(t)
	h, err := ns.makeHistory(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Stop)
	made := make([][]uint64, accounts)
	numbers := make([]int, accounts)
	for i := range numbers {
		numbers[i] = i
		ns.Account(t, AccountSpec{Name: fmt.Sprintf("account-%d", i), HyperscalerType: "aws"})
	}
	err = inParallel(t.Context(), numbers, func(ctx context.Context, i int) error {
		account := &securityv1alpha1.CredentialsBinding{ObjectMeta: ns.named(fmt.Sprintf("account-%d", i))}
		for round := 0; round < atMost && h.streams[0].watches.Load() < 4; round++ {
			body := fmt.Appendf(nil, `{"metadata":{"labels":{"tenantName":"ga-%d"}}}`, round)
			if err := ns.garden.client.Patch(ctx, account, client.RawPatch(types.MergePatchType, body)); err != nil {
				return err
			}
			made[i] = append(made[i], number(account.ResourceVersion))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	h.End(t)

	kept := map[string][]uint64{}
	for _, s := range h.accounts.steps {
		if s.event == Modified {
			kept[s.name] = append(kept[s.name], s.version)
		}
	}
	total := 0
	for i := range made {
		name := fmt.Sprintf("account-%d", i)
		total += len(made[i])
		if !slices.Equal(kept[name], made[i]) {
			t.Errorf("%s: %d revisions are kept, %d were made", name, len(kept[name]), len(made[i]))
		}
	}
	if watches := h.streams[0].watches.Load(); watches < 4 {
		t.Errorf("%d watches in %d changes: the watch was not taken up again", watches, total)
	}
	t.Logf("%d changes of accounts over %d watches", total, h.streams[0].watches.Load())
}

// The state at the start, what comes and goes after it, and nothing of what comes after the end.
func TestHistoryFromStartToEnd(t *testing.T) {
	t.Parallel()
	ns := Shared(t).NewNamespace(t)
	ns.Account(t, AccountSpec{Name: "there", HyperscalerType: "aws", Tenant: gaA})
	ns.Shoot(t, "old", "there")
	h := ns.Follow(t)
	ns.PatchLabels(t, "there", asked(values{"tenantName": "-"}))
	between := ns.GetAccount(t, "there").ResourceVersion
	ns.DeleteShoot(t, "old")
	ns.PatchLabels(t, "there", asked(values{"tenantName": gaB}))
	ns.Account(t, AccountSpec{Name: "late", HyperscalerType: "aws"})
	ns.Shoot(t, "new", "late")
	ns.DeleteAccount(t, "there")
	h.End(t)
	h.End(t) // again is no harm
	ns.PatchLabels(t, "late", asked(values{"tenantName": gaA}))

	if tenants := h.Tenants("there"); !slices.Equal(tenants, []string{gaA, "", gaB, ""}) {
		t.Errorf("tenants of there: %q", tenants)
	}
	if tenants := h.Tenants("late"); !slices.Equal(tenants, []string{""}) {
		t.Errorf("tenants of late: %q", tenants)
	}
	if shoots := h.ShootsOn("there", between); !slices.Equal(shoots, []string{"old"}) {
		t.Errorf("Shoots at version %s: %q", between, shoots)
	}
	end := fmt.Sprint(h.shoots.last)
	if shoots := append(h.ShootsOn("there", end), h.ShootsOn("late", end)...); !slices.Equal(shoots, []string{"new"}) {
		t.Errorf("Shoots in the end: %q", shoots)
	}
	for _, account := range ns.ListAccounts(t) {
		if account.Name != "late" {
			t.Errorf("the end has left %s behind", account.Name)
		}
	}
}

// What the server does not know any more is an error, never a silent gap.
func TestHistoryWithAGap(t *testing.T) {
	t.Parallel()
	ns := Shared(t).NewNamespace(t)
	ns.Account(t, AccountSpec{Name: "account"})
	h := newHistory(ns.Name)
	s, err := newStream(ns, h.accounts, securityv1alpha1.SchemeGroupVersion, "credentialsbindings", watchSeconds)
	if err != nil {
		t.Fatal(err)
	}
	s.version = "1" // long before the oldest that the server remembers
	s.run(t.Context(), h.marker)
	if !errors.Is(s.err, errGap) {
		t.Errorf("the watch ended with %v", s.err)
	}
}

func TestRevisionsThatCannotFollow(t *testing.T) {
	t.Parallel()
	tests := map[string]Revision{
		"changed, and never added": {Event: Modified, Name: "other", UID: "2", Version: 11},
		"deleted, and never added": {Event: Deleted, Name: "other", UID: "2", Version: 11},
		"added twice":              {Event: Added, Name: "account", UID: "1", Version: 11},
		"out of order":             {Event: Modified, Name: "account", UID: "1", Version: 9},
		"twice":                    {Event: Modified, Name: "account", UID: "1", Version: 10},
		"another object":           {Event: Modified, Name: "account", UID: "2", Version: 11},
	}
	for name, revision := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newTrack("account")
			if err := k.add(Revision{Event: Added, Name: "account", UID: "1", Version: 10}); err != nil {
				t.Fatal(err)
			}
			if err := k.add(revision); !errors.Is(err, errGap) {
				t.Errorf("kept, error %v", err)
			}
		})
	}
}

// Accounts with many claims, changed 400,000 times, stay within 300 MB.
func TestHistoryIsSmall(t *testing.T) { //nolint:paralleltest // it measures the memory of the process
	const revisions, limit = 400_000, 300
	before := heapInUse()
	k := newTrack("account")
	fillWithClaims(t, k, revisions)
	used := heapInUse() - before
	if len(k.steps) != revisions || used > limit {
		t.Errorf("%d revisions take %d MB, want at most %d", len(k.steps), used, limit)
	}
	t.Logf("%d revisions take %d MB", len(k.steps), used)
}

// fillWithClaims keeps a history of accounts on which claims come and go, up to forty at a time.
func fillWithClaims(t *testing.T, k *track, revisions int) {
	t.Helper()
	const accounts, claims = 500, 40
	state := make([]map[string]string, accounts)
	for i := range revisions {
		name, event := fmt.Sprintf("account-%d", i%accounts), Modified
		if state[i%accounts] == nil {
			event = Added
		}
		record := fmt.Sprintf(`{"name":"%0250d"}`, i)
		key := fmt.Sprintf("%s%040d", recordPrefix, i/accounts%claims)
		if _, has := state[i%accounts][key]; has {
			record = "-"
		}
		state[i%accounts] = values(state[i%accounts]).with(values{key: record})
		err := k.add(Revision{
			Event: event, Name: name, UID: name, Version: uint64(i + 1),
			Labels: values{"hyperscalerType": "aws", "tenantName": gaA}, Annotations: state[i%accounts],
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// heapInUse is in megabytes.
func heapInUse() int64 {
	var memory runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&memory)
	return int64(memory.HeapAlloc >> 20)
}
