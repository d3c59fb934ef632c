package cli

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/expect"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
)

// scripted is a CLI whose program is a shell script.
func scripted(t *testing.T, script string) *CLI {
	t.Helper()
	folder := t.TempDir()
	program := filepath.Join(folder, "program")
	if err := local.WriteProgram(program, "#!/bin/sh\n"+script+"\n"); err != nil {
		t.Fatal(err)
	}
	c, err := Make(folder, program, folder)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Kill reaches also what would not end by itself, and what holds the outputs open.
func TestCLIKillsTheWholeGroup(t *testing.T) {
	t.Parallel()
	running := scripted(t, "sleep 291 & echo started; wait").Start(t, "apply")
	err := local.Poll(t.Context(), time.Minute, func(context.Context) error {
		if running.Output() != "started\n" {
			return fmt.Errorf("it says %q", running.Output())
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	running.Kill()
	expect.Equal(t, running.Wait(t), Result{Stdout: "started\n", Output: "started\n", ExitCode: -1})
	running.ExpectNothingLeft(t)
}

func TestCLIStateHoldsAllModules(t *testing.T) {
	t.Parallel()
	c := scripted(t, "exit 1")
	text := `{"version":4,"outputs":{"n":{"value":7}},"resources":[
		{"mode":"managed","type":"a","name":"b","instances":[{"attributes":{"x":1}}]},
		{"mode":"data","type":"a","name":"b","instances":[{"index_key":0,"attributes":{"x":2}}]},
		{"mode":"managed","module":"module.m.module.n","type":"a","name":"b","instances":[
			{"index_key":"k","status":"tainted"},{"index_key":"k","deposed":"00000001","attributes":{"x":3}}]}]}`
	if err := os.WriteFile(filepath.Join(c.Folder, "terraform.tfstate"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	state := c.State(t)
	expect.Equal(t, []any{state.Len(), state.Outputs["n"], state.Attribute("a.b", "x"), state.Attribute("a.b", "y")}, []any{3, 7.0, 1.0, nil})
	expect.Equal(t, state.Attribute("data.a.b[0]", "x"), 2.0)
	if inner := state.Resource(`module.m.module.n.a.b["k"]`); inner == nil || !inner.Tainted {
		t.Errorf("%+v", inner)
	}
}

func TestProcessGroup(t *testing.T) {
	t.Parallel()
	lists := []func(context.Context, int) ([]process, error){processGroup}
	if _, err := exec.LookPath("ps"); err == nil {
		lists = append(lists, processGroupByPS)
	}
	for _, list := range lists {
		members, err := list(t.Context(), syscall.Getpgrp())
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(members, func(p process) bool { return p.pid == os.Getpid() && p.program == os.Args[0] }) {
			t.Errorf("this process is not among %+v", members)
		}
	}
	expect.Equal(t, groupOf("17 (a ) b) S 1 42 42 0"), 42)
	expect.Equal(t, groupOf(""), 0)
}

func TestWithoutSettings(t *testing.T) {
	t.Parallel()
	got := withoutSettings([]string{"HOME=/root", "KUBECONFIG=x", "KUBE_HOST=x", "HAP_NAMESPACE=x", "TF_LOG=x", "PGHOST=x", "PATH=/bin"})
	if want := []string{"HOME=/root", "PATH=/bin"}; !slices.Equal(got, want) {
		t.Errorf("%q instead of %q", got, want)
	}
}
