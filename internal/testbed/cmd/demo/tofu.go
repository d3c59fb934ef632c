package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
)

// installed is the tofu or terraform of the PATH that the demo runs.
func installed(ctx context.Context) (cli.Program, error) {
	return cli.Installed(ctx, "tofu", "terraform")
}

// findProgram is the tofu or terraform of the PATH, else the pinned OpenTofu of bin/tools.
func findProgram(ctx context.Context, binaries string) (cli.Program, error) {
	program, err := installed(ctx)
	if err == nil {
		return program, nil
	}
	pinned := filepath.Join(binaries, "tools", "tofu")
	if _, pinnedErr := os.Stat(pinned); pinnedErr != nil {
		return program, fmt.Errorf("%w\n%w; build it with `make tools`", err, pinnedErr)
	}
	return cli.ProgramAt(ctx, pinned)
}

// tofu runs commands on a copy of a configuration.
type tofu struct{ *cli.CLI }

func newTofu(
	garden *testbed.Garden, landscape string, program cli.Program, provider string, settings map[string]string,
) (*tofu, error) {
	folder, err := garden.Scratch("landscape")
	if err != nil {
		return nil, err
	}
	cli, err := cli.Make(folder, program.Path, provider)
	if err != nil {
		return nil, err
	}
	if err := cli.CopyFrom(landscape); err != nil {
		return nil, err
	}
	for name, value := range settings {
		cli.Setenv(name, value)
	}
	return &tofu{cli}, nil
}

// run runs one command and shows what matters of what it says.
func (t *tofu) run(ctx context.Context, arguments ...string) error {
	shown := &digest{out: os.Stdout}
	defer shown.flush()
	return t.Follow(ctx, shown, arguments...)
}
