package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
)

// goTest runs tests, with the overlay where there is one.
func (b *bench) goTest(ctx context.Context, tests Tests, overlay string) result {
	ctx, cancel := context.WithTimeout(ctx, b.forAll)
	defer cancel()
	args := []string{"test", "-json", "-count=1", "-failfast", "-vet=off", "-timeout", b.forTests.String(), "-run", tests.Run}
	if overlay != "" {
		args = append(args, "-overlay", overlay)
	}
	cmd := exec.CommandContext(ctx, "go", append(args, "./"+tests.Package)...)
	cmd.Dir = b.root
	cmd.Env = append(environment(tests.Garden), cli.OverlayVariable+"="+overlay) // for the provider that scenarios build
	// A group of its own, so that an end by force takes the compiler and the test program along.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 10 * time.Second
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.Output()
	if ctx.Err() != nil {
		return result{err: fmt.Errorf("ended by force: %w", context.Cause(ctx))}
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return result{err: err}
	}
	return judge(stdout, stderr.String(), err != nil)
}

// complaint is the first line of the compiler's output that says what is wrong.
func complaint(output string) string {
	for line := range strings.Lines(output) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") { // that names the package
			return line
		}
	}
	return "the compiler does not say why"
}

// environment is this program's own, with or without what turns on acceptance tests.
func environment(garden bool) []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "TF_ACC=") })
	if garden {
		env = append(env, "TF_ACC=1")
	}
	return env
}

// event is one line of what go test -json prints, see go doc test2json.
type event struct{ Action, Test, Output string }

// judge finds out of the output of go test which test failed first. A bug that does not compile, and tests of which not
// one ran, say nothing.
func judge(output []byte, stderr string, failed bool) result {
	var compiler strings.Builder
	var open []string // tests that have begun and not ended
	passed := false
	decoder := json.NewDecoder(bytes.NewReader(output))
	for {
		var e event
		if decoder.Decode(&e) != nil {
			break
		}
		switch {
		case e.Action == "build-output":
			compiler.WriteString(e.Output)
		case e.Action == "build-fail":
			return result{err: fmt.Errorf("it does not compile: %s", complaint(compiler.String()))}
		case e.Test == "":
		case e.Action == "run":
			open = append(open, e.Test)
		case e.Action == "fail":
			return result{caughtBy: e.Test}
		case e.Action == "pass", e.Action == "skip":
			passed = passed || e.Action == "pass"
			open = slices.DeleteFunc(open, func(name string) bool { return name == e.Test })
		}
	}
	switch {
	case failed && len(open) > 0: // the test program died, or ran out of time
		return result{caughtBy: open[len(open)-1] + ", which did not end"}
	case failed:
		return result{err: fmt.Errorf("go test failed, but no test did: %s", strings.TrimSpace(stderr))}
	case !passed:
		return result{err: errors.New("no test ran: none has such a name, or all were skipped")}
	}
	return result{}
}
