// Command demo shows the provider at work, in two parts. The first one starts a local Garden, fills a small pool of accounts,
// applies examples/landscape as the documented service account while a stand-in for the gardenlet brings its cluster up, shows who
// holds which account and why, and which cluster runs there, and destroys it again. The second one starts a platform cluster of openMCP
// beside it, and applies examples/cluster-landscape, one stage after the other, with the real operator. Then everything is stopped.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/gardenlet"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
)

func main() {
	landscape := flag.String("landscape", "", "folder with the configuration (default examples/landscape)")
	role := flag.String("role", "", "file with the Roles of the service account (default role.yaml and role-clusters.yaml of examples/rbac)")
	part := flag.Int("part", 0, "1 = accounts alone, 2 = the landscape of clusters alone (default both)")
	operator := flag.String("operator", "", "shell command that builds openmcp-operator, beside the first steps (default: it is built)")
	which := flag.Bool("which", false, "only name the tofu or terraform of the PATH that the demo runs; with none, exit with status 1")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	var err error
	if *which {
		err = nameProgram(ctx)
	} else {
		err = run(ctx, *landscape, *role, *operator, *part)
	}
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "\ndemo:", err)
		os.Exit(1)
	}
}

// nameProgram lets make know whether it has to build OpenTofu.
func nameProgram(ctx context.Context) error {
	program, err := installed(ctx)
	if err != nil {
		return fmt.Errorf("there is no tofu or terraform to run yet:\n%w", err)
	}
	fmt.Println(program)
	return nil
}

// demo is what its steps hand on.
type demo struct {
	landscape string
	roles     []string
	binaries  string
	program   cli.Program

	garden    *testbed.Garden
	namespace *testbed.Namespace
	gardenlet *gardenlet.Gardenlet
	tofu      *tofu
}

// course is how it goes with each cluster: some seconds.
var course = gardenlet.Course{Steps: 4, Pace: time.Second}

func run(ctx context.Context, landscape, role, operator string, part int) (err error) {
	root, err := local.RepositoryRoot()
	if err != nil {
		return err
	}
	binaries := filepath.Join(root, "bin")
	program, err := findProgram(ctx, binaries)
	if err != nil {
		return err
	}
	d := &demo{
		landscape: orDefault(landscape, filepath.Join(root, "examples", "landscape")),
		roles:     []string{role},
		binaries:  binaries,
		program:   program,
	}
	if role == "" {
		rbac := filepath.Join(root, "examples", "rbac")
		d.roles = []string{filepath.Join(rbac, "role.yaml"), filepath.Join(rbac, "role-clusters.yaml")}
	}
	began := time.Now()
	defer func() {
		if d.garden == nil {
			return
		}
		if stopErr := d.garden.Stop(); stopErr != nil {
			err = errors.Join(err, stopErr)
			return
		}
		fmt.Printf("\nEverything is stopped. The demo took %.1f s.\n", time.Since(began).Seconds())
	}()

	second := &stages{demo: d}
	defer func() { err = errors.Join(err, second.stop()) }()
	if part != 1 && operator != "" {
		second.operator = start(ctx, operator)
		defer second.operator.stop()
	}
	steps := []step{{"Start a local Garden", d.startGarden(part != 1 && operator == "")}}
	if part != 2 {
		steps = append(steps, d.steps()...)
	}
	if part != 1 {
		steps = append(steps, second.steps()...)
	}
	for number, step := range steps {
		fmt.Printf("\n== %d. %s\n\n", number+1, step.title)
		stepBegan := time.Now()
		if err := step.do(ctx); err != nil {
			if ctx.Err() != nil {
				return fmt.Errorf("interrupted at step %d", number+1)
			}
			return fmt.Errorf("step %d, %s: %w", number+1, step.title, err)
		}
		fmt.Printf("\n   (%.1f s)\n", time.Since(stepBegan).Seconds())
	}
	return nil
}

// step is one thing that is shown.
type step struct {
	title string
	do    func(context.Context) error
}

// steps are those of the first part.
func (d *demo) steps() []step {
	return []step{
		{"Fill the pool", d.fillPool},
		{d.program.Name + " apply, as the documented service account", d.apply},
		{"Who holds which account and why, and the cluster on it", d.showPool},
		{"The report for the summary page of a pipeline", d.showReport},
		{d.program.Name + " destroy", d.destroy},
		{"The pool afterwards", d.showPool},
	}
}

func orDefault(value, fallback string) string {
	if value == "" {
		return fallback
	}
	return value
}

// startGarden starts the Garden, and says before what is missing of the programs that come later and are not being built.
func (d *demo) startGarden(operator bool) func(context.Context) error {
	return func(ctx context.Context) (err error) {
		if _, err := os.Stat(filepath.Join(d.binaries, "terraform-provider-hap")); err != nil {
			return fmt.Errorf("%w; build it with `make build`", err)
		}
		if _, err := os.Stat(filepath.Join(d.binaries, "tools", "openmcp-operator")); err != nil && operator {
			return fmt.Errorf("%w; build it with `make tools`, or show the first part alone with -part 1", err)
		}
		if d.garden, err = testbed.Start(ctx, testbed.Options{}); err != nil {
			return err
		}
		fmt.Printf("%s; %s\n", d.garden, d.program)
		return nil
	}
}

func (d *demo) fillPool(ctx context.Context) (err error) {
	if d.namespace, err = d.garden.MakeNamespace(ctx, project); err != nil {
		return err
	}
	d.gardenlet = gardenlet.Of(d.namespace)
	d.gardenlet.Course = func(*gardencore.Shoot) gardenlet.Course { return course }
	var accounts []testbed.AccountSpec
	var clusters []testbed.ShootSpec
	for _, entry := range demoAccounts {
		accounts = append(accounts, entry.AccountSpec)
		for i := range entry.clusters {
			name := fmt.Sprintf("%s-c%d", entry.Name, i+1)
			clusters = append(clusters, testbed.ShootSpec{Name: name, Account: entry.Name})
		}
	}
	if err := d.namespace.MakeAccounts(ctx, accounts...); err != nil {
		return err
	}
	if err := d.namespace.MakeShoots(ctx, clusters...); err != nil {
		return err
	}
	fmt.Print("Clusters are counted by Gardener here. Beside a broker with a database, the provider block says\n" +
		"  database      = { url = \"postgres://...\" }   # or HAP_DATABASE_URL\n" +
		"  cluster_count = { source = \"both\" }          # the higher number counts\n\n")
	return d.showPool(ctx)
}

func (d *demo) apply(ctx context.Context) error {
	var roles [][]byte
	for _, file := range d.roles {
		role, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		roles = append(roles, role)
	}
	user, err := d.namespace.MakeUser(ctx, "landscape", bytes.Join(roles, []byte("\n---\n")))
	if err != nil {
		return err
	}
	kubeconfig, err := user.WriteKubeconfig()
	if err != nil {
		return err
	}
	d.tofu, err = newTofu(d.garden, d.landscape, d.program, d.binaries, map[string]string{
		"KUBE_CONFIG_PATH":     kubeconfig,
		"TF_VAR_release_grace": "0s", // no other party makes clusters on this Garden
	})
	if err != nil {
		return err
	}
	defer d.gardenlet.Start(ctx)()
	return d.run(ctx, "apply", "-auto-approve")
}

// run runs a command of the landscape. Where that fails, it says also why no cluster came up.
func (d *demo) run(ctx context.Context, arguments ...string) error {
	err := d.tofu.run(ctx, arguments...)
	if err != nil && ctx.Err() == nil {
		err = errors.Join(err, d.gardenlet.Err())
	}
	return err
}

// showReport shows what hap_pool_status says of the pool, as a pipeline would get it.
func (d *demo) showReport(ctx context.Context) error {
	return d.tofu.run(ctx, "output", "-raw", "report")
}

func (d *demo) destroy(ctx context.Context) error {
	defer d.gardenlet.Start(ctx)()
	return d.run(ctx, "destroy", "-auto-approve")
}

func (d *demo) showPool(ctx context.Context) error {
	accounts, err := d.namespace.ReadAccounts(ctx)
	if err != nil {
		return err
	}
	var shoots gardencore.ShootList
	if err := d.namespace.Client().List(ctx, &shoots, client.InNamespace(d.namespace.Name)); err != nil {
		return err
	}
	return printPool(os.Stdout, accounts, clustersOf(shoots.Items))
}
