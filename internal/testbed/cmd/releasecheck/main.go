// Command releasecheck proves that a release can be installed and used. It takes what goreleaser has built for this
// platform, checks names, checksums and manifest as the registries do, has OpenTofu and Terraform install the provider
// from the archive through a filesystem mirror, and applies the example of the guide "Getting started" on a local Garden.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
)

func main() {
	folder := flag.String("release", "", "folder that goreleaser has filled (default bin/release)")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	err := run(ctx, *folder)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "\nreleasecheck:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, folder string) (err error) {
	root, err := local.RepositoryRoot()
	if err != nil {
		return err
	}
	if folder == "" {
		folder = filepath.Join(root, "bin", "release")
	}
	programs, err := findPrograms(ctx, filepath.Join(root, "bin", "tools", "tofu"))
	if err != nil {
		return err
	}
	temp, err := os.MkdirTemp("", "hap-release-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()

	r, err := findRelease(folder, runtime.GOOS+"_"+runtime.GOARCH)
	if err != nil {
		return err
	}
	if err := r.check(ctx, filepath.Join(root, manifestFile), temp); err != nil {
		return err
	}
	fmt.Printf("%s: the names, the checksums and the manifest fit\n", r.archive())
	mirror := filepath.Join(temp, "mirror")
	if err := r.mirror(mirror); err != nil {
		return err
	}
	garden, err := testbed.Start(ctx, testbed.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, garden.Stop()) }()
	fmt.Println(garden)
	for _, program := range programs {
		fmt.Printf("\n== %s\n\n", program)
		t := trial{release: r, program: program, garden: garden, root: root}
		if err := t.run(ctx, mirror); err != nil {
			return fmt.Errorf("%s: %w", program, err)
		}
	}
	fmt.Printf("\nVersion %s installs and works with %d programs.\n", r.version, len(programs))
	return nil
}

// findPrograms are the pinned OpenTofu and, where it is new enough, the Terraform of the PATH.
func findPrograms(ctx context.Context, pinned string) ([]cli.Program, error) {
	tofu, err := cli.ProgramAt(ctx, pinned)
	if err != nil {
		return nil, fmt.Errorf("%w; build it with `make tools`", err)
	}
	terraform, err := cli.Installed(ctx, "terraform")
	if err != nil {
		fmt.Printf("The check goes without Terraform: %v\n", err)
		return []cli.Program{tofu}, nil
	}
	return []cli.Program{tofu, terraform}, nil
}
