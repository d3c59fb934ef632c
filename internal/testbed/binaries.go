package testbed

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
)

const binariesVariable = "HAP_TESTBED_BINARIES"

// findBinaries names the absolute folder of the programs, or says how to get them.
func findBinaries(folder string) (string, error) {
	if folder == "" {
		folder = os.Getenv(binariesVariable)
	}
	if folder == "" {
		root, err := local.RepositoryRoot()
		if err != nil {
			return "", fmt.Errorf("%w; set %s to the folder that `make tools` fills", err, binariesVariable)
		}
		folder = filepath.Join(root, "bin", "tools")
	}
	folder, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	var missing []string
	for _, name := range []string{"etcd", "kube-apiserver", "gardener-apiserver"} {
		info, err := os.Stat(filepath.Join(folder, name))
		switch {
		case errors.Is(err, os.ErrNotExist):
			missing = append(missing, name)
		case err != nil:
			return "", err
		case info.IsDir() || info.Mode()&0o111 == 0:
			return "", fmt.Errorf("%s is not an executable file", filepath.Join(folder, name))
		}
	}
	if len(missing) > 0 {
		return "", fmt.Errorf("missing in %s: %s; build them with `make tools`", folder, strings.Join(missing, ", "))
	}
	return folder, nil
}
