package scenarios

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// F30: under ignore_changes the provider does not see the rules. A claim that exists needs none, and a request that changes does.
func TestF30RulesIgnored(t *testing.T) {
	t.Parallel()
	s := newStage(t, twoFree()...)
	c := s.configure(t, claim("blue", "ga-1", `platform_region = "cf-eu10"`))
	c.apply(t)
	before := s.versions(t)
	for _, ignored := range []string{"all", "[rule_set]"} {
		lifecycle := fmt.Sprintf("lifecycle { ignore_changes = %s }", ignored)
		c.write(t, "", claim("blue", "ga-1", `platform_region = "cf-eu10"`, lifecycle))
		result := c.Run(t, "plan", "-detailed-exitcode")
		if result.ExitCode != 0 || providerWarns(result.Output) {
			t.Errorf("ignore_changes = %s: exit code %d, want 0 for nothing to do, and no warning:\n%s", ignored, result.ExitCode, result.Output)
		}
	}
	c.write(t, "", claim("blue", "ga-1", `platform_region = "cf-eu20"`, "lifecycle { ignore_changes = [rule_set] }"))
	c.fails(t, []string{"plan"}, "Rules are missing", "(platform_region)", "ignore_changes")
	s.unwritten(t, before)
	c.write(t, "", claim("blue", "ga-1", `platform_region = "cf-eu20"`))
	c.apply(t)
	c.destroy(t)
}

// F30: the configuration that a program writes for an import is valid, and plans no change. OpenTofu, and Terraform before 1.14, pin the
// account in it: without that line the plan is the same.
func TestF30Generated(t *testing.T) {
	t.Parallel()
	s := newStage(t, twoFree()...)
	first := s.configure(t, claim("blue", "ga-1", `platform_region = "cf-eu10"`, `owner = "team"`))
	first.apply(t)
	before := s.versions(t)
	heir := s.configure(t, fmt.Sprintf("import {\n  to = %s\n  id = %q\n}\n", address("blue"), "ga-1/"+first.claimedOn(t, "blue")+"/blue"))
	heir.succeeds(t, "plan", "-generate-config-out=generated.tf")
	generated := filepath.Join(heir.Folder, "generated.tf")
	text, err := os.ReadFile(generated)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s", text)
	unpinned := ""
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(strings.TrimSpace(line), "binding_name") {
			unpinned += line
		}
	}
	for _, config := range []string{string(text), unpinned} {
		if err := os.WriteFile(generated, []byte(config), 0o600); err != nil {
			t.Fatal(err)
		}
		heir.succeeds(t, "validate")
		result := heir.Run(t, "plan", "-detailed-exitcode")
		if !strings.Contains(result.Output, "1 to import, 0 to add, 0 to change, 0 to destroy") || providerWarns(result.Output) {
			t.Errorf("the plan of the import has changes or warnings:\n%s", result.Output)
		}
	}
	heir.apply(t)
	heir.unchanged(t, before)
	first.succeeds(t, "state", "rm", address("blue"))
	heir.tell(t)
	heir.destroy(t)
}

// providerWarns reports whether the provider warns: the program itself does so once, of a provider that was built here.
func providerWarns(output string) bool { return strings.Count(output, "Warning: ") > 1 }
