package cluster_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

// A Cluster is made behind a profile only where the account still is that of the Global Account which the profile is for: freed, cleaned and
// given away meanwhile, or in doubt by a label of another scheme, it takes none, at plan and right before the Cluster is made. So it is where Gardener has named the namespace of the
// project: it adds five characters to the name of the project then.
func TestAccCluster_accountOfTheProfileGivenAway(t *testing.T) {
	t.Parallel()
	acceptance.NeedsGarden(t)
	for name, suffix := range map[string]string{"a namespace of the project's name": "", "a namespace that Gardener has named": "-1a2b3"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			project := fmt.Sprintf("p%03x", rand.IntN(1<<12)) //nolint:gosec // no secret depends on it
			ns, err := testbed.Shared(t).MakeNamespace(t.Context(), project+suffix)
			if err != nil {
				t.Fatal(err)
			}
			l := acceptance.NewProfileLandscapeOn(t, acceptance.NewLandscapeIn(t, ns, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"}))
			givenAway(t, l, project)
		})
	}
}

func givenAway(t *testing.T, l acceptance.ProfileLandscape, project string) {
	t.Helper()
	l.PlatformUser = l.PlatformCluster.ServiceAccount(t, l.Requests, "both", slices.Concat(testbed.RoleExample(t, "platform-profiles.yaml"), []byte("\n---\n"),
		testbed.RoleExample(t, "platform-clusters.yaml")))
	base := l.On(l.PlatformUser) + acceptance.RulesAWS + acceptance.ClaimOf("one", "ga-1") +
		l.ConfigOf(acceptance.TemplateWith(), fmt.Sprintf("project = %q", project))
	cluster := acceptance.ClusterOf(fmt.Sprintf("namespace = %q", l.Requests), fmt.Sprintf("profile = \"test.gardener.%s\"", l.Config), `wait_for = "created"`,
		"depends_on = [hap_gardener_provider_config.one]")
	hold := func(tenant string) { l.PatchLabels(t, "aws-1", map[string]*string{"tenantName": ptr.To(tenant)}) }
	contest := func(tenant *string) { l.PatchLabels(t, "aws-1", map[string]*string{"tenant-name": tenant}) }
	without := func(*terraform.State) error {
		return acceptance.PlatformLandscape{Platform: l.PlatformCluster, Namespace: l.Requests}.None("Cluster", "one")
	}
	refused := acceptance.ErrorLike(diagnose.SummaryNoHost, "account aws-1 is held by Global Account ga-2, and the cluster is for ga-1")
	unclear := acceptance.ErrorLike(diagnose.SummaryNoHost, "in doubt whose account aws-1 is (tenant-name=ga-2)", "Nothing was written")
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{Config: base},
			{
				Config: base + cluster, ExpectError: refused,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{acceptance.AfterThePlan(func() { hold("ga-2") })}},
			},
			{Config: base + cluster, PlanOnly: true, ExpectError: refused},
			{PreConfig: func() { hold("ga-1"); contest(ptr.To("ga-2")) }, Config: base, Check: without},
			{Config: base + cluster, PlanOnly: true, ExpectError: unclear}, // by the key of the other scheme
			{PreConfig: func() { contest(nil) }, Config: base},
			{
				Config: base + cluster, ExpectError: unclear,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					acceptance.AfterThePlan(func() { contest(ptr.To("ga-2")) })}},
			},
			{PreConfig: func() { contest(nil) }, Config: base, Check: without},
			{Config: base + cluster},
		},
	})
}

// An account that gets no answer right before the Cluster is made is no account that takes it: the Cluster is not made. A user who is not
// shown the account makes it.
func TestAccCluster_accountOfTheProfileUnread(t *testing.T) {
	t.Parallel()
	l := acceptance.NewProfileLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	l.PlatformUser = l.PlatformCluster.ServiceAccount(t, l.Requests, "both", slices.Concat(testbed.RoleExample(t, "platform-profiles.yaml"), []byte("\n---\n"),
		testbed.RoleExample(t, "platform-clusters.yaml")))
	proxy := fault.NewProxy(t, l.Garden(), fault.ProxyOptions{})
	l.Kubeconfig = proxy.Kubeconfig(t, l.User)
	base := l.On(l.PlatformUser) + acceptance.RulesAWS + acceptance.ClaimOf("one", "ga-1") +
		l.ConfigOf(acceptance.TemplateWith(), fmt.Sprintf("project = %q", strings.TrimPrefix(l.Name, "garden-")))
	cluster := l.ClusterOn(fmt.Sprintf("namespace = %q", l.Requests), `wait_for = "created"`)
	afterThePlan := func(with fault.Fault) resource.ConfigPlanChecks {
		return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{acceptance.AfterThePlan(func() {
			proxy.Spoil(fault.Rule{Resource: "credentialsbindings", Fault: with})
		})}}
	}
	on := acceptance.PlatformLandscape{Platform: l.PlatformCluster, Namespace: l.Requests}
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{Config: base},
			{
				Config: base + cluster, ConfigPlanChecks: afterThePlan(fault.InternalError()),
				ExpectError: acceptance.ErrorLike(diagnose.SummaryUnreachable, "Making Cluster "+l.Requests+"/one"),
			},
			{PreConfig: proxy.Lift, Config: base, Check: func(*terraform.State) error { return on.None("Cluster", "one") }},
			{
				Config: base + cluster, ConfigPlanChecks: afterThePlan(fault.Forbidden()),
				Check: func(*terraform.State) error { proxy.Lift(); on.UID(t, "Cluster", "one"); return nil },
			},
		},
	})
}

// A release that begins after the last look before the POST has not seen the Cluster: the apply makes it, keeps it, and says so loudly.
func TestAccCluster_accountTakenWithinThePOST(t *testing.T) {
	t.Parallel()
	l := acceptance.NewProfileLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	l.PlatformUser = l.PlatformCluster.ServiceAccount(t, l.Requests, "both", slices.Concat(testbed.RoleExample(t, "platform-profiles.yaml"), []byte("\n---\n"),
		testbed.RoleExample(t, "platform-clusters.yaml")))
	proxy := fault.NewProxy(t, l.PlatformCluster.Server(), fault.ProxyOptions{})
	l.PlatformUser.Kubeconfig = l.PlatformUser.Through(t, proxy.Through)
	base := l.On(l.PlatformUser) + acceptance.RulesAWS + acceptance.ClaimOf("one", "ga-1") +
		l.ConfigOf(acceptance.TemplateWith(), fmt.Sprintf("project = %q", strings.TrimPrefix(l.Name, "garden-")))
	cluster := l.ClusterOn(fmt.Sprintf("namespace = %q", l.Requests), `wait_for = "created"`)
	mark := func(state *string) { l.PatchLabels(t, "aws-1", map[string]*string{"dirty": state}) }
	on := acceptance.PlatformLandscape{Platform: l.PlatformCluster, Namespace: l.Requests}
	ear := acceptance.NewEar(nil)
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: ear.Factories(),
		Steps: []resource.TestStep{
			{Config: base},
			{
				PreConfig: func() {
					proxy.Spoil(fault.Rule{Verb: "create", Resource: "clusters", Fault: fault.Do(func() { mark(ptr.To("releasing")) }, nil)})
				},
				Config: base + cluster,
				Check: func(*terraform.State) error {
					proxy.Lift()
					mark(nil)
					uid := on.UID(t, "Cluster", "one")
					for _, words := range []string{"While Cluster " + l.Requests + "/one (UID " + uid + ") was made", "account aws-1 is being released", "destroy the Cluster"} {
						if n := ear.Warnings(diagnose.SummaryShootTaken, words); n != 1 {
							t.Errorf("%d warnings have %q, want 1: %q", n, words, ear.Details(tfprotov6.DiagnosticSeverityWarning))
						}
					}
					return nil
				},
			},
		},
	})
}

// A profile may name its account by a binding of the other kind, as before a move to CredentialsBindings: the account is judged all the same,
// also where it has no claim. A SecretBinding that leads into no account of the pool is not judged.
func TestAccCluster_accountByTheOtherKind(t *testing.T) {
	t.Parallel()
	l := acceptance.NewProfileLandscape(t,
		testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Tenant: "ga-1", Dirty: true},
		testbed.AccountSpec{Name: "sb-1", Kind: testbed.SecretBinding, Secret: "aws-1"},
		testbed.AccountSpec{Name: "free-1", Kind: testbed.SecretBinding, Secret: "elsewhere"})
	l.PlatformUser = l.PlatformCluster.ServiceAccount(t, l.Requests, "clusters", testbed.RoleExample(t, "platform-clusters.yaml"))
	profile := func(name, binding string) string {
		var template map[string]any
		if err := yaml.Unmarshal([]byte(testbed.ShootTemplate), &template); err != nil {
			t.Fatal(err)
		}
		spec, _ := template["spec"].(map[string]any)
		spec["secretBindingName"] = binding
		object := openmcp.New("ProviderConfig", "", name+"-"+l.Requests)
		object.SetAPIVersion("gardener.clusters.openmcp.cloud/v1alpha1")
		object.Object["spec"] = map[string]any{
			"providerRef": map[string]any{"name": "gardener"}, "landscapeRef": map[string]any{"name": "canary"},
			"project": strings.TrimPrefix(l.Name, "garden-"), "shootTemplate": map[string]any{"spec": spec},
		}
		if err := l.PlatformCluster.Client().Create(t.Context(), object); err != nil {
			t.Fatal(err)
		}
		return "test.gardener." + object.GetName()
	}
	of := func(profile string) string {
		return l.On(l.PlatformUser) + acceptance.ClusterOf(fmt.Sprintf("namespace = %q", l.Requests), fmt.Sprintf("profile = %q", profile), `wait_for = "created"`)
	}
	dirty, unknown := profile("dirty", "sb-1"), profile("unknown", "free-1")
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{Config: of(dirty), PlanOnly: true, ExpectError: acceptance.ErrorLike(diagnose.SummaryNoHost, "account aws-1 is dirty and waits for the clean-up job")},
			{Config: of(unknown)},
		},
	})
}

// A user who may not read the accounts makes Clusters whose account is not checked: the plan says so, once for all of them.
func TestAccCluster_accountOfTheProfileForbidden(t *testing.T) {
	t.Parallel()
	l := acceptance.NewProfileLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Tenant: "ga-2"})
	l.PlatformUser = l.PlatformCluster.ServiceAccount(t, l.Requests, "clusters", testbed.RoleExample(t, "platform-clusters.yaml"))
	l.Make(t, map[string]any{"credentialsBindingName": "aws-1"})
	l.Edit(t, fmt.Sprintf(`{"spec": {"project": %q}}`, strings.TrimPrefix(l.Name, "garden-")))
	l.Profile(t)
	profile := fmt.Sprintf("profile = \"test.gardener.%s\"", l.Config)
	clusters := ""
	for _, name := range []string{"one", "two"} {
		of := acceptance.ClusterOf(fmt.Sprintf("name = %q", name), fmt.Sprintf("namespace = %q", l.Requests), profile, `wait_for = "created"`)
		clusters += strings.Replace(of, `"hap_cluster" "one"`, fmt.Sprintf(`"hap_cluster" %q`, name), 1)
	}
	seeing := l.On(l.PlatformUser) + clusters
	l.Kubeconfig = l.ServiceAccount(t, "blind", []byte("apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: { name: blind }\nrules:\n"+
		"- { apiGroups: [core.gardener.cloud], resources: [shoots], verbs: [get, list] }\n")).Kubeconfig(t)
	ear := acceptance.NewEar(nil)
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: ear.Factories(),
		Steps: []resource.TestStep{
			{Config: seeing, PlanOnly: true, ExpectError: acceptance.ErrorLike(diagnose.SummaryNoHost, "no claim is on it")},
			{
				PreConfig: func() {
					if n := ear.Warnings(diagnose.SummaryHostUnchecked, ""); n != 0 {
						t.Errorf("%d warnings of a user who may read the accounts", n)
					}
				},
				Config: l.On(l.PlatformUser) + clusters, PlanOnly: true, ExpectNonEmptyPlan: true,
			}, {
				PreConfig: func() {
					ear.Want(t, tfprotov6.DiagnosticSeverityWarning, diagnose.SummaryHostUnchecked, "profile", "Planning Cluster "+l.Requests+"/",
						"credentialsbindings", "the apply does not check it either", "examples/rbac")
					if n := ear.Warnings(diagnose.SummaryHostUnchecked, ""); n != 2 { // the step plans twice, and each plan has two Clusters
						t.Errorf("%d warnings of two plans, want one of each", n)
					}
				},
				Config: l.On(l.PlatformUser) + clusters, ConfigPlanChecks: acceptance.EmptyAfterwards,
			},
		},
	})
}
