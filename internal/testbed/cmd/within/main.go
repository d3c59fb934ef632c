// Command within starts a local Garden, runs a command that uses it, and stops it:
//
//	within go test ./internal/garden/... ./internal/provider/...
//
// The packages of one `go test` are processes of their own: without it each starts a Garden. Its exit code is the command's.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
)

func main() {
	// The terminal sends Ctrl-C to the command too: it ends by itself, and then the Garden is stopped.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	code, err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "within:", err)
		code = max(code, 1)
	}
	os.Exit(code)
}

func run(ctx context.Context, command []string) (code int, err error) {
	if len(command) == 0 {
		return 2, errors.New("which command? usage: within <command> [argument...]")
	}
	garden, err := testbed.Start(ctx, testbed.Options{})
	if err != nil {
		return 1, err
	}
	defer func() { err = errors.Join(err, garden.Stop()) }()
	path, err := garden.Lend()
	if err != nil {
		return 1, err
	}
	fmt.Println("testbed:", garden)

	child := exec.CommandContext(ctx, command[0], command[1:]...)
	child.Cancel = func() error { return child.Process.Signal(syscall.SIGTERM) }
	child.Env = append(os.Environ(), testbed.LentVariable+"="+path)
	child.Stdin, child.Stdout, child.Stderr = os.Stdin, os.Stdout, os.Stderr
	err = child.Run()
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		return max(ended.ExitCode(), 1), nil
	}
	return 0, err
}
