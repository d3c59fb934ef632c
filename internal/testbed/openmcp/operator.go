package openmcp

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
)

const (
	operatorProgram   = "openmcp-operator"
	operatorNamespace = "openmcp-system"
)

// StartOperator starts the operator with the scheduler's configuration, and returns once it is healthy. One that runs is ended first.
func (p *Platform) StartOperator(ctx context.Context, landscape Landscape) error {
	folder, err := p.cluster.Scratch("operator")
	if err != nil {
		return err
	}
	kubeconfig := filepath.Join(folder, "kubeconfig")
	if err := p.cluster.WriteKubeconfig(kubeconfig, operatorNamespace); err != nil {
		return err
	}
	return p.StartOperatorAs(ctx, landscape, kubeconfig)
}

// StartOperatorAs is StartOperator with the connection of a kubeconfig, say through a proxy.
func (p *Platform) StartOperatorAs(ctx context.Context, landscape Landscape, kubeconfig string) error {
	if err := p.KillOperator(); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	folder, err := p.cluster.Scratch("operator")
	if err != nil {
		return err
	}
	config, err := landscape.Config()
	if err != nil {
		return err
	}
	configFile := filepath.Join(folder, "config.yaml")
	if err := os.WriteFile(configFile, config, 0o600); err != nil {
		return err
	}
	ports, err := local.FreePorts(1)
	if err != nil {
		return err
	}
	probe := local.Address(ports[0])
	p.operator, err = p.cluster.StartProgram(operatorProgram, []string{"POD_NAMESPACE=" + operatorNamespace},
		"run", "--controllers", "scheduler,accessrequest", "--environment", Environment,
		"--kubeconfig", kubeconfig, "--config", configFile, "--health-probe-bind-address", probe)
	if err != nil {
		return fmt.Errorf("starting %s (`make tools` builds it): %w", operatorProgram, err)
	}
	return p.operator.WaitUntilHealthy(ctx, &http.Client{Timeout: 5 * time.Second}, "http://"+probe+"/readyz")
}

// KillOperator ends the operator as a crash would. It does nothing where none runs.
func (p *Platform) KillOperator() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.operator == nil {
		return nil
	}
	err := p.operator.Kill()
	p.operator = nil
	return err
}
