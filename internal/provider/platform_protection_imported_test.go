package provider

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
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
