package provider

import (
	"fmt"
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
)

// A protection that another party has taken off an object is written again by the next apply, whose plan says so. Until then the state
// refuses a destroy and a replacement as before, and the protection can be taken off as before.
func TestAccProtection_lost(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]func(*testing.T) protectedObject{"a Shoot": protectedShoot, "a Cluster": protectedCluster} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o, c := start(t), cli.New(t)
			block := "terraform {\n  required_providers {\n    hap = { source = \"hap-project/hap\" }\n  }\n}\n" + o.base
			says := func(exit int, words string, arguments ...string) {
				t.Helper()
				result := c.Run(t, append(arguments, "-no-color")...)
				said := strings.Join(strings.Fields(strings.ReplaceAll(result.Output, "│", " ")), " ")
				if result.ExitCode != exit || !strings.Contains(said, words) {
					t.Errorf("%q ends with %d and does not say %q:\n%s", arguments, result.ExitCode, words, result.Output)
				}
			}
			protected := func(want bool) {
				t.Helper()
				if annotations, err := o.annotations(); err != nil || kube.IsProtected(annotations) != want {
					t.Errorf("the annotations are %v (%v), want protected = %t", annotations, err, want)
				}
			}
			lose := func(value string) {
				t.Helper()
				patch := fmt.Sprintf(`{"metadata":{"annotations":{%q:%s}}}`, kube.ProtectionAnnotation, value)
				if err := o.patch(client.RawPatch("application/merge-patch+json", []byte(patch))); err != nil {
					t.Fatal(err)
				}
				protected(false)
			}
			const refused = "has deletion_protection = true in the state: it is neither destroyed nor replaced"

			c.Write(t, block+o.of("deletion_protection = true"))
			says(0, "Apply complete", "apply", "-auto-approve")
			says(0, "No changes", "plan", "-detailed-exitcode")
			for _, value := range []string{"null", `"false"`} {
				lose(value)
				says(2, "0 to add, 1 to change, 0 to destroy", "plan", "-detailed-exitcode")
				says(2, diagnose.SummaryProtectionLost+" ", "plan", "-detailed-exitcode")
				says(0, "0 added, 1 changed, 0 destroyed", "apply", "-auto-approve")
				protected(true)
				says(0, "No changes", "plan", "-detailed-exitcode")
			}
			lose("null")
			says(0, "Apply complete", "apply", "-auto-approve", "-refresh-only") // the state has seen the loss
			says(1, refused, "plan", "-replace="+o.address)
			says(1, refused, "destroy", "-auto-approve")
			says(1, refused, "destroy", "-auto-approve", "-refresh=false")
			c.Write(t, block)
			says(1, refused, "apply", "-auto-approve")
			c.Write(t, block+o.of("deletion_protection = false"))
			says(0, "0 added, 1 changed, 0 destroyed", "apply", "-auto-approve")
			says(0, "No changes", "plan", "-detailed-exitcode")
			says(0, "Destroy complete", "destroy", "-auto-approve")
		})
	}
}
