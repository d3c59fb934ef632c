package acceptance

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
)

// Never is for a version of a program that is not in sight.
const Never = 1 << 30

// AtLeast reports whether the program is OpenTofu 1.<tofu> or Terraform 1.<terraform>, or newer.
func AtLeast(t *testing.T, cli *cli.CLI, tofu, terraform int) bool {
	t.Helper()
	result := Run(t, cli, "version")
	found := programVersion.FindStringSubmatch(result.Stdout)
	if found == nil {
		t.Fatalf("which program is this?\n%s", result.Output)
	}
	minor, err := strconv.Atoi(found[2])
	if err != nil {
		t.Fatal(err)
	}
	if found[1] == "OpenTofu" {
		return minor >= tofu
	}
	return minor >= terraform
}

var programVersion = regexp.MustCompile(`^(OpenTofu|Terraform) v1\.(\d+)\.`)

// Run runs the program, which must succeed.
func Run(t *testing.T, cli *cli.CLI, arguments ...string) cli.Result {
	t.Helper()
	result := cli.Run(t, arguments...)
	if result.ExitCode != 0 {
		t.Fatalf("%s: exit code %d\n%s", strings.Join(arguments, " "), result.ExitCode, result.Output)
	}
	return result
}

// WriteFile writes a file of a configuration.
func WriteFile(t *testing.T, cli *cli.CLI, name, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(cli.Folder, name), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
