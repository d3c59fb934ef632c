package local

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

const modulePath = "github.com/hap-project/terraform-provider-hap"

// RepositoryRoot is the folder of this module's go.mod, found upward from the working directory.
func RepositoryRoot() (string, error) {
	folder, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		// The nested modules of internal/tools have a go.mod too: the name decides.
		content, err := os.ReadFile(filepath.Join(folder, "go.mod"))
		if err == nil {
			first, _, _ := strings.Cut(string(content), "\n")
			if strings.TrimSpace(first) == "module "+modulePath {
				return folder, nil
			}
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			return "", fmt.Errorf("the working directory is not inside the repository of %s", modulePath)
		}
		folder = parent
	}
}
