package scenarios

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
)

// programs are the paths of OpenTofu and, where it is on the PATH, Terraform.
func programs(t *testing.T) map[string]string {
	t.Helper()
	root, err := local.RepositoryRoot()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{"tofu": filepath.Join(root, "bin", "tools", "tofu")}
	if terraform, err := exec.LookPath("terraform"); err == nil {
		all["terraform"] = terraform
	}
	return all
}

// configureFor is configure for one program.
func (s stage) configureFor(t *testing.T, program string) configuration {
	t.Helper()
	cli, err := cli.Make(t.TempDir(), program, cli.Provider(t))
	if err != nil {
		t.Fatal(err)
	}
	kubeconfig := s.proxy.Kubeconfig(t, s.user)
	cli.Setenv("KUBE_CONFIG_PATH", kubeconfig)
	return configuration{cli, s, kubeconfig, map[string]standing{}}
}
