package testbed_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/expect"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
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
func newClaim(t *testing.T) (*cli.CLI, proxied) {
	t.Helper()
	if os.Getenv("TF_ACC") == "" {
		t.Skip("an acceptance test, it builds the provider and runs it: set TF_ACC=1 (make testacc does)")
	}
	root, err := local.RepositoryRoot()
	if err != nil {
		t.Fatal(err)
	}
	role, err := os.ReadFile(filepath.Join(root, "examples", "rbac", "role.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	p := newProxied(t, fault.ProxyOptions{}, "a", "b")
	p.user = p.ns.ServiceAccount(t, "provider", role)
	c := cli.New(t, "KUBE_CONFIG_PATH="+p.Kubeconfig(t, p.user))
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
	expect.Equal(t, []any{state.Len(), state.Outputs["account"], state.Resource(claimAddress).Tainted}, []any{2, account, false})
	expect.Equal(t, p.ns.GetAccount(t, account).Labels["tenantName"], "ga-1")
	// The log of the proxy distinguishes the provider from all others.
	patch := slices.IndexFunc(p.Log(), func(x fault.Exchange) bool { return x.Verb == "patch" })
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

// A process that is killed in a moment that a block knows leaves no process behind, and the next run goes on.
func TestCLIKills(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		block   func() *fault.Block
		kill    func(t *testing.T, r *cli.Running)
		code    int
		commits bool
	}{
		"all before the commit":      {fault.BlockBefore, func(_ *testing.T, r *cli.Running) { r.Kill() }, -1, false},
		"all after the commit":       {fault.BlockAfter, func(_ *testing.T, r *cli.Running) { r.Kill() }, -1, true},
		"provider before the commit": {fault.BlockBefore, func(t *testing.T, r *cli.Running) { t.Helper(); r.KillProvider(t) }, 1, false},
		"provider after the commit":  {fault.BlockAfter, func(t *testing.T, r *cli.Running) { t.Helper(); r.KillProvider(t) }, 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, p := newClaim(t)
			block := test.block()
			p.Spoil(fault.Rule{Verb: "patch", Nth: 1, Fault: block.Fault})
			running := c.Start(t, "apply", "-auto-approve")
			held := block.Wait(t)
			test.kill(t, running)
			result := running.Wait(t)
			expect.Equal(t, result.ExitCode, test.code)
			running.ExpectNothingLeft(t)
			expect.Equal(t, p.ns.GetAccount(t, held.Name).Labels["tenantName"] == "ga-1", test.commits)

			if again := c.Run(t, "apply", "-auto-approve"); again.ExitCode != 0 {
				t.Fatalf("exit code %d:\n%s", again.ExitCode, again.Output)
			}
			expect.Equal(t, c.State(t).Attribute(claimAddress, "binding_name"), any(held.Name))
		})
	}
}

// Ctrl-C lets the command end in its own way, and the state is written.
func TestCLIInterrupt(t *testing.T) {
	t.Parallel()
	c, p := newClaim(t)
	block := fault.BlockAfter()
	p.Spoil(fault.Rule{Verb: "patch", Nth: 1, Fault: block.Fault})
	running := c.Start(t, "apply", "-auto-approve")
	held := block.Wait(t)
	running.Interrupt()
	err := local.Poll(t.Context(), time.Minute, func(context.Context) error {
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
	running.ExpectNothingLeft(t)
	expect.Equal(t, c.State(t).Attribute(claimAddress, "binding_name"), any(held.Name))
	if result.ExitCode < 0 {
		t.Errorf("it was killed:\n%s", result.Output)
	}
	running.Interrupt() // of what has ended: nothing happens
	running.Kill()
}
