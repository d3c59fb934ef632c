package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
)

const (
	// tofuTimeout bounds one command.
	tofuTimeout = 5 * time.Minute
	// tofuGrace is how long an interrupted command may take to write its state.
	tofuGrace = 30 * time.Second
)

// tofu runs commands on a copy of the landscape, connected as one user of the Garden.
type tofu struct {
	path   string
	folder string
	env    []string
}

func newTofu(garden *testbed.Garden, user *testbed.User, landscape, binaries string) (*tofu, error) {
	kubeconfig, err := user.WriteKubeconfig()
	if err != nil {
		return nil, err
	}
	scratch, err := garden.Scratch("demo")
	if err != nil {
		return nil, err
	}
	folder := filepath.Join(scratch, "landscape")
	if err := copyConfiguration(folder, landscape); err != nil {
		return nil, err
	}
	config := filepath.Join(scratch, "terraform.rc")
	if err := os.WriteFile(config, testbed.TerraformConfig(binaries), 0o600); err != nil {
		return nil, err
	}
	return &tofu{
		path:   filepath.Join(binaries, "tools", "tofu"),
		folder: folder,
		env: append(withoutSettings(os.Environ()),
			"KUBE_CONFIG_PATH="+kubeconfig,
			"TF_CLI_CONFIG_FILE="+config,
			"TF_IN_AUTOMATION=1",
			"CHECKPOINT_DISABLE=1",
		),
	}, nil
}

// run runs one command and shows what matters of what it says. The provider comes from
// dev_overrides, so there is nothing to initialise first.
func (t *tofu) run(ctx context.Context, arguments ...string) error {
	ctx, cancel := context.WithTimeout(ctx, tofuTimeout)
	defer cancel()
	shown := &digest{out: os.Stdout}
	defer shown.flush()
	cmd := exec.CommandContext(ctx, t.path, append(arguments, "-input=false", "-no-color")...)
	cmd.Dir = t.folder
	cmd.Env = t.env
	cmd.Stdout, cmd.Stderr = shown, shown // the same, so that the order stays
	// Its own process group, so that Ctrl-C reaches it once: a second interrupt makes it drop its state.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = tofuGrace
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("tofu %s: %w", strings.Join(arguments, " "), err)
	}
	return nil
}

// withoutSettings drops the variables that would lead tofu or the provider elsewhere.
func withoutSettings(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(variable string) bool {
		for _, prefix := range []string{"KUBE_", "KUBECONFIG=", "HAP_", "TF_", "PG"} {
			if strings.HasPrefix(variable, prefix) {
				return true
			}
		}
		return false
	})
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
