package testbed_test

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"testing"

	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	securityv1alpha1 "github.com/gardener/gardener/pkg/apis/security/v1alpha1"
	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/history"
)

// The order of the server is one order for accounts, Shoots and Secrets: they share one etcd.
func TestVersionsOfAllResourcesCanBeCompared(t *testing.T) {
	t.Parallel()
	ns := testbed.Shared(t).NewNamespace(t)
	ns.Account(t, testbed.AccountSpec{Name: "account"})
	ns.Shoot(t, "cluster", "account")
	objects := []client.Object{
		&securityv1alpha1.CredentialsBinding{ObjectMeta: named(ns, "account")},
		&gardencorev1beta1.Shoot{ObjectMeta: named(ns, "cluster")},
		&corev1.Secret{ObjectMeta: named(ns, "account")},
	}
	var last uint64
	for i := range 30 {
		object := objects[i%len(objects)]
		body := fmt.Appendf(nil, `{"metadata":{"annotations":{"round":"%d"}}}`, i)
		if err := ns.Client().Patch(t.Context(), object, client.RawPatch(types.MergePatchType, body)); err != nil {
			t.Fatal(err)
		}
		version := number(t, object.GetResourceVersion())
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
	ns := testbed.Shared(t).NewNamespace(t)
	h, err := history.Make(t.Context(), ns, history.Options{WatchSeconds: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Stop)
	made := make([][]string, accounts)
	for i := range made {
		made[i] = []string{""}
		ns.Account(t, testbed.AccountSpec{Name: fmt.Sprintf("account-%d", i), HyperscalerType: "aws"})
	}
	var group errgroup.Group
	for i := range made {
		account := &securityv1alpha1.CredentialsBinding{ObjectMeta: named(ns, fmt.Sprintf("account-%d", i))}
		group.Go(func() error {
			for round := 0; round < atMost && h.Watches() < 4; round++ {
				tenant := fmt.Sprintf("ga-%d", round)
				body := fmt.Appendf(nil, `{"metadata":{"labels":{"tenantName":%q}}}`, tenant)
				if err := ns.Client().Patch(t.Context(), account, client.RawPatch(types.MergePatchType, body)); err != nil {
					return err
				}
				made[i] = append(made[i], tenant)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	h.End(t)

	total := 0
	for i := range made {
		name := fmt.Sprintf("account-%d", i)
		total += len(made[i]) - 1
		if kept := h.Tenants(name); !slices.Equal(kept, made[i]) {
			t.Errorf("%s: %d revisions are kept, %d were made", name, len(kept), len(made[i]))
		}
	}
	if watches := h.Watches(); watches < 4 {
		t.Errorf("%d watches in %d changes: the watch was not taken up again", watches, total)
	}
	t.Logf("%d changes of accounts over %d watches", total, h.Watches())
}

// The state at the start, what comes and goes after it, and nothing of what comes after the end.
func TestHistoryFromStartToEnd(t *testing.T) {
	t.Parallel()
	ns := testbed.Shared(t).NewNamespace(t)
	ns.Account(t, testbed.AccountSpec{Name: "there", HyperscalerType: "aws", Tenant: "ga-a"})
	ns.Shoot(t, "old", "there")
	h := history.Follow(t, ns)
	ns.PatchLabels(t, "there", map[string]*string{"tenantName": nil})
	between := ns.GetAccount(t, "there").ResourceVersion
	ns.DeleteShoot(t, "old")
	ns.PatchLabels(t, "there", map[string]*string{"tenantName": new("ga-b")})
	ns.Account(t, testbed.AccountSpec{Name: "late", HyperscalerType: "aws"})
	ns.Shoot(t, "new", "late")
	ns.DeleteAccount(t, "there")
	h.End(t)
	h.End(t) // again is no harm
	ns.PatchLabels(t, "late", map[string]*string{"tenantName": new("ga-a")})

	if tenants := h.Tenants("there"); !slices.Equal(tenants, []string{"ga-a", "", "ga-b", ""}) {
		t.Errorf("tenants of there: %q", tenants)
	}
	if tenants := h.Tenants("late"); !slices.Equal(tenants, []string{""}) {
		t.Errorf("tenants of late: %q", tenants)
	}
	if shoots := h.ShootsOn("there", between); !slices.Equal(shoots, []string{"old"}) {
		t.Errorf("Shoots at version %s: %q", between, shoots)
	}
	end := ns.Version(t)
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
	ns := testbed.Shared(t).NewNamespace(t)
	// Long before the oldest version that the server remembers.
	h, err := history.Make(t.Context(), ns, history.Options{Since: "1"})
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Finish(t.Context()); !errors.Is(err, history.ErrGap) {
		t.Errorf("the history ended with %v", err)
	}
}

// named is the metadata of an object of which only the name is known.
func named(ns *testbed.Namespace, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: ns.Name, Name: name}
}

// number is a resourceVersion, to compare it with others.
func number(t *testing.T, version string) uint64 {
	t.Helper()
	n, err := strconv.ParseUint(version, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
