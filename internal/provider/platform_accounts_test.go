package provider

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

// limited is the provider block of the built-in scheduler with accounts that may have two clusters each.
func (l profileLandscape) limited() string {
	return strings.Replace(l.builtin(), "  platform =", "  multi_account = {\n    allowed_global_accounts = [\"*\"]\n    "+
		"limits = { default = 2 }\n  }\n  platform =", 1)
}

// bind makes a ProviderConfig for clusters with workers on an account, as another party does.
func (l profileLandscape) bind(t *testing.T, name, account, project string) {
	t.Helper()
	var template map[string]any
	if err := yaml.Unmarshal([]byte(testbed.ShootTemplate), &template); err != nil {
		t.Fatal(err)
	}
	spec, _ := template["spec"].(map[string]any)
	spec["credentialsBindingName"] = account
	object := openmcp.New("ProviderConfig", "", name)
	object.SetAPIVersion("gardener.clusters.openmcp.cloud/v1alpha1")
	object.Object["spec"] = map[string]any{"providerRef": map[string]any{"name": "gardener"}, "landscapeRef": map[string]any{"name": "canary"},
		"project": project, "shootTemplate": map[string]any{"spec": spec}}
	if err := l.platform.Client().Create(t.Context(), object); err != nil {
		t.Fatal(err)
	}
	published := openmcp.New("ClusterProfile", "", "test.gardener."+name)
	for l.platform.Client().Get(t.Context(), client.ObjectKeyFromObject(published), published) != nil && t.Context().Err() == nil {
		time.Sleep(20 * time.Millisecond)
	}
}

// dedicatedOn writes dedicated requests for a cluster with workers.
func dedicatedOn(labels []string, extra ...string) string {
	text := ""
	for _, label := range labels {
		text += fmt.Sprintf("resource \"hap_cluster_request\" %q {\n  name     = %q\n  purposes = [\"work\"]\n  wait_for = \"granted\"\n"+
			"  purpose_definitions = { work = { dedicated = true } }\n  traits = [{ trait = \"kubernetes.io/apis/compute\" }]\n"+
			"  deletion_protection = false\n  %s\n}\n", label, label, strings.Join(extra, "\n  "))
	}
	return text
}

// Requests of one run fill the accounts behind the profiles up to their limits, the fullest with room first, counting the Shoots that are
// there and the Clusters that have none yet; the next is denied with each reason. Neither an account that another Global Account holds than
// the request names, nor a dirty or quarantined one gets a Cluster. The preview says the same, and writes nothing.
func TestAccBuiltin_accounts(t *testing.T) {
	t.Parallel()
	l := newGardenerPlatform(t,
		testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Tenant: "ga-1"}, testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws", Tenant: "ga-1"},
		testbed.AccountSpec{Name: "aws-3", HyperscalerType: "aws", Tenant: "ga-2"}, testbed.AccountSpec{Name: "aws-4", HyperscalerType: "aws", Tenant: "ga-1", Dirty: true},
		testbed.AccountSpec{Name: "aws-5", HyperscalerType: "aws", Tenant: "ga-1", Labels: map[string]string{"dirty": "quarantine"}},
		testbed.AccountSpec{Name: "aws-6", HyperscalerType: "aws", Tenant: "ga-1", Labels: map[string]string{"dirty": "releasing"}}, testbed.AccountSpec{Name: "aws-7", HyperscalerType: "aws"},
	)
	project := strings.TrimPrefix(l.Name, "garden-")
	for i := 1; i <= 7; i++ {
		l.bind(t, fmt.Sprintf("p%d", i), fmt.Sprintf("aws-%d", i), project)
	}
	l.Shoots(t, "aws-1", 1)
	staged := stagedLandscape{platform: l.platform}
	profiles := func(want ...string) resource.TestCheckFunc {
		return func(*terraform.State) error {
			var got []string
			for _, c := range staged.of(t, "Cluster") {
				spec, _ := c.Object["spec"].(map[string]any)
				got = append(got, strings.TrimPrefix(fmt.Sprint(spec["profile"]), "test.gardener."))
			}
			slices.Sort(got)
			return equal("the profiles of all Clusters", strings.Join(got, " "), strings.Join(want, " "))
		}
	}
	blind := strings.Replace(l.limited(), fmt.Sprintf("  kubernetes = { config_path = %q }\n", l.kubeconfig), "", 1)
	named := `global_account = "ga-1"`
	three := dedicatedOn([]string{"a", "b", "c"}, named)
	preview := strings.NewReplacer(`resource "hap_cluster_request"`, `data "hap_cluster_schedule"`, `  wait_for = "granted"`+"\n", "",
		"  deletion_protection = false\n", "").Replace(dedicatedOn([]string{"one"}, named))
	is := func(attribute string, check knownvalue.Check) statecheck.StateCheck {
		return statecheck.ExpectKnownValue("data.hap_cluster_schedule.one", tfjsonpath.New(attribute), check)
	}
	candidates := func(reasons ...string) statecheck.StateCheck {
		return is("candidates", knownvalue.ListPartial(func() map[int]knownvalue.Check {
			all := map[int]knownvalue.Check{}
			for i, reason := range reasons {
				all[i] = knownvalue.ObjectPartial(map[string]knownvalue.Check{"reason": knownvalue.StringRegexp(regexp.MustCompile(reason))})
			}
			return all
		}()))
	}
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		Steps: []resource.TestStep{
			{
				Config: l.limited() + preview, Check: profiles(),
				ConfigStateChecks: []statecheck.StateCheck{
					is("profile", knownvalue.StringExact("test.gardener.p1")),
					candidates("", "chosen.*; its account aws-1 has 1 of 2 clusters", "fits, but the fullest account with room comes first",
						"aws-3 is held by Global Account ga-2, and the cluster is for ga-1", "aws-4 is dirty and waits for the clean-up job",
						"aws-5 is .*quarantine", "aws-6 is being released", "no Global Account holds account aws-7"),
				},
			},
			{Config: l.limited() + three, ConfigPlanChecks: emptyAfterwards, Check: profiles("p1", "p2", "p2")},
			{
				Config:      l.limited() + three + dedicatedOn([]string{"d"}, named),
				ExpectError: errorLike(diagnose.SummaryDenied, "account aws-1 is full: it has 2 clusters, and its limit is 2"),
			},
			{Config: l.limited() + three, Check: profiles("p1", "p2", "p2")},
			{ // another Global Account has its own; without one all that are held are taken
				Config:           l.limited() + three + dedicatedOn([]string{"d"}, `global_account = "ga-2"`) + dedicatedOn([]string{"e"}),
				ConfigPlanChecks: emptyAfterwards, Check: profiles("p1", "p2", "p2", "p3", "p3"),
			},
			{ // no Garden: nothing is regarded, and the preview says so
				Config:            blind + strings.Replace(preview, named, "", 1),
				ConfigStateChecks: []statecheck.StateCheck{is("profile", knownvalue.StringExact("test.gardener.p1"))},
				Check:             profiles(),
			},
			{ // a Global Account that is named is heard, or the request is denied
				Config: blind + preview,
				ConfigStateChecks: []statecheck.StateCheck{
					is("decision", knownvalue.StringExact("deny")), is("reason", knownvalue.StringExact("NoAccount")),
					candidates("", `it is not known whether Global Account "ga-1" holds account aws-1: the provider block leads to no Garden`),
				},
				Check: profiles(),
			},
		},
	})
}

// Where the provider block leads to no Garden, or to another project, no account is regarded, and the preview warns of that. That of the
// operator's decision warns of an account that is full.
func TestAccClusterSchedule_accounts(t *testing.T) {
	t.Parallel()
	l := newGardenerPlatform(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Tenant: "ga-1"})
	l.bind(t, "p1", "aws-1", strings.TrimPrefix(l.Name, "garden-"))
	l.Shoots(t, "aws-1", 2)
	l.bind(t, "p2", "aws-1", "elsewhere")
	operators := openmcp.Landscape{Purposes: map[string]openmcp.Purpose{"work": {Template: openmcp.Template{
		Spec: openmcp.TemplateSpec{Profile: "test.gardener.p1", Tenancy: "Exclusive"},
	}}}}
	text, err := operators.Config()
	if err != nil {
		t.Fatal(err)
	}
	byOperator := fmt.Sprintf("data \"hap_cluster_schedule\" \"one\" {\n  engine = \"openmcp\"\n  name = \"one\"\n  purpose = \"work\"\n  scheduler_config = %q\n}\n", text)
	byBuiltin := strings.NewReplacer(`resource "hap_cluster_request"`, `data "hap_cluster_schedule"`, `  wait_for = "granted"`+"\n", "",
		"  deletion_protection = false\n", "").Replace(dedicatedOn([]string{"one"}))
	ear := newEar(nil)
	defer func() {
		ear.want(t, tfprotov6.DiagnosticSeverityWarning, diagnose.SummaryScheduleCaveat, "purpose",
			"makes the Cluster all the same: account aws-1 is full: it has 2 clusters, and its limit is 2")
		ear.want(t, tfprotov6.DiagnosticSeverityWarning, diagnose.SummaryScheduleCaveat, "purposes",
			`The account of test.gardener.p2 was not regarded, neither who holds it nor whether there is room: it is in project "elsewhere"`)
	}()
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: ear.factories(),
		Steps: []resource.TestStep{
			{Config: l.limited() + byOperator},
			{
				Config: l.limited() + byBuiltin, ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownValue(
					"data.hap_cluster_schedule.one", tfjsonpath.New("profile"), knownvalue.StringExact("test.gardener.p2"))},
			},
		},
	})
}
