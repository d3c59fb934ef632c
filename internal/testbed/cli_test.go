package testbed

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

const claimConfig = `
terraform {
  required_providers {
    hap = { source = "hap-project/hap" }
  }
}
provider "hap" {
  namespace = "%s"
}
resource "hap_rule_set" "rules" {
  rules      = ["aws"]
  pool_check = "off"
}
resource "hap_credentials_binding_claim" "it" {
  name           = "it"
  rule_set       = hap_rule_set.rules
  global_account = "ga-1"
  plan           = "aws"
  owner          = "test"
}
output "account" { value = hap_credentials_binding_claim.it.binding_name }
`

const claimAddress = "hap_credentials_binding_claim.it"

// newClaim is a CLI whose configuration claims an account through a proxy, as the documented service account.
func newClaim(t *testing.T) (*CLI, proxied) {
	t.Helper()
	if os.Getenv("TF_ACC") == "" {
		t.Skip("an acceptance test, it builds the provider and runs it: set TF_ACC=1 (make testacc does)")
	}
	root, err := RepositoryRoot()
	if err != nil {
		t.Fatal(err)
	}
	role, err := os.ReadFile(filepath.Join(root, "examples", "rbac", "role.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	p := newProxied(t, ProxyOptions{}, "a", "b")
	p.user = p.ns.ServiceAccount(t, "provider", role)
	c := NewCLI(t, "KUBE_CONFIG_PATH="+p.Kubeconfig(t, p.user))
	c.Write(t, fmt.Sprintf(claimConfig, p.ns.Name))
	return c, p
}

func TestCLI(t *testing.T) {
	t.Parallel()
	c, p := newClaim(t)
	if state := c.State(t); state.Len() != 0 || state.Resource(claimAddress) != nil || state.Attribute(claimAddress, "id") != nil {
		t.Errorf("before anything: %+v", state)
	}
	applied := c.Run(t, "apply", "-auto-approve")
	if applied.ExitCode != 0 || applied.Stdout == "" || !strings.Contains(applied.Output, "Apply complete!") || strings.Contains(applied.Output, "\x1b[") {
		t.Fatalf("exit code %d:\n%s", applied.ExitCode, applied.Output)
	}
	state := c.State(t)
	account, _ := state.Attribute(claimAddress, "binding_name").(string)
	expectEqual(t, []any{state.Len(), state.Outputs["account"], state.Resource(claimAddress).Tainted}, []any{2, account, false})
	expectEqual(t, p.ns.GetAccount(t, account).Labels["tenantName"], "ga-1")
	// The log of the proxy tells the provider from all others.
	patch := slices.IndexFunc(p.Log(), func(x Exchange) bool { return x.Verb == "patch" })
	if x := p.Log()[patch]; !strings.Contains(x.Client, "hap") || x.Name != account || !x.Committed() {
		t.Errorf("%+v", x)
	}
	if tainted := c.Run(t, "taint", claimAddress); tainted.ExitCode != 0 || !c.State(t).Resource(claimAddress).Tainted {
		t.Errorf("not tainted: %s", tainted.Output)
	}
	c.Setenv("TF_LOG", "INFO")
	if failed := c.Run(t, "plan", "-no-such-flag"); failed.ExitCode != 1 || failed.Stderr == "" || !strings.Contains(failed.Output, "[INFO]") {
		t.Errorf("exit code %d:\n%s", failed.ExitCode, failed.Output)
	}
}

// scripted is a CLI whose program is a shell script.
func scripted(t *testing.T, script string) *CLI {
	t.Helper()
	folder := t.TempDir()
	program := filepath.Join(folder, "program")
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	c, err := MakeCLI(folder, program, folder)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Kill reaches also what would not end by itself, and what holds the outputs open.
func TestCLIKillsTheWholeGroup(t *testing.T) {
	t.Parallel()
	running := scripted(t, "sleep 291 & echo started; wait").Start(t, "apply")
	err := poll(t.Context(), callTimeout, func(context.Context) error {
		if running.Output() != "started\n" {
			return fmt.Errorf("it says %q", running.Output())
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	running.Kill()
	expectEqual(t, running.Wait(t), Result{Stdout: "started\n", Output: "started\n", ExitCode: -1})
	expectNobody(t, running)
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
	expectEqual(t, []any{state.Len(), state.Outputs["n"], state.Attribute("a.b", "x"), state.Attribute("a.b", "y")}, []any{3, 7.0, 1.0, nil})
	expectEqual(t, state.Attribute("data.a.b[0]", "x"), 2.0)
	if inner := state.Resource(`module.m.module.n.a.b["k"]`); inner == nil || !inner.Tainted {
		t.Errorf("%+v", inner)
	}
}

// A process that is killed in a moment that a block knows leaves no process behind, and the next run goes on.
func TestCLIKills(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		block   func() *Block
		kill    func(t *testing.T, r *Running)
		code    int
		commits bool
	}{
		"all before the commit":      {BlockBefore, func(_ *testing.T, r *Running) { r.Kill() }, -1, false},
		"all after the commit":       {BlockAfter, func(_ *testing.T, r *Running) { r.Kill() }, -1, true},
		"provider before the commit": {BlockBefore, func(t *testing.T, r *Running) { t.Helper(); r.KillProvider(t) }, 1, false},
		"provider after the commit":  {BlockAfter, func(t *testing.T, r *Running) { t.Helper(); r.KillProvider(t) }, 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, p := newClaim(t)
			block := test.block()
			p.Spoil(Rule{Verb: "patch", Nth: 1, Fault: block.Fault})
			running := c.Start(t, "apply", "-auto-approve")
			held := block.Wait(t)
			test.kill(t, running)
			result := running.Wait(t)
			expectEqual(t, result.ExitCode, test.code)
			expectNobody(t, running)
			expectEqual(t, p.ns.GetAccount(t, held.Name).Labels["tenantName"] == "ga-1", test.commits)

			if again := c.Run(t, "apply", "-auto-approve"); again.ExitCode != 0 {
				t.Fatalf("exit code %d:\n%s", again.ExitCode, again.Output)
			}
			expectEqual(t, c.State(t).Attribute(claimAddress, "binding_name"), any(held.Name))
		})
	}
}

// Ctrl-C lets the command end in its own way, and the state is written.
func TestCLIInterrupt(t *testing.T) {
	t.Parallel()
	c, p := newClaim(t)
	block := BlockAfter()
	p.Spoil(Rule{Verb: "patch", Nth: 1, Fault: block.Fault})
	running := c.Start(t, "apply", "-auto-approve")
	held := block.Wait(t)
	running.Interrupt()
	err := poll(t.Context(), callTimeout, func(context.Context) error {
		if !strings.Contains(running.Output(), "Interrupt") {
			return fmt.Errorf("it says:\n%s", running.Output())
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	block.Release()
	result := running.Wait(t)
	expectNobody(t, running)
	expectEqual(t, c.State(t).Attribute(claimAddress, "binding_name"), any(held.Name))
	if result.ExitCode < 0 {
		t.Errorf("it was killed:\n%s", result.Output)
	}
	running.Interrupt() // of what has ended: nothing happens
	running.Kill()
}

// expectNobody wants nothing to be left of a command.
func expectNobody(t *testing.T, r *Running) {
	t.Helper()
	err := poll(t.Context(), callTimeout, func(ctx context.Context) error {
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
	expectEqual(t, groupOf("17 (a ) b) S 1 42 42 0"), 42)
	expectEqual(t, groupOf(""), 0)
}

func TestWithoutSettings(t *testing.T) {
	t.Parallel()
	got := withoutSettings([]string{"HOME=/root", "KUBECONFIG=x", "KUBE_HOST=x", "HAP_NAMESPACE=x", "TF_LOG=x", "PGHOST=x", "PATH=/bin"})
	if want := []string{"HOME=/root", "PATH=/bin"}; !slices.Equal(got, want) {
		t.Errorf("%q instead of %q", got, want)
	}
}
