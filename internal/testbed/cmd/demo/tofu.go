package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
)

const (
	// tofuTimeout bounds one command.
	tofuTimeout = 5 * time.Minute
	// tofuGrace is how long an interrupted command may take to write its state.
	tofuGrace = 30 * time.Second
)

// tofu runs commands on a copy of the landscape, connected as one user of the Garden.
type tofu struct{ *cli.CLI }

func newTofu(garden *testbed.Garden, user *testbed.User, landscape, binaries string) (*tofu, error) {
	kubeconfig, err := user.WriteKubeconfig()
	if err != nil {
		return nil, err
	}
	folder, err := garden.Scratch("landscape")
	if err != nil {
		return nil, err
	}
	if err := copyConfiguration(folder, landscape); err != nil {
		return nil, err
	}
	cli, err := cli.Make(folder, filepath.Join(binaries, "tools", "tofu"), binaries)
	if err != nil {
		return nil, err
	}
	cli.Setenv("KUBE_CONFIG_PATH", kubeconfig)
	return &tofu{cli}, nil
}

// run runs one command and shows what matters of what it says.
func (t *tofu) run(ctx context.Context, arguments ...string) error {
	ctx, cancel := context.WithTimeout(ctx, tofuTimeout)
	defer cancel()
	shown := &digest{out: os.Stdout}
	defer shown.flush()
	cmd := t.Command(ctx, arguments...)
	cmd.Stdout, cmd.Stderr = shown, shown // the same, so that the order stays
	// Only tofu is interrupted, and once: a second interrupt makes it drop its state.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = tofuGrace
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("tofu %s: %w", strings.Join(arguments, " "), err)
	}
	return nil
}

// copyConfiguration copies a folder without what earlier runs may have left in it.
func copyConfiguration(to, from string) error {
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		switch leftover := relative != "." && strings.HasPrefix(entry.Name(), "."); {
		case leftover && entry.IsDir():
			return fs.SkipDir
		case leftover, strings.Contains(entry.Name(), ".tfstate"):
			return nil
		case entry.IsDir():
			return os.MkdirAll(filepath.Join(to, relative), 0o700)
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, relative), content, 0o600)
	})
}
