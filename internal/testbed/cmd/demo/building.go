package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// building is a program that is built beside the steps that do without it.
type building struct {
	began    time.Time
	took     time.Duration
	out      bytes.Buffer
	err      error
	ended    chan struct{}
	cancel   context.CancelFunc
	reported bool
}

// start starts a shell command that builds a program. What it says is kept for the case that it fails.
func start(ctx context.Context, command string) *building {
	ctx, cancel := context.WithCancel(ctx)
	b := &building{began: time.Now(), ended: make(chan struct{}), cancel: cancel}
	cmd := exec.CommandContext(ctx, "sh", "-c", command)
	cmd.Stdout, cmd.Stderr = &b.out, &b.out
	// A make of its own: it does not wait for the make that waits for the demo.
	for _, variable := range os.Environ() {
		if name, _, _ := strings.Cut(variable, "="); name != "MAKEFLAGS" && name != "MFLAGS" && name != "MAKELEVEL" {
			cmd.Env = append(cmd.Env, variable)
		}
	}
	// A process group, so that the compilers end with the command.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	go func() {
		defer close(b.ended)
		b.err = cmd.Run()
		b.took = time.Since(b.began)
	}()
	return b
}

// wait returns once the program is built, and says once how long that took.
func (b *building) wait(ctx context.Context, out io.Writer) error {
	if b == nil || b.reported {
		return nil
	}
	waiting := time.Now()
	select {
	case <-b.ended:
	default:
		fmt.Fprint(out, "openmcp-operator is still being built ...\n")
	}
	select {
	case <-b.ended:
	case <-ctx.Done():
		return ctx.Err()
	}
	if b.err != nil {
		return fmt.Errorf("building openmcp-operator: %w\n%s", b.err, b.out.String())
	}
	b.reported = true
	if strings.Contains(b.out.String(), "Building") {
		fmt.Fprintf(out, "openmcp-operator was built beside the steps before: %.0f s, of which this step waited %.0f s.\n\n",
			b.took.Seconds(), time.Since(waiting).Seconds())
	}
	return nil
}

// stop ends a build that nothing waits for any more.
func (b *building) stop() {
	b.cancel()
	<-b.ended
}
