package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"k8s.io/client-go/rest"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

const (
	providerPrefix  = "terraform-provider-"
	providerProgram = providerPrefix + "hap"
	// commandTimeout is three times what OpenTofu needs to destroy 5,000 objects.
	commandTimeout = 30 * time.Minute
	commandGrace   = 30 * time.Second
)

// place is where a configuration is applied.
type place struct {
	server *testbed.Garden
	// variable of the environment names the kubeconfig of the user, which is written for a connection that is led elsewhere.
	variable   string
	kubeconfig func(lead func(*rest.Config)) (path string, err error)
}

// applied is a configuration of n objects, of which each command of tofu is measured.
type applied struct {
	place
	configuration string
	// kubernetes is the program of hashicorp/kubernetes, where the configuration is one for it.
	kubernetes string
	// parallelism is how many objects the commands work on at a time; 0 = as many as the CLI does by itself.
	parallelism int
}

// arguments are those of a step.
func (a applied) arguments(of []string) []string {
	if a.parallelism == 0 {
		return of
	}
	return append(slices.Clone(of), fmt.Sprintf("-parallelism=%d", a.parallelism))
}

// subject says how the commands are measured in a folder of their own.
func (a applied) subject(what, root string) *subject {
	return &subject{what: what, run: func(ctx context.Context, watched bool) (found []row, err error) {
		t, err := a.tofu(root, watched)
		if err != nil {
			return nil, err
		}
		defer t.close()
		for _, step := range steps {
			now, err := t.run(ctx, a.arguments(step.arguments)...)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", what, err)
			}
			found = append(found, now)
		}
		return found, nil
	}}
}

// tofu runs commands as the user of a landscape. A proxy counts the requests where it is watched.
type tofu struct {
	*cli.CLI
	proxy *fault.Proxy
}

func (a applied) tofu(root string, watched bool) (*tofu, error) {
	folder, err := a.server.Scratch("claims")
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(folder, "main.tf"), []byte(a.configuration), 0o600); err != nil {
		return nil, err
	}
	binaries := filepath.Join(root, "bin")
	if _, err := os.Stat(filepath.Join(binaries, providerProgram)); err != nil {
		return nil, fmt.Errorf("%w; build it with `make build`", err)
	}
	cli, err := cli.Make(folder, filepath.Join(binaries, "tools", "tofu"), binaries)
	if err != nil {
		return nil, err
	}
	if a.kubernetes != "" {
		if err := useRival(folder, filepath.Join(folder, ".terraformrc"), a.kubernetes); err != nil {
			return nil, err
		}
	}
	t, lead := &tofu{CLI: cli}, func(*rest.Config) {}
	if watched {
		if t.proxy, err = fault.MakeProxy(a.server, fault.ProxyOptions{}); err != nil {
			return nil, err
		}
		lead = t.proxy.Through
	}
	kubeconfig, err := a.kubeconfig(lead)
	if err != nil {
		t.close()
		return nil, err
	}
	cli.Setenv(a.variable, kubeconfig)
	return t, nil
}

func (t *tofu) close() {
	if t.proxy != nil {
		t.proxy.Close()
	}
}

// run measures one command: the processor time is that of tofu and all providers that it has started.
func (t *tofu) run(ctx context.Context, arguments ...string) (found row, err error) {
	ctx, cancel := context.WithTimeout(ctx, commandTimeout)
	defer cancel()
	var output bytes.Buffer
	cmd := t.Command(ctx, arguments...)
	cmd.Stdout, cmd.Stderr = &output, &output
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // so that tofu stops the provider
	cmd.WaitDelay = commandGrace
	peak, seen := func() int64 { return 0 }, 0
	if t.proxy != nil {
		seen = len(t.proxy.Log())
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return found, err
	}
	if t.proxy != nil {
		peak = watchProvider(cmd.Process.Pid)
	}
	found.ProviderCPU = childrenCPU(cmd.Process.Pid)
	err = cmd.Wait()
	found.Wall, found.PeakMemory = time.Since(began), peak()
	if err != nil {
		return found, fmt.Errorf("tofu %s: %w\n%s", strings.Join(arguments, " "), errors.Join(context.Cause(ctx), err), output.Bytes())
	}
	found.CPU = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	if t.proxy != nil {
		log := t.proxy.Log()[seen:]
		found.Requests, found.Details = len(log), byVerb(log)
	}
	return found, nil
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
