package testbed

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	securityv1alpha1 "github.com/gardener/gardener/pkg/apis/security/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
)

const (
	// LabelShootTenant is where the broker notes whose cluster a Shoot is.
	LabelShootTenant = "account"

	// deletionConfirmation is what Gardener wants to see on a Shoot before it is deleted.
	deletionConfirmation = "confirmation.gardener.cloud/deletion"

	// By these labels a cluster provider of openMCP finds the Shoot of a Cluster.
	clusterNameLabel      = "gardener.clusters.openmcp.cloud/cluster-name"
	clusterNamespaceLabel = "gardener.clusters.openmcp.cloud/cluster-namespace"

	// gardener-apiserver judges a new Shoot by its own view of the accounts, which lags behind.
	shootCreateTimeout = 10 * time.Second
	shootsEndTimeout   = 3 * time.Minute
)

// ShootSpec describes a cluster of an account.
type ShootSpec struct {
	Name    string
	Account string
	// Large makes it about as large as a Shoot of production: 17 kB as JSON.
	Large bool
	// Tenant is the Global Account that the broker notes on its clusters; empty = none.
	Tenant string
	// Cluster is the Cluster of openMCP whose labels it has: its namespace and its name; empty = none.
	Cluster [2]string
}

// Shoot makes one cluster of an account.
func (ns *Namespace) Shoot(t testing.TB, name, account string) {
	t.Helper()
	if err := ns.MakeShoots(t.Context(), ShootSpec{Name: name, Account: account}); err != nil {
		t.Fatal(err)
	}
}

// Shoots makes n clusters of an account, named <account>-0 and so on, and returns their names.
func (ns *Namespace) Shoots(t testing.TB, account string, n int) []string {
	t.Helper()
	return ns.shoots(t, account, n, false)
}

// LargeShoots is Shoots with clusters as large as those of production.
func (ns *Namespace) LargeShoots(t testing.TB, account string, n int) []string {
	t.Helper()
	return ns.shoots(t, account, n, true)
}

func (ns *Namespace) shoots(t testing.TB, account string, n int, large bool) []string {
	t.Helper()
	names := make([]string, n)
	specs := make([]ShootSpec, n)
	for i := range specs {
		names[i] = fmt.Sprintf("%s-%d", account, i)
		specs[i] = ShootSpec{Name: names[i], Account: account, Large: large}
	}
	if err := ns.MakeShoots(t.Context(), specs...); err != nil {
		t.Fatal(err)
	}
	return names
}

// MakeShoots makes many clusters at once.
func (ns *Namespace) MakeShoots(ctx context.Context, specs ...ShootSpec) error {
	providers := map[string]string{}
	for _, spec := range specs {
		if _, known := providers[spec.Account]; known {
			continue
		}
		account := &securityv1alpha1.CredentialsBinding{}
		if err := ns.client.Get(ctx, ns.key(spec.Account), account); err != nil {
			return fmt.Errorf("reading the account %s: %w", spec.Account, err)
		}
		providers[spec.Account] = account.Provider.Type
	}
	return inParallel(ctx, specs, func(ctx context.Context, spec ShootSpec) error {
		return ns.CreateShoot(ctx, ns.shoot(spec, providers[spec.Account]))
	})
}

// CreateShoot makes this Shoot. An account that was made just now may be unknown to the admission, which says so in several ways, also with
// an internal error.
func (ns *Namespace) CreateShoot(ctx context.Context, shoot *gardencorev1beta1.Shoot) error {
	err := local.Poll(ctx, shootCreateTimeout, func(ctx context.Context) error {
		err := ns.client.Create(ctx, shoot.DeepCopy())
		if err != nil && !apierrors.IsForbidden(err) && !apierrors.IsNotFound(err) && !apierrors.IsInternalError(err) {
			return local.StopPolling(err)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("creating the Shoot %s: %w", shoot.Name, err)
	}
	return nil
}

// shoot is the least that gardener-apiserver accepts as a Shoot with workers.
func (ns *Namespace) shoot(spec ShootSpec, providerType string) *gardencorev1beta1.Shoot {
	shoot := &gardencorev1beta1.Shoot{
		ObjectMeta: ns.named(spec.Name),
		Spec: gardencorev1beta1.ShootSpec{
			CloudProfile: &gardencorev1beta1.CloudProfileReference{
				Kind: "CloudProfile", Name: providerType,
			},
			CredentialsBindingName: ptr.To(spec.Account),
			Region:                 region,
			Kubernetes:             gardencorev1beta1.Kubernetes{Version: kubernetesVersion},
			Networking: &gardencorev1beta1.Networking{
				Type: ptr.To("calico"), Nodes: ptr.To("10.250.0.0/16"),
			},
			Provider: gardencorev1beta1.Provider{
				Type:    providerType,
				Workers: []gardencorev1beta1.Worker{worker("cpu-worker-0")},
			},
		},
	}
	shoot.Labels = map[string]string{}
	if spec.Tenant != "" {
		shoot.Labels[LabelShootTenant] = spec.Tenant
	}
	if spec.Cluster[1] != "" {
		shoot.Labels[clusterNamespaceLabel], shoot.Labels[clusterNameLabel] = spec.Cluster[0], spec.Cluster[1]
	}
	if spec.Large {
		enlarge(shoot)
	}
	return shoot
}

func worker(name string) gardencorev1beta1.Worker {
	return gardencorev1beta1.Worker{
		Name:    name,
		Minimum: 1,
		Maximum: 2,
		Zones:   []string{zone},
		Machine: gardencorev1beta1.Machine{
			Type:  machineType,
			Image: &gardencorev1beta1.ShootMachineImage{Name: machineImage, Version: ptr.To(imageVersion)},
		},
		Volume: &gardencorev1beta1.Volume{Type: ptr.To(volumeType), VolumeSize: "50Gi"},
	}
}

// enlarge adds what makes a Shoot of production large: worker pools, each with labels, taints and
// volumes (and the server's record of who set which field).
func enlarge(shoot *gardencorev1beta1.Shoot) {
	const pools = 7
	for i := 1; i < pools; i++ {
		pool := worker(fmt.Sprintf("cpu-worker-%d", i))
		pool.Labels = map[string]string{}
		pool.Annotations = map[string]string{}
		for j := range 6 {
			pool.Labels[fmt.Sprintf("example.com/label-%d", j)] = strings.Repeat("l", 20)
			pool.Annotations[fmt.Sprintf("example.com/annotation-%d", j)] = strings.Repeat("a", 60)
		}
		pool.Taints = []corev1.Taint{{
			Key: "example.com/pool", Value: pool.Name, Effect: corev1.TaintEffectNoSchedule,
		}}
		pool.DataVolumes = []gardencorev1beta1.DataVolume{{
			Name: "data", Type: ptr.To(volumeType), VolumeSize: "100Gi",
		}}
		shoot.Spec.Provider.Workers = append(shoot.Spec.Provider.Workers, pool)
	}
}

// DeleteShoot deletes a cluster and waits until it is gone.
func (ns *Namespace) DeleteShoot(t testing.TB, name string) {
	t.Helper()
	ns.confirmDeletion(t, name)
	ns.delete(t, &gardencorev1beta1.Shoot{ObjectMeta: ns.named(name)})
}

// DeleteShootHeld deletes a cluster that keeps existing with a deletion timestamp, as one does for
// as long as Gardener takes it down. DeleteShoot lets it go.
func (ns *Namespace) DeleteShootHeld(t testing.TB, name string) {
	t.Helper()
	ns.confirmDeletion(t, name)
	ns.deleteHeld(t, &gardencorev1beta1.Shoot{ObjectMeta: ns.named(name)})
}

func (ns *Namespace) confirmDeletion(t testing.TB, name string) {
	t.Helper()
	ctx, cancel := callContext()
	defer cancel()
	shoot := &gardencorev1beta1.Shoot{ObjectMeta: ns.named(name)}
	confirmed := map[string]any{"annotations": map[string]string{deletionConfirmation: "true"}}
	if err := ns.patchMetadata(ctx, shoot, confirmed); err != nil {
		t.Fatal(err)
	}
}

// RemoveShoot deletes a cluster at once, with nothing to take down behind it, and waits until it is gone.
func (ns *Namespace) RemoveShoot(ctx context.Context, name string) error {
	shoot := &gardencorev1beta1.Shoot{ObjectMeta: ns.named(name)}
	err := ns.patchMetadata(ctx, shoot, map[string]any{
		"finalizers": nil, "annotations": map[string]string{deletionConfirmation: "true"},
	})
	if err == nil {
		err = ns.client.Delete(ctx, shoot)
	}
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("deleting the Shoot %s: %w", name, err)
	}
	return local.Poll(ctx, callTimeout, func(ctx context.Context) error {
		err := ns.client.Get(ctx, ns.key(name), shoot)
		switch {
		case err == nil:
			return fmt.Errorf("the Shoot %s still exists", name)
		case apierrors.IsNotFound(err):
			return nil
		}
		return err
	})
}

// EndShoots deletes clusters as a user does, and waits until they are gone: the program that plays the gardenlet takes them down. Those
// that are gone already are left out.
func (ns *Namespace) EndShoots(ctx context.Context, names ...string) error {
	err := inParallel(ctx, names, func(ctx context.Context, name string) error {
		shoot := &gardencorev1beta1.Shoot{ObjectMeta: ns.named(name)}
		body := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:"true"}}}`, deletionConfirmation)
		err := ns.client.Patch(ctx, shoot, client.RawPatch(types.MergePatchType, body))
		if err == nil {
			err = ns.client.Delete(ctx, shoot)
		}
		if client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("deleting the Shoot %s: %w", name, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return local.Poll(ctx, shootsEndTimeout, func(ctx context.Context) error {
		var left gardencorev1beta1.ShootList
		if err := ns.client.List(ctx, &left, client.InNamespace(ns.Name)); err != nil {
			return err
		}
		for i := range left.Items {
			if slices.Contains(names, left.Items[i].Name) {
				return fmt.Errorf("the Shoot %s still exists", left.Items[i].Name)
			}
		}
		return nil
	})
}

// ShootTemplate is the template of a cluster with one group of workers, as hap_shoot takes it: the CloudProfiles of the Garden have all
// that it names.
const ShootTemplate = `spec:
  cloudProfile: {kind: CloudProfile, name: aws}
  region: region-1
  purpose: evaluation
  kubernetes: {version: 1.33.2}
  networking: {type: calico, nodes: 10.250.0.0/16}
  provider:
    type: aws
    workers:
    - name: a
      minimum: 1
      maximum: 2
      zones: [region-1a]
      machine: {type: medium, image: {name: gardenlinux, version: 1877.1.0}}
      volume: {type: ssd, size: 50Gi}
`
