package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

const (
	providerProgram = "terraform-provider-hap"
	commandTimeout  = 15 * time.Minute
	commandGrace    = 30 * time.Second
	// spare is how many accounts there are beside those that the claims take.
	spare = 20
)

// configuration is n claims of one pool, each for a Global Account of its own: every claim takes a new account.
const configuration = `terraform {
  required_providers {
    hap = { source = "hap-project/hap" }
  }
}

provider "hap" {}

resource "hap_rule_set" "this" {
  rules = [%[2]q]
}

resource "hap_credentials_binding_claim" "this" {
  for_each = toset([for i in range(%[1]d) : tostring(i)])

  name            = "cluster-${each.key}"
  rule_set        = hap_rule_set.this
  global_account  = "new-tenant-${each.key}"
  plan            = "aws"
  platform_region = "cf-eu10"
  cluster_name    = "cluster-${each.key}"
}
`

// measureClaims measures the provider under tofu: many claims in one apply, the plan that follows, and, where the large
// landscapes were made anyway, one claim in each of them.
func (b *bench) measureClaims(ctx context.Context) error {
	for i, n := range b.claims {
		l, err := b.settle(ctx, fmt.Sprintf("claims-%d", i), n+spare, 20)
		if err != nil {
			return err
		}
		if err := b.claim(ctx, l, n); err != nil {
			return err
		}
	}
	for _, l := range b.landscapes {
		if err := b.claim(ctx, l, 1); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) claim(ctx context.Context, l *landscape, n int) error {
	t, err := b.tofu(l, n)
	if err != nil {
		return err
	}
	defer t.proxy.Close()
	where := fmt.Sprintf("%s, %s", counted(n, "claim"), l)
	tell("applying %s", where)
	m, requests, err := t.run(ctx, "apply", "-auto-approve", "-input=false")
	if err != nil {
		return err
	}
	b.add(where+": apply", m, requests)
	tell("planning %s", where)
	m, requests, err = t.run(ctx, "plan", "-detailed-exitcode", "-input=false") // fails where something would change
	if err != nil {
		return err
	}
	b.add(where+": plan without changes", m, requests)
	return nil
}

// tofu runs commands as the user of a landscape, through a proxy that counts.
type tofu struct {
	*cli.CLI
	proxy *fault.Proxy
}

func (b *bench) tofu(l *landscape, claims int) (*tofu, error) {
	folder, err := l.Garden().Scratch("claims")
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(folder, "main.tf"), fmt.Appendf(nil, configuration, claims, hyperscalerType), 0o600); err != nil {
		return nil, err
	}
	binaries := filepath.Join(b.root, "bin")
	if _, err := os.Stat(filepath.Join(binaries, providerProgram)); err != nil {
		return nil, fmt.Errorf("%w; build it with `make build`", err)
	}
	cli, err := cli.Make(folder, filepath.Join(binaries, "tools", "tofu"), binaries)
	if err != nil {
		return nil, err
	}
	proxy, err := fault.MakeProxy(l.Garden(), fault.ProxyOptions{})
	if err != nil {
		return nil, err
	}
	kubeconfig, err := proxy.WriteKubeconfig(l.user)
	if err != nil {
		proxy.Close()
		return nil, err
	}
	cli.Setenv("KUBE_CONFIG_PATH", kubeconfig)
	return &tofu{cli, proxy}, nil
}

// run measures one command: the peak of memory is the provider's, the processor time that of tofu and the provider.
func (t *tofu) run(ctx context.Context, arguments ...string) (m measurement, requests string, err error) {
	ctx, cancel := context.WithTimeout(ctx, commandTimeout)
	defer cancel()
	var output bytes.Buffer
	cmd := t.Command(ctx, arguments...)
	cmd.Stdout, cmd.Stderr = &output, &output
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // so that tofu stops the provider
	cmd.WaitDelay = commandGrace
	before := len(t.proxy.Log())
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return m, "", err
	}
	peak := watchProvider(cmd)
	err = cmd.Wait()
	m.Wall, m.PeakMemory = time.Since(began), peak()
	if err != nil {
		return m, "", fmt.Errorf("tofu %s: %w\n%s", strings.Join(arguments, " "), errors.Join(context.Cause(ctx), err), output.Bytes())
	}
	m.CPU = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	log := t.proxy.Log()[before:]
	m.Requests = len(log)
	return m, byVerb(log), nil
}

// watchProvider looks at the memory of the provider until the returned function is called.
func watchProvider(cmd *exec.Cmd) (peak func() int64) {
	const interval = 20 * time.Millisecond
	stop, result := make(chan struct{}), make(chan int64)
	go func() {
		var most int64
		for {
			most = max(most, providerMemory(cmd.Process.Pid))
			select {
			case <-time.After(interval):
			case <-stop:
				result <- most
				return
			}
		}
	}()
	return func() int64 {
		close(stop)
		return <-result
	}
}

// byVerb says what the requests were for.
func byVerb(log []fault.Exchange) string {
	counts := map[string]int{}
	for _, x := range log {
		counts[x.Verb+" "+x.Resource]++
	}
	var said []string
	for _, what := range slices.Sorted(maps.Keys(counts)) {
		said = append(said, fmt.Sprintf("%d %s", counts[what], what))
	}
	return strings.Join(said, ", ")
}
