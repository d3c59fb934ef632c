package openmcp

import (
	"context"
	"errors"
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
	kubeconfig, configFile := filepath.Join(folder, "kubeconfig"), filepath.Join(folder, "config.yaml")
	if err := errors.Join(p.cluster.WriteKubeconfig(kubeconfig, operatorNamespace), os.WriteFile(configFile, config, 0o600)); err != nil {
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
