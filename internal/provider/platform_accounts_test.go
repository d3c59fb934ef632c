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
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

// limited is the provider block of the built-in scheduler with accounts that may have two clusters each.
func limited(l acceptance.ProfileLandscape) string {
	return strings.Replace(l.Builtin(), "  platform =", "  multi_account = {\n    allowed_global_accounts = [\"*\"]\n    "+
		"limits = { default = 2 }\n  }\n  platform =", 1)
}

// bind makes a ProviderConfig for clusters with workers on an account, as another party does, and awaits its profile.
func bind(t *testing.T, l acceptance.ProfileLandscape, name, account, project string) {
	t.Helper()
	configure(t, l, name, account, project)
	published := openmcp.New("ClusterProfile", "", "test.gardener."+name)
	for l.PlatformCluster.Client().Get(t.Context(), client.ObjectKeyFromObject(published), published) != nil && t.Context().Err() == nil {
		time.Sleep(20 * time.Millisecond)
	}
}

// configure makes a ProviderConfig for clusters with workers on an account, as another party does.
func configure(t *testing.T, l acceptance.ProfileLandscape, name, account, project string, landscape ...string) {
	t.Helper()
	var template map[string]any
	if err := yaml.Unmarshal([]byte(testbed.ShootTemplate), &template); err != nil {
		t.Fatal(err)
	}
	spec, _ := template["spec"].(map[string]any)
	spec["credentialsBindingName"] = account
	object := openmcp.New("ProviderConfig", "", name)
	object.SetAPIVersion("gardener.clusters.openmcp.cloud/v1alpha1")
	object.Object["spec"] = map[string]any{
		"providerRef": map[string]any{"name": "gardener"}, "landscapeRef": map[string]any{"name": append(landscape, "canary")[0]},
		"project": project, "shootTemplate": map[string]any{"spec": spec},
	}
	if err := l.PlatformCluster.Client().Create(t.Context(), object); err != nil {
		t.Fatal(err)
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
		bind(t, l, fmt.Sprintf("p%d", i), fmt.Sprintf("aws-%d", i), project)
	}
	l.Shoots(t, "aws-1", 1)
	staged := stagedLandscape{platform: l.PlatformCluster}
	profiles := func(want ...string) resource.TestCheckFunc {
		return func(*terraform.State) error {
			var got []string
			for _, c := range staged.of(t, "Cluster") {
				spec, _ := c.Object["spec"].(map[string]any)
				got = append(got, strings.TrimPrefix(fmt.Sprint(spec["profile"]), "test.gardener."))
			}
			slices.Sort(got)
			return acceptance.Equal("the profiles of all Clusters", strings.Join(got, " "), strings.Join(want, " "))
		}
	}
	blind := strings.Replace(limited(l), fmt.Sprintf("  kubernetes = { config_path = %q }\n", l.Kubeconfig), "", 1)
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
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{
				Config: limited(l) + preview, Check: profiles(),
				ConfigStateChecks: []statecheck.StateCheck{
					is("profile", knownvalue.StringExact("test.gardener.p1")),
					candidates("", "chosen.*; its account aws-1 has 1 of 2 clusters", "fits, but the fullest account with room comes first",
						"aws-3 is held by Global Account ga-2, and the cluster is for ga-1", "aws-4 is dirty and waits for the clean-up job",
						"aws-5 is .*quarantine", "aws-6 is being released", "no Global Account holds account aws-7"),
				},
			},
			{Config: limited(l) + three, ConfigPlanChecks: acceptance.EmptyAfterwards, Check: profiles("p1", "p2", "p2")},
			{
				Config:      limited(l) + three + dedicatedOn([]string{"d"}, named),
				ExpectError: acceptance.ErrorLike(diagnose.SummaryDenied, "account aws-1 is full: it has 2 clusters, and its limit is 2"),
			},
			{Config: limited(l) + three, Check: profiles("p1", "p2", "p2")},
			{ // another Global Account has its own; without one all that are held are taken
				Config:           limited(l) + three + dedicatedOn([]string{"d"}, `global_account = "ga-2"`) + dedicatedOn([]string{"e"}),
				ConfigPlanChecks: acceptance.EmptyAfterwards, Check: profiles("p1", "p2", "p2", "p3", "p3"),
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

// Two profiles lead to one cloud account by two bindings of its credentials: the Clusters of both that have no Shoot yet take its places
// together, and the limit holds.
func TestAccBuiltin_accountOfTwoBindings(t *testing.T) {
	t.Parallel()
	l := acceptance.NewProfileLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Tenant: "ga-1"},
		testbed.AccountSpec{Name: "aws-2", Secret: "aws-1", HyperscalerType: "aws", Tenant: "ga-1"})
	l.PlatformUser = l.PlatformCluster.ServiceAccount(t, l.Requests, "builtin", rolesOf(t, "platform.yaml", "platform-builtin.yaml"))
	openmcp.SharedProvider().Set(l.Requests, "", openmcp.Course{Never: true}) // no Cluster gets a Shoot
	for _, account := range []string{"aws-1", "aws-2"} {
		name := account + "-" + l.Requests
		configure(t, l, name, account, strings.TrimPrefix(l.Name, "garden-"))
		example{}.publish(t, l.PlatformCluster, openmcp.Environment, name)
	}
	clusters := func() (n int) {
		for _, c := range (stagedLandscape{platform: l.PlatformCluster}).of(t, "Cluster") {
			if c.GetNamespace() == l.Requests {
				n++
			}
		}
		return n
	}
	named := `global_account = "ga-1"`
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{
				Config: limited(l) + dedicatedOn([]string{"a", "b", "c"}, named),
				ExpectError: acceptance.ErrorLike(diagnose.SummaryDenied, "account aws-1 is full: it has 2 clusters, and its limit is 2",
					"account aws-2 is full: it has 2 clusters, and its limit is 2"),
			},
			{
				PreConfig: func() {
					if n := clusters(); n != 2 {
						t.Errorf("there are %d Clusters for an account with two places", n)
					}
				},
				Config: limited(l),
			},
		},
	})
}

// Where the provider block leads to no Garden, or to another project, no account is regarded, and the preview warns of that. That of the
// operator's decision warns of an account that is full.
func TestAccClusterSchedule_accounts(t *testing.T) {
	t.Parallel()
	l := newGardenerPlatform(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Tenant: "ga-1"})
	bind(t, l, "p1", "aws-1", strings.TrimPrefix(l.Name, "garden-"))
	l.Shoots(t, "aws-1", 2)
	bind(t, l, "p2", "aws-1", "elsewhere")
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
	ear := acceptance.NewEar(nil)
	defer func() {
		ear.Want(t, tfprotov6.DiagnosticSeverityWarning, diagnose.SummaryScheduleCaveat, "purpose",
			"makes the Cluster all the same: account aws-1 is full: it has 2 clusters, and its limit is 2")
		ear.Want(t, tfprotov6.DiagnosticSeverityWarning, diagnose.SummaryScheduleCaveat, "purposes",
			`The account of test.gardener.p2 was not regarded, neither who holds it nor whether there is room: it is in project "elsewhere"`)
	}()
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: ear.Factories(),
		Steps: []resource.TestStep{
			{Config: limited(l) + byOperator},
			{
				Config: limited(l) + byBuiltin, ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownValue(
					"data.hap_cluster_schedule.one", tfjsonpath.New("profile"), knownvalue.StringExact("test.gardener.p2"))},
			},
		},
	})
}
