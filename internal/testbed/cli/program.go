package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"k8s.io/apimachinery/pkg/util/version"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
)

const (
	programVariable = "TF_ACC_TERRAFORM_PATH"
	// versionTimeout bounds the question for a version.
	versionTimeout = 30 * time.Second
)

// oldest is the oldest OpenTofu and the oldest Terraform that know write-only attributes, which claims have.
var oldest = version.MustParseSemantic("1.11.0")

// Program is an OpenTofu or a Terraform of this machine that is new enough for the provider.
type Program struct {
	// Name is tofu or terraform.
	Name string
	// Path leads to the program.
	Path string
	// Version, for example 1.12.6.
	Version string
}

// String names the program in one line of a log.
func (p Program) String() string { return fmt.Sprintf("%s %s (%s)", p.Name, p.Version, p.Path) }

// Installed is the first of these names on the PATH that is new enough: 1.11. The error says of each why it is not.
func Installed(ctx context.Context, names ...string) (Program, error) {
	var reasons []error
	for _, name := range names {
		path, err := exec.LookPath(name)
		if err != nil {
			reasons = append(reasons, fmt.Errorf("no %s on the PATH", name))
			continue
		}
		program, err := ProgramAt(ctx, path)
		if err == nil {
			return program, nil
		}
		reasons = append(reasons, err)
	}
	return Program{}, errors.Join(reasons...)
}

// ProgramAt is the program of a path. It is an error if it does not print its version, or is older than 1.11.
func ProgramAt(ctx context.Context, path string) (Program, error) {
	ctx, cancel := context.WithTimeout(ctx, versionTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "version", "-json")
	// A configuration file of the user, above all one that is missing, may put a warning ahead of the version.
	cmd.Env = append(withoutSettings(os.Environ()), "TF_CLI_CONFIG_FILE="+os.DevNull, "CHECKPOINT_DISABLE=1")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	cmd.WaitDelay = outputGrace
	output, err := cmd.Output()
	if err != nil {
		return Program{}, fmt.Errorf("%s version: %w\n%s", path, errors.Join(context.Cause(ctx), err), stderr.Bytes())
	}
	var answer struct {
		Version string `json:"terraform_version"` // OpenTofu calls it so too
	}
	if err := json.Unmarshal(output, &answer); err != nil {
		return Program{}, fmt.Errorf("%s version -json: %w\n%s", path, err, output)
	}
	parsed, err := version.ParseSemantic(answer.Version)
	if err != nil {
		return Program{}, fmt.Errorf("%s version -json: %w", path, err)
	}
	if parsed.LessThan(oldest) {
		return Program{}, fmt.Errorf("%s is version %s, and the provider needs %s", path, answer.Version, oldest)
	}
	return Program{Name: filepath.Base(path), Path: path, Version: answer.Version}, nil
}

// findProgram is the program of the tests.
func findProgram() (string, error) {
	if program := os.Getenv(programVariable); program != "" {
		return program, nil
	}
	root, err := local.RepositoryRoot()
	if err != nil {
		return "", err
	}
	tofu := filepath.Join(root, "bin", "tools", "tofu")
	if _, err := os.Stat(tofu); err == nil {
		return tofu, nil
	}
	terraform, err := exec.LookPath("terraform")
	if err != nil {
		return "", errors.New("there is neither bin/tools/tofu nor terraform on the PATH; build tofu with `make tools`")
	}
	return terraform, nil
}
