package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
)

const (
	providerName     = "terraform-provider-hap"
	providerDeadline = 10 * time.Minute // a first build on a machine that has other things to do
)

// CLI runs Terraform or OpenTofu in a folder of its own, with a provider that was built before and needs no `init`.
type CLI struct {
	// Folder holds the configuration and the state.
	Folder string

	program string
	env     []string
}

// New makes a CLI for a test: a new folder, the provider of this source tree, and the program that
// $TF_ACC_TERRAFORM_PATH names, else bin/tools/tofu, else terraform on the PATH. Settings are NAME=value, such as
// KUBE_CONFIG_PATH; nothing else that concerns the provider or the program comes from the environment of the test.
func New(t testing.TB, settings ...string) *CLI {
	t.Helper()
	program, err := findProgram()
	if err != nil {
		t.Fatal(err)
	}
	c, err := Make(t.TempDir(), program, Provider(t))
	if err != nil {
		t.Fatal(err)
	}
	// Terraform and OpenTofu have this for tests: without it, each side of each start of the provider makes a key and a certificate,
	// which costs as much as all else that a short command does.
	c.Setenv("TF_DISABLE_PLUGIN_TLS", "1")
	c.env = append(c.env, settings...)
	return c
}

// Make makes a CLI for programs: in a folder that exists, with the provider that is built in another.
func Make(folder, program, provider string) (*CLI, error) {
	return configured(folder, program, Config(provider))
}

// MakeFromMirror is Make without a provider: `init` installs it from a filesystem mirror, and from nowhere else.
func MakeFromMirror(folder, program, mirror string) (*CLI, error) {
	return configured(folder, program, MirrorConfig(mirror))
}

func configured(folder, program string, text []byte) (*CLI, error) {
	config := filepath.Join(folder, ".terraformrc")
	if err := os.WriteFile(config, text, 0o600); err != nil {
		return nil, err
	}
	return &CLI{
		Folder: folder, program: program,
		env: append(withoutSettings(os.Environ()),
			"TF_CLI_CONFIG_FILE="+config,
			"TF_INPUT=0",
			"TF_IN_AUTOMATION=1",
			"CHECKPOINT_DISABLE=1",
		),
	}, nil
}

// withoutSettings drops the variables that would lead the program or the provider elsewhere.
func withoutSettings(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(variable string) bool {
		for _, prefix := range []string{"KUBE_", "KUBECONFIG=", "HAP_", "TF_", "PG"} {
			if strings.HasPrefix(variable, prefix) {
				return true
			}
		}
		return false
	})
}

// built is the provider of this test process.
var built struct {
	sync.Mutex
	folder string
	err    error
}

// Provider builds the provider of this source tree, once per test process, and returns its folder. It goes with the
// shared Garden.
func Provider(t testing.TB) string {
	t.Helper()
	g := testbed.Shared(t)
	built.Lock()
	defer built.Unlock()
	if built.folder == "" && built.err == nil {
		built.folder, built.err = buildProvider(g)
	}
	if built.err != nil {
		t.Fatal(built.err)
	}
	return built.folder
}

// OverlayVariable names the file by which the compiler reads some files of the provider from elsewhere: those with a planted bug.
const OverlayVariable = "HAP_OVERLAY"

func buildProvider(g *testbed.Garden) (string, error) {
	root, err := local.RepositoryRoot()
	if err != nil {
		return "", err
	}
	folder, err := g.Scratch("provider")
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(context.Background(), providerDeadline)
	defer cancel()
	build := exec.CommandContext(ctx, "go", "build", "-o", filepath.Join(folder, providerName), ".")
	build.Dir = root
	flags := "-buildvcs=false"
	if overlay := os.Getenv(OverlayVariable); overlay != "" {
		flags += " -overlay=" + overlay
	}
	build.Env = append(os.Environ(), "GOFLAGS="+flags)
	if output, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building the provider: %w\n%s", err, output)
	}
	return folder, nil
}

// Setenv sets a variable for the commands to come, such as TF_LOG.
func (c *CLI) Setenv(name, value string) { c.env = append(c.env, name+"="+value) }

// Write makes the configuration: main.tf with this text. It has to require the source hap-project/hap.
func (c *CLI) Write(t testing.TB, config string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(c.Folder, "main.tf"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
}

// CopyFrom takes over the configuration of a folder, without what earlier runs may have left there.
func (c *CLI) CopyFrom(from string) error {
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		switch leftover := relative != "." && strings.HasPrefix(entry.Name(), "."); {
		case leftover && entry.IsDir():
			return fs.SkipDir
		case leftover, strings.Contains(entry.Name(), ".tfstate"):
			return nil
		case entry.IsDir():
			return os.MkdirAll(filepath.Join(c.Folder, relative), 0o700)
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(c.Folder, relative), content, 0o600)
	})
}

// Command is a command of the program that leads a process group of its own, so that a signal of a terminal does not
// reach it unasked. Its output goes nowhere yet.
func (c *CLI) Command(ctx context.Context, arguments ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, c.program, append(slices.Clone(arguments), "-no-color")...)
	cmd.Dir = c.Folder
	cmd.Env = c.env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}

// Follow runs a command to its end, at most ten minutes, and writes both outputs to out as they come. When the context
// ends, the command is interrupted and may write its state.
func (c *CLI) Follow(ctx context.Context, out io.Writer, arguments ...string) error {
	ctx, cancel := context.WithTimeout(ctx, commandTimeout)
	defer cancel()
	cmd := c.Command(ctx, arguments...)
	cmd.Stdout, cmd.Stderr = out, out // the same, so that the order stays
	// Only the program is interrupted, and once: a second interrupt makes it drop its state.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = interruptGrace
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s %s: %w", filepath.Base(c.program), strings.Join(arguments, " "), errors.Join(context.Cause(ctx), err))
	}
	return nil
}

// State is the content of a state.
type State struct {
	// Outputs are the values of the outputs.
	Outputs map[string]any

	resources map[string]*StateResource
}

// StateResource is one resource, or data source, of a state.
type StateResource struct {
	Address string
	Type    string
	Tainted bool
	Values  map[string]any
}

// Resource returns a resource by its address, for example hap_credentials_binding_claim.this["a"]; nil = absent.
func (s State) Resource(address string) *StateResource { return s.resources[address] }

// Addresses lists the addresses of all resources and data sources, sorted.
func (s State) Addresses() []string { return slices.Sorted(maps.Keys(s.resources)) }

// Len is how many resources and data sources there are, in all modules.
func (s State) Len() int { return len(s.resources) }

// Attribute returns an attribute of a resource; nil when either is absent.
func (s State) Attribute(address, name string) any {
	if resource := s.resources[address]; resource != nil {
		return resource.Values[name]
	}
	return nil
}

// stateFile is what Terraform and OpenTofu write as terraform.tfstate, version 4.
type stateFile struct {
	Version int `json:"version"`
	Outputs map[string]struct {
		Value any `json:"value"`
	} `json:"outputs"`
	Resources []struct {
		Module    string `json:"module"`
		Mode      string `json:"mode"`
		Type      string `json:"type"`
		Name      string `json:"name"`
		Instances []struct {
			IndexKey   any            `json:"index_key"`
			Status     string         `json:"status"`
			Deposed    string         `json:"deposed"`
			Attributes map[string]any `json:"attributes"`
		} `json:"instances"`
	} `json:"resources"`
}

// State reads the state; without one it is empty. It reads the file and not what `show -json` says: that command starts
// the provider for its schema, and tests read the state after each step.
func (c *CLI) State(t testing.TB) State {
	t.Helper()
	s := State{Outputs: map[string]any{}, resources: map[string]*StateResource{}}
	text, err := os.ReadFile(filepath.Join(c.Folder, "terraform.tfstate"))
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(text) == 0 {
		return s
	}
	var file stateFile
	if err := cmp.Or(err, json.Unmarshal(text, &file)); err != nil || file.Version != 4 {
		t.Fatalf("reading the state: %v, version %d, want 4", err, file.Version)
	}
	for name, output := range file.Outputs {
		s.Outputs[name] = output.Value
	}
	for _, r := range file.Resources {
		address := r.Type + "." + r.Name
		if r.Mode == "data" {
			address = "data." + address
		}
		if r.Module != "" {
			address = r.Module + "." + address
		}
		for _, instance := range r.Instances {
			if instance.Deposed != "" {
				continue // what a replacement is about to destroy; the address names its successor
			}
			one := address
			if instance.IndexKey != nil {
				key, _ := json.Marshal(instance.IndexKey) // a string or a number, as it came from JSON
				one += "[" + string(key) + "]"
			}
			s.resources[one] = &StateResource{
				Address: one, Type: r.Type, Tainted: instance.Status == "tainted", Values: instance.Attributes,
			}
		}
	}
	return s
}
