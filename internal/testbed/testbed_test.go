package testbed

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/expect"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
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
	expect.ChildStarted(g.dir)
	return 0
}

func TestKilledProcessLeavesNothing(t *testing.T) {
	t.Parallel()
	cmd, dir := expect.Child(t, childVariable)
	// Three programs and the watchdog.
	if found := expect.ProcessesNaming(t, dir); len(found) != 4 {
		t.Errorf("%d processes instead of 4:\n%s", len(found), strings.Join(found, "\n"))
	}

	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	expect.NothingLeft(t, dir)
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
	expect.NothingLeft(t, g.dir)
}

func TestStartSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	_, err := Start(t.Context(), Options{Binaries: t.TempDir()})
	expect.Error(t, err, "make tools", "etcd, kube-apiserver, gardener-apiserver")
}

func TestStartShowsTheLogOfAFailingProgram(t *testing.T) {
	t.Parallel()
	folder := brokenBinaries(t, "echo 'no such luck' >&2; exit 1")
	_, err := Start(t.Context(), Options{Binaries: folder})
	expect.Error(t, err, "etcd did not start", "no such luck")
}

func TestStartTriesAgainWhenAPortIsTaken(t *testing.T) {
	t.Parallel()
	folder := brokenBinaries(t, `echo start >>"$0.count"; echo 'bind: address already in use'; exit 1`)
	_, err := Start(t.Context(), Options{Binaries: folder})
	if !errors.Is(err, local.ErrPortTaken) {
		t.Errorf("not recognised: %v", err)
	}
	starts, err := os.ReadFile(filepath.Join(folder, "etcd.count"))
	if got := strings.Count(string(starts), "start"); err != nil || got != 3 {
		t.Errorf("%d starts instead of %d (%v)", got, 3, err)
	}
}

func TestStartGivesUpInTime(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	began := time.Now()
	// A program that never answers, with a child of its own.
	const silent = "sleep 297"
	_, err := Start(t.Context(), Options{Timeout: time.Second, Binaries: brokenBinaries(t, silent+"; exit 1")})
	expect.Error(t, err, "etcd did not start", context.DeadlineExceeded.Error())
	if took := time.Since(began); took > time.Minute {
		t.Errorf("it took %s", took)
	}
	if left, _ := filepath.Glob(filepath.Join(temp, "hap-garden-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if left := expect.ProcessesNaming(t, silent); len(left) > 0 {
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
		if err := local.WriteProgram(filepath.Join(folder, name), script); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}
