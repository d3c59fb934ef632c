package provider

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
)

// protectedObject is an object of a test that deletion_protection guards.
type protectedObject struct {
	base, address, id string
	named             string                            // in messages
	of                func(attributes ...string) string // its configuration
	annotations       func() (map[string]string, error)
	patch             func(client.Patch) error
}

func protectedShoot(t *testing.T) protectedObject {
	t.Helper()
	l := acceptance.NewClusterLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	return protectedObject{
		l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("one", "ga-1"), "hap_shoot.one", "blue", "Shoot " + l.Name + "/blue",
		func(attributes ...string) string { return acceptance.ShootOf(acceptance.TemplateWith(), attributes...) },
		func() (map[string]string, error) {
			live, err := l.Live("blue")
			if live == nil {
				return nil, err
			}
			return live.Annotations, err
		},
		func(patch client.Patch) error {
			live, err := l.Live("blue")
			if err != nil {
				return err
			}
			return l.Garden().AdminClient().Patch(t.Context(), live, patch)
		},
	}
}

func protectedCluster(t *testing.T) protectedObject {
	t.Helper()
	l := acceptance.NewOwnLandscape(t)
	return protectedObject{
		l.Provider(), acceptance.ClusterOne, l.Namespace + "/one", "Cluster " + l.Namespace + "/one",
		acceptance.ClusterOf,
		func() (map[string]string, error) {
			live, err := l.Live("Cluster", "one")
			if live == nil {
				return nil, err
			}
			return live.GetAnnotations(), err
		},
		func(patch client.Patch) error {
			live, err := l.Live("Cluster", "one")
			if err != nil {
				return err
			}
			return l.Client().Patch(t.Context(), live, patch)
		},
	}
}

// A plan that takes away the protection which an import has met, or an apply that takes up what a cut-short run has left, says so: another
// state may have written it. It takes it away once, and what this state writes from then on is its own.
func TestAccProtection_imported(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]func(*testing.T) protectedObject{"a Shoot": protectedShoot, "a Cluster": protectedCluster} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o, ear := start(t), acceptance.NewEar(nil)
			protected := func(want bool) resource.TestCheckFunc {
				return func(*terraform.State) error {
					annotations, err := o.annotations()
					if err != nil {
						return err
					}
					return acceptance.Equal("protected", fmt.Sprint(kube.IsProtected(annotations)), fmt.Sprint(want))
				}
			}
			silent := func() {
				if err := ear.Silent(diagnose.SummaryProtectionFound); err != nil {
					t.Error(err)
				}
				ear.Forget()
			}
			warned := func() {
				ear.Want(t, tfprotov6.DiagnosticSeverityWarning, diagnose.SummaryProtectionFound, "deletion_protection", o.named,
					kube.ProtectionAnnotation+": \"true\" when this state imported it")
				ear.Forget()
			}
			const on, off, labelled = "deletion_protection = true", "deletion_protection = false", `labels = { a = "b" }`
			gone := "removed {\n  from = " + o.address + "\n  lifecycle {\n    destroy = false\n  }\n}\n"
			imports := fmt.Sprintf("import {\n  to = %s\n  id = %q\n}\n", o.address, o.id)
			kept := func() {
				ear.Want(t, tfprotov6.DiagnosticSeverityWarning, diagnose.SummaryProtectionKept, "deletion_protection", o.named,
					kube.ProtectionAnnotation+": \"true\"", "The next plan shows")
				ear.Forget()
			}
			resource.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: ear.Factories(),
				Steps: []resource.TestStep{
					{Config: o.base + o.of(on), Check: protected(true)}, // a run that is cut short
					{Config: o.base + gone, Check: protected(true)},
					{Config: o.base + o.of(off), Check: protected(true), ExpectNonEmptyPlan: true},
					{PreConfig: kept, Config: o.base, ExpectError: acceptance.ErrorLike(diagnose.SummaryShootProtected, "deletion_protection = true in the state")},
					{PreConfig: ear.Forget, Config: o.base + o.of(off), Check: protected(false)},
					{PreConfig: warned, Config: o.base},
					{Config: o.base + o.of(on), Check: protected(true)},
					{Config: o.base + gone, Check: protected(true)},
					{Config: o.base + o.of(on) + imports, Check: protected(true)},
					{Config: o.base + o.of(on, labelled), Check: protected(true)}, // an update keeps what the import has met
					{PreConfig: silent, Config: o.base + o.of(off, labelled), PlanOnly: true, ExpectNonEmptyPlan: true},
					{PreConfig: warned, Config: o.base + o.of(off, labelled), Check: protected(false)},
					{PreConfig: warned, Config: o.base + o.of(on, labelled), Check: protected(true)},
					{Config: o.base + o.of(off, labelled), Check: protected(false)},
					{Config: o.base + o.of(on, labelled), Check: protected(true)},
					{Config: o.base + gone, Check: protected(true)},
					{PreConfig: silent, Config: o.base + o.of(off, labelled) + imports, Check: protected(false)},
				},
			})
			warned()
		})
	}
}

// An update that is killed has written the protection, and the private state is lost with it. A configuration that takes the protection back
// plans that, and its destroy goes through.
func TestAccProtection_ofAKilledUpdate(t *testing.T) {
	t.Parallel()
	acceptance.NeedsGarden(t)
	for name, start := range map[string]func(*testing.T) protectedObject{"a Shoot": protectedShoot, "a Cluster": protectedCluster} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o, c := start(t), cli.New(t)
			c.Write(t, "terraform {\n  required_providers {\n    hap = { source = \"hap-project/hap\" }\n  }\n}\n"+o.base+
				o.of("deletion_protection = false"))
			says := func(words string, arguments ...string) {
				t.Helper()
				if result := c.Run(t, append(arguments, "-no-color")...); result.ExitCode != 0 || !strings.Contains(result.Output, words) {
					t.Errorf("%s ends with %d: %s", arguments[0], result.ExitCode, result.Output)
				}
			}
			says("", "apply", "-auto-approve")
			patch := client.RawPatch(types.MergePatchType, fmt.Appendf(nil, `{"metadata":{"annotations":{%q:"true"}}}`, kube.ProtectionAnnotation))
			if err := o.patch(patch); err != nil {
				t.Fatal(err)
			}
			eachInstance(t, filepath.Join(c.Folder, "terraform.tfstate"), func(instance map[string]any) {
				if attributes, _ := instance["attributes"].(map[string]any); attributes["deletion_protection"] != nil {
					delete(instance, "private")
				}
			})
			says(diagnose.SummaryProtectionFound, "apply", "-auto-approve")
			if annotations, err := o.annotations(); err != nil || kube.IsProtected(annotations) {
				t.Errorf("the annotations are %v (%v)", annotations, err)
			}
			says("", "destroy", "-auto-approve")
		})
	}
}
