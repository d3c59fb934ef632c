package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
)

const (
	// commandTimeout bounds one command.
	commandTimeout = 10 * time.Minute
	// interruptGrace is how long an interrupted command may take to write its state.
	interruptGrace = 30 * time.Second
	// outputGrace is how long output may still come from what a killed command has left behind.
	outputGrace = 5 * time.Second
	// providerWait bounds the wait for a provider that is to be killed.
	providerWait = time.Minute
)

// Result is what a command has said, and how it ended.
type Result struct {
	// Stdout and Stderr are its outputs, and Output both as they came.
	Stdout, Stderr, Output string
	// ExitCode is -1 after a signal.
	ExitCode int
}

// Running is a command under way.
type Running struct {
	cmd    *exec.Cmd
	output *output
	ended  chan struct{}
}

// Run runs a command to its end, for example ("apply", "-auto-approve"). It never asks for input, and prints no colours.
func (c *CLI) Run(t testing.TB, arguments ...string) Result {
	t.Helper()
	return c.Start(t, arguments...).Wait(t)
}

// Start begins a command in the background. What is left of it at the end of the test is killed.
func (c *CLI) Start(t testing.TB, arguments ...string) *Running {
	t.Helper()
	cmd := c.Command(context.Background(), arguments...)
	out := &output{}
	cmd.Stdout, cmd.Stderr = outputStream{out, &out.stdout}, outputStream{out, &out.stderr}
	cmd.WaitDelay = outputGrace
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	r := &Running{cmd: cmd, output: out, ended: make(chan struct{})}
	go func() {
		defer close(r.ended)
		_ = cmd.Wait() // how it ended is in its state
	}()
	t.Cleanup(func() {
		r.Kill()
		select {
		case <-r.ended:
		case <-time.After(commandTimeout):
		}
	})
	return r
}

// Wait returns how the command ended. After ten minutes it is killed and the test is over.
func (r *Running) Wait(t testing.TB) Result {
	t.Helper()
	select {
	case <-r.ended:
	case <-time.After(commandTimeout):
		r.Kill()
		t.Fatalf("%s does not end:\n%s", r, r.Output())
	}
	out := r.output
	out.Lock()
	defer out.Unlock()
	return Result{
		Stdout: out.stdout.String(), Stderr: out.stderr.String(), Output: out.both.String(),
		ExitCode: r.cmd.ProcessState.ExitCode(),
	}
}

// Ended is closed when the command has ended; [Running.Wait] then says how.
func (r *Running) Ended() <-chan struct{} { return r.ended }

// Output is what the command has said so far.
func (r *Running) Output() string {
	r.output.Lock()
	defer r.output.Unlock()
	return r.output.both.String()
}

// String is the command line.
func (r *Running) String() string { return strings.Join(r.cmd.Args, " ") }

// Interrupt sends what Ctrl-C in a terminal sends: SIGINT to the command and to all it has started.
func (r *Running) Interrupt() { r.signal(syscall.SIGINT) }

// Kill ends the command and all it has started by SIGKILL.
func (r *Running) Kill() { r.signal(syscall.SIGKILL) }

// signal reaches the whole group; once the command has ended its number may be another's.
func (r *Running) signal(signal syscall.Signal) {
	select {
	case <-r.ended:
	default:
		_ = syscall.Kill(-r.cmd.Process.Pid, signal)
	}
}

// KillProvider ends the provider alone by SIGKILL; the command learns of it as it would of a crash. It ends the test if
// there is no provider within a minute.
func (r *Running) KillProvider(t testing.TB) {
	t.Helper()
	err := local.Poll(t.Context(), providerWait, func(ctx context.Context) error {
		select {
		case <-r.ended:
			return local.StopPolling(errors.New("the command has ended"))
		default:
		}
		members, err := processGroup(ctx, r.cmd.Process.Pid)
		if err != nil {
			return local.StopPolling(err)
		}
		killed := 0
		for _, member := range members {
			if strings.HasPrefix(filepath.Base(member.program), providerName) && syscall.Kill(member.pid, syscall.SIGKILL) == nil {
				killed++
			}
		}
		if killed == 0 {
			return fmt.Errorf("no provider among %d processes", len(members))
		}
		return nil
	})
	if err != nil {
		t.Fatalf("killing the provider of %s: %v\n%s", r, err, r.Output())
	}
}

// ExpectNothingLeft wants all to end that the command has started.
func (r *Running) ExpectNothingLeft(t testing.TB) {
	t.Helper()
	err := local.Poll(t.Context(), providerWait, func(ctx context.Context) error {
		left, err := processGroup(ctx, r.cmd.Process.Pid)
		if err == nil && len(left) > 0 {
			err = fmt.Errorf("left: %+v", left)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// output keeps what a command says.
type output struct {
	sync.Mutex
	stdout, stderr, both bytes.Buffer
}

// outputStream is one of the two outputs.
type outputStream struct {
	output *output
	own    *bytes.Buffer
}

// Write keeps a part of the output.
func (s outputStream) Write(p []byte) (int, error) {
	s.output.Lock()
	defer s.output.Unlock()
	_, _ = s.output.both.Write(p)
	return s.own.Write(p)
}
