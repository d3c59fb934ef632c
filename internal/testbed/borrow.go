package testbed

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/client-go/tools/clientcmd"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
)

// LentVariable names the environment variable that holds the path of a file which [Garden.Lend] has written. Where it is
// set, [Shared] uses that Garden and starts none.
const LentVariable = "HAP_TESTBED_GARDEN"

// lent is the content of the file: all that a borrower cannot ask the API for.
type lent struct {
	Kubeconfig        []byte
	KubernetesVersion string
	GardenerVersion   string
	Clusters          local.Authority
}

// Lend lets other processes use this Garden for as long as it runs. The caller passes the path on in [LentVariable].
func (g *Garden) Lend() (path string, err error) {
	content, err := g.Kubeconfig("default")
	if err != nil {
		return "", err
	}
	file, err := json.Marshal(lent{Kubeconfig: content, KubernetesVersion: g.kubernetesVersion, GardenerVersion: g.gardenerVersion,
		Clusters: g.clusters})
	if err != nil {
		return "", err
	}
	path = filepath.Join(g.dir, "lent.json")
	return path, os.WriteFile(path, file, 0o600)
}

// borrow uses the Garden of another process. To stop it removes this process's scratch folders and leaves the Garden running.
func borrow(path string) (_ *Garden, err error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%s names a Garden that does not run: %w", LentVariable, err)
	}
	var from lent
	if err := json.Unmarshal(content, &from); err != nil {
		return nil, fmt.Errorf("reading the connection of %s: %w", path, err)
	}
	g := &Garden{kubernetesVersion: from.KubernetesVersion, gardenerVersion: from.GardenerVersion, clusters: from.Clusters}
	// Two processes that use one Garden begin at different numbers, so that they seldom try a name that is taken.
	g.namespaces.Store(int64(os.Getpid()) * 97 % 40_000)
	if g.admin, err = clientcmd.RESTConfigFromKubeConfig(from.Kubeconfig); err != nil {
		return nil, fmt.Errorf("reading the connection of %s: %w", path, err)
	}
	base := baseConfig()
	g.admin.QPS, g.admin.Timeout, g.admin.UserAgent, g.admin.WarningHandler = base.QPS, base.Timeout, base.UserAgent, base.WarningHandler
	if g.client, err = newClient(g.admin); err != nil {
		return nil, err
	}
	if g.dir, err = os.MkdirTemp("", "hap-garden-"); err != nil {
		return nil, err
	}
	if g.watchdog, err = local.StartWatchdog(g.dir); err != nil {
		return nil, errors.Join(err, os.RemoveAll(g.dir))
	}
	return g, nil
}
