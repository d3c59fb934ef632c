package acceptance

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
)

// Folder is a folder in which the configuration of a landscape is applied.
func (l Landscape) Folder(t *testing.T) *cli.CLI {
	t.Helper()
	return cli.New(t, "HOME="+t.TempDir())
}

// Configure replaces the main file of a folder. The settings are further ones of the provider.
func (l Landscape) Configure(t *testing.T, c *cli.CLI, config string, settings ...string) {
	t.Helper()
	settings = append(settings, "multi_account = {\n allowed_global_accounts = [\"*\"]\n limits = { default = 9 }\n}")
	WriteFile(t, c, "main.tf", "terraform {\n  required_providers {\n    hap = { source = \"hap-project/hap\" }\n  }\n}\n"+
		l.Provider(settings...)+config)
}

// ImportConfig writes the configuration that takes a landscape over into a folder, and leaves nothing else there.
func (l Landscape) ImportConfig(t *testing.T, c *cli.CLI, filter string, settings ...string) string {
	t.Helper()
	l.Configure(t, c, fmt.Sprintf("data \"hap_pool_status\" \"now\" {\n%s\n}\noutput \"config\" { value = "+
		"data.hap_pool_status.now.import_config }\n", filter), settings...)
	Run(t, c, "apply", "-auto-approve")
	text := Run(t, c, "output", "-raw", "config").Stdout
	l.Configure(t, c, "", settings...)
	Run(t, c, "apply", "-auto-approve") // the output goes
	WriteFile(t, c, "import.tf", text)
	Run(t, c, "fmt", "-check", "-diff", "import.tf")
	return text
}

// TakenOver applies what takes a landscape over, and plans again: there is nothing left to do.
func (l Landscape) TakenOver(t *testing.T, c *cli.CLI, resources int) {
	t.Helper()
	applied := Run(t, c, "apply", "-auto-approve").Output
	if want := fmt.Sprintf("%d imported", resources); !strings.Contains(applied, want) || !strings.Contains(applied, " 0 added") ||
		!strings.Contains(applied, " 0 destroyed") {
		t.Errorf("no %q in\n%s", want, applied)
	}
	if again := c.Run(t, "plan", "-detailed-exitcode"); again.ExitCode != 0 {
		t.Errorf("the plan after it is not empty (exit code %d):\n%s", again.ExitCode, again.Output)
	}
}
