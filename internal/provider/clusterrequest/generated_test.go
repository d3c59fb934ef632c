package clusterrequest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
)

// The configuration that an import of a request of the built-in scheduler generates is valid, and changes nothing of the request. Its purpose
// says the first of the purposes once more; any other purpose is refused.
func TestAccBuiltin_generated(t *testing.T) {
	t.Parallel()
	l := acceptance.NewPlatformLandscape(t)
	more := l.Own() + "-2"
	both := strings.NewReplacer(fmt.Sprintf("purposes = [%q]", l.Own()), fmt.Sprintf("purposes = [%q, %q]", l.Own(), more),
		"= {} }", fmt.Sprintf("= {}, %q = {} }", more)).Replace(l.ADRRequest("one", `wait_for = "granted"`))
	first := cli.New(t)
	first.Write(t, required+l.Builtin()+both)
	run(t, first, 0, "Apply complete", "apply", "-auto-approve")

	heir := cli.New(t)
	base := required + l.Builtin()
	heir.Write(t, base+fmt.Sprintf("import {\n  to = %s\n  id = \"%s/one\"\n}\n", acceptance.RequestOne, l.Namespace))
	run(t, heir, 0, "1 to import", "plan", "-generate-config-out=generated.tf")
	content, err := os.ReadFile(filepath.Join(heir.Folder, "generated.tf"))
	if err != nil {
		t.Fatal(err)
	}
	run(t, heir, 0, "1 imported, 0 added, 0 changed, 0 destroyed", "apply", "-auto-approve")
	heir.Write(t, base)
	run(t, heir, 0, "No changes", "plan", "-detailed-exitcode")

	purpose := fmt.Sprintf("= %q\n", l.Own())
	generated := string(content)
	if strings.Count(generated, purpose) != 1 {
		t.Fatalf("not one purpose in\n%s", generated)
	}
	for says, text := range map[string]string{
		"one scheduler serves a request": strings.Replace(generated, purpose, fmt.Sprintf("= %q\n", more), 1),
		"and keeps it as long as it is one": strings.NewReplacer(purpose, fmt.Sprintf("= %q\n", more),
			fmt.Sprintf("[%q, %q]", l.Own(), more), fmt.Sprintf("[%q, %q]", more, l.Own())).Replace(generated),
	} {
		acceptance.WriteFile(t, heir, "generated.tf", text)
		refused := heir.Run(t, "plan")
		if refused.ExitCode != 1 || !acceptance.SaysInOrder(refused.Output, []string{"Error: " + diagnose.SummaryOtherScheduler}) ||
			!acceptance.SaysInOrder(refused.Output, []string{says}) {
			t.Errorf("exit code %d, no %q in\n%s", refused.ExitCode, says, refused.Output)
		}
	}
	run(t, first, 0, "Destroy complete", "destroy", "-auto-approve")
}
