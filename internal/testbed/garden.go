// Package testbed runs a real Gardener API on this machine: etcd, kube-apiserver and
// gardener-apiserver, without a container engine, a cluster or a cloud.
//
// Tests share one Garden per process ([Main], [Shared]), or one for several processes ([Garden.Lend]), and take a project
// namespace each ([Garden.NewNamespace]), so they can run side by side. Programs use [Start] and the
// methods that return errors ([Garden.MakeNamespace], [Namespace.MakeAccounts], ...).
//
// Nothing outlives the process that started a Garden, not even after SIGKILL: see [local.Watchdog].
//
// What surrounds the Garden has a folder each:
//
//   - postgres: a real PostgreSQL server, with the broker's database in it
//   - fault: proxies before the Gardener API and the database, which note and spoil what passes
//   - history: every revision of the accounts and Shoots, and the checker of the invariants
//   - openmcp: the platform cluster with the real openmcp-operator, and a cluster provider that is played
//   - rivals: the Kyma Environment Broker and the Subscription Cleanup Job
//   - cli: Terraform or OpenTofu with the provider of this source tree
//   - inprocess: the steps of an acceptance test without a CLI
//   - acceptance: what tests of several families of the provider share
//   - local, expect: what these have in common, and what their tests have
//   - scenarios: what goes wrong around a pool; scenarios/CATALOGUE.md is the key to F1-F36 and I1-I7
//   - race: many claimers, the rivals and faults on one pool
//   - mutants: bugs that are planted to see whether the tests catch them
//   - cmd: the programs behind make demo, make garden, make bench and make testacc
package testbed

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
)

const (
	defaultStartTimeout = 2 * time.Minute
	callTimeout         = 2 * time.Minute
)

// Options of a Garden; the zero value is what tests want.
type Options struct {
	// Binaries is the folder that holds etcd, kube-apiserver and gardener-apiserver.
	// Default: $HAP_TESTBED_BINARIES, else bin/tools of this module.
	Binaries string
	// Timeout bounds the whole start. Default: two minutes.
	Timeout time.Duration
	// ReferenceChecks switches on Gardener's admission plug-in ResourceReferenceManager, as in
	// production: a user who writes an account must be allowed to read the Secret it names, and a Shoot
	// must name an account that exists. It is off by default because gardener-apiserver then makes
	// two calls of its own for every write of an account, and allows itself five per second.
	// ShootValidator is on in either case. ExtensionValidator, ShootDNS, ShootQuotaValidator and ShootTolerationRestriction stay off: they ask
	// for controllers, seeds and quotas that a Garden without a landscape does not have.
	ReferenceChecks bool
	// PlatformOnly leaves gardener-apiserver out: a cluster with no Gardener in it, as the platform cluster of openMCP is. Of the
	// methods only those that need no Gardener work.
	PlatformOnly bool
}

// Garden is a running Gardener API.
type Garden struct {
	options  Options
	dir      string
	watchdog *local.Watchdog
	plane    *envtest.ControlPlane
	gardener *gardenerAPIServer
	admin    *rest.Config
	client   client.Client

	kubernetesVersion string
	gardenerVersion   string
	startup           time.Duration

	namespaces atomic.Int64
	scratches  atomic.Int64
	stopOnce   sync.Once
	stopErr    error
	clusters   local.Authority // signs the kubeconfigs of Shoots
}

// Start starts a Garden and returns once CredentialsBindings, SecretBindings, Shoots and Secrets
// are served. The caller stops it; if it cannot any more, the watchdog does.
func Start(ctx context.Context, options Options) (*Garden, error) {
	binaries, err := findBinaries(options.Binaries)
	if err != nil {
		return nil, err
	}
	options.Binaries = binaries
	if options.Timeout <= 0 {
		options.Timeout = defaultStartTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, options.Timeout)
	defer cancel()

	g, err := local.Start(ctx, func(ctx context.Context) (*Garden, error) { return start(ctx, options) })
	if err != nil {
		return nil, fmt.Errorf("starting the local Garden: %w", err)
	}
	return g, nil
}

func start(ctx context.Context, options Options) (_ *Garden, err error) {
	began := time.Now()
	dir, err := os.MkdirTemp("", "hap-garden-")
	if err != nil {
		return nil, err
	}
	g := &Garden{options: options, dir: dir}
	if g.watchdog, err = local.StartWatchdog(dir); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, g.Stop())
		}
	}()

	steps := []func(context.Context) error{
		g.startControlPlane,
		g.startGardener,
		g.registerGardenerAPIs,
		g.waitUntilServed,
		g.askVersions,
		g.createCloudProfiles,
		g.trustClusters,
	}
	if options.PlatformOnly {
		steps = steps[:1]
	}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	g.startup = time.Since(began)
	return g, nil
}

// Stop ends all programs and removes everything they wrote. It may be called more than once.
//
// The programs are killed, not asked: their data is thrown away with them, and a kube-apiserver
// that shuts down in good order takes seconds to do so.
func (g *Garden) Stop() error {
	g.stopOnce.Do(func() { g.stopErr = g.stop() })
	return g.stopErr
}

func (g *Garden) stop() error {
	err := g.watchdog.Stop()
	if g.plane != nil {
		// Killed already: this only collects the exit statuses.
		if planeErr := g.plane.Stop(); planeErr != nil && !errors.Is(planeErr, os.ErrProcessDone) {
			err = errors.Join(err, planeErr)
		}
	}
	if g.gardener != nil {
		err = errors.Join(err, g.gardener.wait())
	}
	if err != nil {
		return fmt.Errorf("stopping the local Garden: %w", err)
	}
	return nil
}

// Binaries is the folder of the programs.
func (g *Garden) Binaries() string { return g.options.Binaries }

// Scratch makes a new folder that disappears together with the Garden.
func (g *Garden) Scratch(name string) (string, error) {
	folder := filepath.Join(g.dir, "scratch", fmt.Sprintf("%s-%d", name, g.scratches.Add(1)))
	return folder, os.MkdirAll(folder, 0o700)
}

// StartupTime is how long Start took.
func (g *Garden) StartupTime() time.Duration { return g.startup }

// String names what runs, in one line for a log.
func (g *Garden) String() string {
	if g.startup == 0 {
		return fmt.Sprintf("gardener-apiserver %s, kube-apiserver %s, of another process", g.gardenerVersion, g.kubernetesVersion)
	}
	return fmt.Sprintf("gardener-apiserver %s, kube-apiserver %s, started in %.1fs",
		g.gardenerVersion, g.kubernetesVersion, g.startup.Seconds())
}
