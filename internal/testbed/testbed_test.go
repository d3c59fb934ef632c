package testbed

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// childVariable makes this test binary start a Garden and wait to be killed.
const childVariable = "HAP_TESTBED_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		os.Exit(child())
	}
	os.Exit(Main(m))
}

// child starts a Garden, names its folder and hangs until its parent is gone.
func child() int {
	g, err := Start(context.Background(), Options{})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println(g.dir)
	_, _ = io.Copy(io.Discard, os.Stdin)
	return 0
}

func TestKilledProcessLeavesNothing(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childVariable+"=1")
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	output, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line := make(chan string, 1)
	go func() {
		text, _ := bufio.NewReader(output).ReadString('\n')
		line <- strings.TrimSpace(text)
	}()
	var dir string
	select {
	case dir = <-line:
	case <-time.After(time.Minute):
		t.Fatal("the child did not start its Garden")
	}
	if _, err := os.Stat(dir); err != nil {
		t.Fatalf("the child names no folder: %q", dir)
	}
	// Three programs and the watchdog.
	if found := processesNaming(t, dir); len(found) != 4 {
		t.Errorf("%d processes instead of 4:\n%s", len(found), strings.Join(found, "\n"))
	}

	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	expectNothingLeft(t, dir)
}

func TestStopLeavesNothing(t *testing.T) {
	t.Parallel()
	g, err := Start(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := g.Stop(); err != nil {
			t.Errorf("Stop: %v", err)
		}
	}
	expectNothingLeft(t, g.dir)
}

func TestStartSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	_, err := Start(t.Context(), Options{Binaries: t.TempDir()})
	expectError(t, err, "make tools", "etcd, kube-apiserver, gardener-apiserver")
}

func TestStartShowsTheLogOfAFailingProgram(t *testing.T) {
	t.Parallel()
	folder := brokenBinaries(t, "echo 'no such luck' >&2; exit 1")
	_, err := Start(t.Context(), Options{Binaries: folder})
	expectError(t, err, "etcd did not start", "no such luck")
}

func TestStartTriesAgainWhenAPortIsTaken(t *testing.T) {
	t.Parallel()
	folder := brokenBinaries(t, `echo start >>"$0.count"; echo 'bind: address already in use'; exit 1`)
	_, err := Start(t.Context(), Options{Binaries: folder})
	if !errors.Is(err, errPortTaken) {
		t.Errorf("not recognised: %v", err)
	}
	starts, err := os.ReadFile(filepath.Join(folder, "etcd.count"))
	if got := strings.Count(string(starts), "start"); err != nil || got != startAttempts {
		t.Errorf("%d starts instead of %d (%v)", got, startAttempts, err)
	}
}

func TestStartGivesUpInTime(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	began := time.Now()
	// A program that never answers, with a child of its own.
	const silent = "sleep 297"
	_, err := Start(t.Context(), Options{Timeout: time.Second, Binaries: brokenBinaries(t, silent+"; exit 1")})
	expectError(t, err, "etcd did not start", context.DeadlineExceeded.Error())
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it took %s", took)
	}
	if left, _ := filepath.Glob(filepath.Join(temp, "hap-garden-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if left := processesNaming(t, silent); len(left) > 0 {
		t.Errorf("still running: %v", left)
	}
}

func TestVersions(t *testing.T) {
	t.Parallel()
	g := Shared(t)
	if !strings.HasPrefix(g.GardenerVersion(), "v1.") {
		t.Errorf("gardener-apiserver %q", g.GardenerVersion())
	}
	if !strings.HasPrefix(g.KubernetesVersion(), "v1.") {
		t.Errorf("kube-apiserver %q", g.KubernetesVersion())
	}
}

// brokenBinaries makes programs that only do what the shell commands say.
func brokenBinaries(t *testing.T, commands string) string {
	t.Helper()
	folder := t.TempDir()
	for _, name := range []string{"etcd", "kube-apiserver", "gardener-apiserver"} {
		// envtest asks for flags first.
		script := fmt.Sprintf("#!/bin/sh\n[ \"$1\" = --help ] && exit 0\n%s\n", commands)
		if err := os.WriteFile(filepath.Join(folder, name), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func expectError(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the error does not contain %q:\n%v", part, err)
		}
	}
}

// expectNothingLeft waits until no process names the folder and the folder is gone.
func expectNothingLeft(t *testing.T, dir string) {
	t.Helper()
	err := poll(context.Background(), 20*time.Second, func(context.Context) error {
		if found := processesNaming(t, dir); len(found) > 0 {
			return fmt.Errorf("still running:\n%s", strings.Join(found, "\n"))
		}
		if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("%s still exists", dir)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// processesNaming lists the command lines that contain the text.
func processesNaming(t *testing.T, text string) []string {
	t.Helper()
	var found []string
	paths, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range paths {
		// A process that ended in the meantime has no command line any more.
		content, _ := os.ReadFile(path)
		if line := strings.ReplaceAll(string(content), "\x00", " "); strings.Contains(line, text) {
			found = append(found, line)
		}
	}
	if len(paths) > 0 {
		return found
	}
	output, err := exec.CommandContext(t.Context(), "ps", "-axww", "-o", "command=").Output()
	if err != nil {
		t.Fatalf("listing the processes: %v", err)
	}
	for line := range strings.Lines(string(output)) {
		if strings.Contains(line, text) {
			found = append(found, line)
		}
	}
	return found
}
