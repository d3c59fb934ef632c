// Command garden runs a local Garden in the foreground until it is interrupted, with stand-ins for the gardenlet, which brings the clusters
// of its project up, and for the controller that lets deleted namespaces go, where PostgreSQL is installed also a database of the broker's
// shape, and with the real openmcp-operator on the same API server. It writes what a shell needs to work with them to .garden in the
// repository, and removes that at the end.
//
// "garden landscape" puts two hundred accounts and their clusters into the project of the Garden that runs, "garden landscape remove" takes
// them out: for the guide about taking over a landscape.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/gardenlet"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/namespaces"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/postgres"
)

const project = "hap"

// course is how it goes with each cluster: slow enough for a person to watch, some ten seconds in all.
var course = gardenlet.Course{Steps: 5, Pace: 2 * time.Second}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	err := serveOrLay(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "garden:", err)
		os.Exit(1)
	}
}

// serveOrLay serves a Garden, or with arguments lays a landscape on the one that is served.
func serveOrLay(ctx context.Context, arguments []string) error {
	if len(arguments) > 0 {
		return lay(ctx, arguments, os.Stdout)
	}
	root, err := local.RepositoryRoot()
	if err != nil {
		return err
	}
	return run(ctx, root, os.Stdout)
}

// run serves a Garden until the context ends. It prints one line to out: when all is ready.
func run(ctx context.Context, root string, out io.Writer) (err error) {
	fmt.Fprintln(os.Stderr, "garden: starting etcd, kube-apiserver, gardener-apiserver and PostgreSQL ...")
	garden, err := testbed.Start(ctx, testbed.Options{ReferenceChecks: true})
	if err != nil {
		if ctx.Err() != nil {
			return errors.New("interrupted while starting; everything is stopped")
		}
		return err
	}
	defer func() { err = errors.Join(err, garden.Stop()) }()

	namespace, err := garden.MakeNamespace(ctx, project)
	if err != nil {
		return err
	}
	clusters := gardenlet.Of(namespace)
	clusters.Course = func(*gardencore.Shoot) gardenlet.Course { return course }
	defer clusters.Start(ctx)()
	database, err := startDatabase(ctx, postgres.Start)
	if err != nil && ctx.Err() != nil {
		return errors.New("interrupted while starting; everything is stopped")
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, database.stop()) }()

	openmcp, err := startPlatform(ctx, garden, namespace, garden.Binaries())
	if err != nil {
		return err
	}
	if openmcp != nil {
		defer openmcp.stop()
	}
	finalizer, err := namespaces.New(ctx, garden.AdminConfig())
	if err != nil {
		return err
	}
	defer finalizer.Start(ctx)()

	files, err := write(filepath.Join(root, ".garden"), garden, namespace, filepath.Join(root, "bin"), database, openmcp)
	defer func() { err = errors.Join(err, files.remove()) }()
	if err != nil {
		return err
	}

	fmt.Fprintln(os.Stderr, "garden:", garden)
	if database != nil {
		fmt.Fprintf(os.Stderr, "garden: %s; to count in it: export HAP_DATABASE_URL=\"$(cat %s)\"; to put rows in, as the broker does: "+
			"psql \"$(cat %s)\"\n", database.server, quote(files.database), quote(files.broker))
	}
	if openmcp != nil {
		fmt.Fprintf(os.Stderr, "garden: openmcp-operator on the same API server; platform = { config_path = %q } leads to its namespace %s\n",
			files.platform, platformNamespace)
	}
	fmt.Fprintf(os.Stderr, "garden: while you change the provider: export TF_CLI_CONFIG_FILE=%s has bin/terraform-provider-hap taken as it "+
		"is, without init\n", quote(files.development))
	fmt.Fprintf(out, "ready: in another shell, . %s\n", quote(files.env))
	<-ctx.Done()
	if err := clusters.Err(); err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, "garden: the clusters:", err)
	}
	fmt.Fprintln(os.Stderr, "garden: stopping")
	return nil
}

// files are what this program leaves for a shell, as long as it runs.
type files struct{ folder, env, kubeconfig, terraform, development, database, broker, platform string }

func write(
	folder string, garden *testbed.Garden, namespace *testbed.Namespace, binaries string, d *database, p *platform,
) (files, error) {
	f := files{
		folder:      folder,
		env:         filepath.Join(folder, "env"),
		kubeconfig:  filepath.Join(folder, "kubeconfig"),
		terraform:   filepath.Join(folder, "terraform.rc"),
		development: filepath.Join(folder, "development.rc"),
		database:    filepath.Join(folder, "database-url"),
		broker:      filepath.Join(folder, "broker-database-url"),
		platform:    filepath.Join(folder, "platform"),
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return f, err
	}
	if err := garden.WriteKubeconfig(f.kubeconfig, namespace.Name); err != nil {
		return f, err
	}
	if p != nil {
		if err := os.WriteFile(f.platform, p.kubeconfig, 0o600); err != nil {
			return f, err
		}
	}
	if err := os.WriteFile(f.development, cli.Config(binaries), 0o600); err != nil {
		return f, err
	}
	if err := os.WriteFile(f.env, f.variables(namespace.Name, binaries), 0o600); err != nil {
		return f, err
	}
	mirror := filepath.Join(binaries, "mirror") // make build lays the provider there
	if err := os.WriteFile(f.terraform, cli.BesideConfig(mirror), 0o600); err != nil || d == nil {
		return f, err
	}
	if err := os.WriteFile(f.broker, []byte(d.broker+"\n"), 0o600); err != nil {
		return f, err
	}
	return f, os.WriteFile(f.database, []byte(d.reader+"\n"), 0o600)
}

// variables is what a shell reads to work with the Garden: the connection for the provider, for hashicorp/kubernetes and for kubectl, and
// the programs of bin/tools after those that its PATH has already.
func (f files) variables(namespace, binaries string) []byte {
	return fmt.Appendf(nil, "unset KUBE_HOST KUBE_TOKEN KUBE_CLUSTER_CA_CERT_DATA\n"+
		"export KUBE_CONFIG_PATH=%s KUBECONFIG=%s HAP_NAMESPACE=%s\nexport TF_CLI_CONFIG_FILE=%s PATH=\"$PATH\":%s\n",
		quote(f.kubeconfig), quote(f.kubeconfig), namespace, quote(f.terraform), quote(filepath.Join(binaries, "tools")))
}

// remove deletes the files, and the folder unless something else lies in it.
func (f files) remove() error {
	var errs []error
	for _, path := range []string{f.env, f.kubeconfig, f.terraform, f.development, f.database, f.broker, f.platform} {
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	_ = os.Remove(f.folder)
	return errors.Join(errs...)
}

var plain = regexp.MustCompile(`^[A-Za-z0-9_./+-]+$`)

// quote makes a path safe to paste into a shell.
func quote(path string) string {
	if plain.MatchString(path) {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
