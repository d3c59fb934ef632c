package shoot_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/edit"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/gardenlet"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
)

// A cluster comes to a claimed account, is ready, changes in place, loses what its template names no longer, and goes before its
// account does.
func TestAccShoot_life(t *testing.T) {
	t.Parallel()
	l := acceptance.NewClusterLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	base := l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("one", "ga-1", `cluster_name = "blue"`)
	plan := func(action plancheck.ResourceActionType) resource.ConfigPlanChecks {
		return resource.ConfigPlanChecks{
			PreApply:             []plancheck.PlanCheck{plancheck.ExpectResourceAction(acceptance.ShootOne, action)},
			PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
		}
	}
	var uid string
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		CheckDestroy:             l.NoShoot,
		Steps: []resource.TestStep{
			{
				Config:           base + acceptance.ShootOf(acceptance.TemplateWith()),
				ConfigPlanChecks: plan(plancheck.ResourceActionCreate),
				ConfigStateChecks: []statecheck.StateCheck{
					acceptance.ShootValue("ready", knownvalue.Bool(true)), acceptance.ShootValue("access_name", knownvalue.StringExact("blue")),
					acceptance.ShootValue("kubernetes_version", knownvalue.StringExact("1.33.2")), acceptance.ShootValue("workerless", knownvalue.Bool(false)),
					acceptance.ShootValue("id", knownvalue.StringExact(l.Name+"/blue")), acceptance.ShootValue("seed", knownvalue.Null()),
					acceptance.ShootValue("api_server_urls", knownvalue.MapSizeExact(1)), acceptance.ShootValue("conditions", knownvalue.MapSizeExact(4)),
					acceptance.ShootValue("ca_certificate", knownvalue.NotNull()),
				},
				Check: func(*terraform.State) error {
					shoot, err := l.Live("blue")
					if err != nil {
						return err
					}
					uid = string(shoot.UID)
					return acceptance.Equal("account", *shoot.Spec.CredentialsBindingName, holder(t, l, "ga-1"))
				},
			}, {
				Config: base + acceptance.ShootOf(acceptance.TemplateWith("maximum: 2", "maximum: 3", "purpose: evaluation", ""),
					`labels = { team = "a" }`),
				ConfigPlanChecks: plan(plancheck.ResourceActionUpdate),
				Check: func(*terraform.State) error {
					shoot, err := l.Live("blue")
					if err != nil {
						return err
					}
					return errors.Join(acceptance.Equal("uid", string(shoot.UID), uid), acceptance.Equal("maximum", fmt.Sprint(shoot.Spec.Provider.Workers[0].Maximum), "3"),
						acceptance.Equal("team", shoot.Labels["team"], "a"), acceptance.Equal("stage", shoot.Labels["stage"], "dev"))
				},
			}, {
				ResourceName: acceptance.ShootOne, ImportState: true, ImportStateId: "blue", ImportStateVerify: true,
				ImportStateVerifyIgnore: []string{"template", "labels", "deletion_protection", "global_account"},
			},
		},
	})
	if tenant := l.Tenant(t, "aws-1"); tenant != "ga-1" {
		t.Errorf("aws-1 is held by %q", tenant)
	}
}

// A claim that names its account, and the cluster on it, are made in one run: the plan knows the account, which is not claimed yet, and may
// not be there yet. What an account or Gardener refuses is reported at plan all the same.
func TestAccShoot_claimedInTheSameRun(t *testing.T) {
	t.Parallel()
	l := acceptance.NewClusterLandscape(t, testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws"},
		testbed.AccountSpec{Name: "aws-3", HyperscalerType: "aws", Dirty: true})
	roles := slices.Concat(testbed.DocumentedRole(t), []byte("\n---\n"), testbed.RoleExample(t, "role-clusters.yaml"), []byte("\n---\n"),
		testbed.RoleExample(t, "role-supply.yaml"))
	l.User = l.ServiceAccount(t, "all", roles)
	l.Kubeconfig = l.User.Kubeconfig(t)
	l.Secret(t, "aws-1", map[string][]byte{"credential": []byte(testbed.Credential)})
	pinned := func(account string) string {
		return l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("one", "ga-1", "binding_name = "+account)
	}
	on := func(account, more string) resource.TestStep {
		return resource.TestStep{
			Config: pinned(account) + acceptance.ShootOf(acceptance.TemplateWith()) + more,
			ConfigPlanChecks: resource.ConfigPlanChecks{
				PreApply:             []plancheck.PlanCheck{plancheck.ExpectResourceAction(acceptance.ShootOne, plancheck.ResourceActionCreate)},
				PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
			},
			ConfigStateChecks: []statecheck.StateCheck{acceptance.ShootValue("ready", knownvalue.Bool(true))},
		}
	}
	refused := func(account, template, summary string, words ...string) resource.TestStep {
		return resource.TestStep{
			Config: pinned(account) + acceptance.ShootOf(template), PlanOnly: true, ExpectError: acceptance.ErrorLike(summary, words...),
		}
	}
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		CheckDestroy:             l.NoShoot,
		Steps: []resource.TestStep{
			refused(`"aws-3"`, acceptance.TemplateWith(), "Account takes no cluster", "aws-3", "(label dirty="),
			refused(`"aws-2"`, acceptance.TemplateWith("type: medium", "type: huge"), "Gardener refuses the cluster", "huge", "medium"),
			{
				Config: pinned(`"aws-2"`) + acceptance.ShootOf(acceptance.TemplateWith(), `global_account = "ga-2"`), PlanOnly: true,
				ExpectError: acceptance.ErrorLike("Account takes no cluster", "held by Global Account ga-1", "for ga-2"),
			},
			on(`"aws-2"`, ""),
			{Config: l.Provider() + acceptance.RulesAWS, Check: l.NoShoot},
			on("hap_account.one.name", acceptance.AccountOf()), // the account, its claim and the cluster
			{Config: l.Provider() + acceptance.RulesAWS + acceptance.AccountOf(), Check: l.NoShoot},
			{PreConfig: l.Put(t, nil), Config: l.Provider() + acceptance.RulesAWS}, // a clean-up job has wiped it
		},
	})
}

// Bad input is reported at plan, by Gardener itself where it knows better, and nothing is written.
func TestAccShoot_badInput(t *testing.T) {
	t.Parallel()
	l := acceptance.NewClusterLandscape(t, testbed.AccountSpec{Name: "gcp-free", HyperscalerType: "gcp"})
	n := 0
	for name, test := range map[string]struct {
		config  string
		summary string
		words   []string
	}{
		"a machine type that does not exist": {acceptance.ShootOf(acceptance.TemplateWith("type: medium", "type: huge")), "Gardener refuses the cluster",
			[]string{"machine.type", "Unsupported value", "huge", "medium"}},
		"a zone of another region": {acceptance.ShootOf(acceptance.TemplateWith("region-1a", "region-2a")), "Gardener refuses the cluster", []string{"zones", "region-2a"}},
		"workers without an account": {acceptance.ShootOf(acceptance.TemplateWith(), "credentials_binding_name ="), "Account does not fit the workers",
			[]string{"machines need an account"}},
		"an account without workers": {acceptance.ShootOf("spec: {provider: {type: aws}}"), "Account does not fit the workers", []string{"no workers"}},
		"a name too long":            {acceptance.ShootOf(acceptance.TemplateWith(), `name = "a-name-that-is-too-long"`), "Invalid Attribute Value Length", []string{"21"}},
		"a name too long with the project's": {acceptance.ShootOf(acceptance.TemplateWith(), `name = "a-name-far-too-long-x"`), "Gardener refuses the cluster",
			[]string{`name = "a-name-far-too-long-x"`, "21"}},
		"a label that is none": {acceptance.ShootOf(acceptance.TemplateWith(), `labels = { stage = "a b" }`), "Gardener refuses the cluster",
			[]string{`labels = { stage = "a b" }`, "metadata.labels"}},
		"an annotation that is none": {acceptance.ShootOf(acceptance.TemplateWith(), `annotations = { "a b" = "x" }`), "Gardener refuses the cluster",
			[]string{`annotations = { "a b" = "x" }`, "metadata.annotations"}},
		"a cluster_ref that is no label": {acceptance.ShootOf(acceptance.TemplateWith(), `cluster_ref = { namespace = "a", name = "`+strings.Repeat("x", 64)+
			`" }`), "Gardener refuses the cluster", []string{`cluster_ref = {`, "metadata.labels"}},
		"a label of the template that is none": {acceptance.ShootOf(acceptance.TemplateWith("stage: dev", "stage: a b")), "Gardener refuses the cluster",
			[]string{"template", "metadata.labels"}},
		"a name with other characters": {acceptance.ShootOf(acceptance.TemplateWith(), `name = "Blue_1"`), "Invalid Attribute Value Match",
			[]string{"small letters, digits and -"}},
		"an unknown field two levels deep": {acceptance.ShootOf(acceptance.TemplateWith("    type: aws\n", "    tpye: aws\n")), "Gardener refuses the cluster",
			[]string{"spec.provider.tpye", "did you mean type"}},
		"a template that names another account": {acceptance.ShootOf(acceptance.TemplateWith("  region: region-1", "  credentialsBindingName: gcp-free\n  region: region-1")),
			"Template names an account itself", []string{"gcp-free", "credentials_binding_name"}},
		"a template with the other field for the account": {acceptance.ShootOf(acceptance.TemplateWith("  region: region-1", "  secretBindingName: gcp-free\n  region: region-1")),
			"Template names an account itself", []string{"secretBindingName: gcp-free"}},
		"an account that no claim got": {acceptance.ShootOf(acceptance.TemplateWith(), `credentials_binding_name = "gcp-free"`), "Account takes no cluster",
			[]string{"no Global Account holds account gcp-free"}},
		"an account of another Global Account": {acceptance.ShootOf(acceptance.TemplateWith(), `global_account = "ga-other"`), "Account takes no cluster",
			[]string{"is held by Global Account ga-", "the cluster is for ga-other"}},
		"a dedicated account, and no Global Account": {acceptance.ShootOf(acceptance.TemplateWith(), "global_account ="), "Global Account of the clusters is missing",
			[]string{"is dedicated", "Set global_account to that of"}},
		"an account that does not exist": {acceptance.ShootOf(acceptance.TemplateWith(), `credentials_binding_name = "aws-9"`), "No such account", []string{"aws-9"}},
	} {
		n++
		ga := fmt.Sprintf("ga-%d", n)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l.Account(t, testbed.AccountSpec{Name: "aws-" + ga, HyperscalerType: "aws", Tenant: ga})
			claim := l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("one", ga)
			inprocess.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: acceptance.Factories,
				Steps: []resource.TestStep{
					{Config: claim}, // the account has to be known at plan for the server to be asked
					{Config: claim + test.config, PlanOnly: true, ExpectError: acceptance.ErrorLike(test.summary, test.words...)},
					{Config: claim},
				},
			})
		})
	}
	t.Cleanup(func() {
		var all gardencore.ShootList
		if err := l.Garden().AdminClient().List(context.Background(), &all, client.InNamespace(l.Name)); err != nil || len(all.Items) > 0 {
			t.Errorf("%d Shoots: %v", len(all.Items), err)
		}
	})
}

// A cluster that is slow is kept, and the next apply waits on.
func TestAccShoot_slow(t *testing.T) {
	t.Parallel()
	var stuck atomic.Bool
	stuck.Store(true)
	l := acceptance.WithGardenlet(t, acceptance.NewLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"}), func(*gardencore.Shoot) gardenlet.Course {
		return gardenlet.Course{Stuck: stuck.Load(), Steps: 3, Pace: 5 * time.Second} // slower than a plan
	})
	base := l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("one", "ga-1")
	config := base + acceptance.ShootOf(acceptance.TemplateWith(), `timeouts = { create = "10s", update = "3m" }`)
	var uid string
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		CheckDestroy:             l.NoShoot,
		Steps: []resource.TestStep{
			{
				Config: config, ExpectNonEmptyPlan: true,
				ConfigStateChecks: []statecheck.StateCheck{
					acceptance.ShootValue("ready", knownvalue.Bool(false)), acceptance.ShootValue("access_name", knownvalue.Null()),
				},
				Check: func(*terraform.State) error {
					shoot, err := l.Live("blue")
					if err == nil {
						uid = string(shoot.UID)
					}
					return err
				},
			}, {
				Config: config,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					acceptance.OnPlan(func() { stuck.Store(false) }), // no sooner: a refresh would find it ready
					plancheck.ExpectResourceAction(acceptance.ShootOne, plancheck.ResourceActionUpdate),
					plancheck.ExpectUnknownValue(acceptance.ShootOne, tfjsonpath.New("ready")),
					plancheck.ExpectUnknownValue(acceptance.ShootOne, tfjsonpath.New("access_name")),
				}},
				ConfigStateChecks: []statecheck.StateCheck{acceptance.ShootValue("ready", knownvalue.Bool(true))},
				Check: func(*terraform.State) error {
					shoot, err := l.Live("blue")
					if err != nil {
						return err
					}
					return acceptance.Equal("uid", string(shoot.UID), uid)
				},
			},
		},
	})
}

// Drift of what the template names is reported by name and put right in place; what others add stays.
func TestAccShoot_drift(t *testing.T) {
	t.Parallel()
	l := acceptance.NewClusterLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	config := l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("one", "ga-1") + acceptance.ShootOf(acceptance.TemplateWith())
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{Config: config},
			{
				PreConfig: func() {
					l.Edit(t, "blue", func(shoot *gardencore.Shoot) {
						shoot.Spec.Provider.Workers[0].Maximum = 7
						shoot.Labels["theirs"] = "stays"
					})
				},
				Config: config,
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply:             []plancheck.PlanCheck{plancheck.ExpectResourceAction(acceptance.ShootOne, plancheck.ResourceActionUpdate)},
					PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
				},
				Check: func(*terraform.State) error {
					shoot, err := l.Live("blue")
					if err != nil {
						return err
					}
					return errors.Join(acceptance.Equal("maximum", fmt.Sprint(shoot.Spec.Provider.Workers[0].Maximum), "2"),
						acceptance.Equal("theirs", shoot.Labels["theirs"], "stays"))
				},
			},
		},
	})
}

// The account of a live cluster never changes, a protected cluster is neither destroyed nor replaced, and a replacement has to be
// asked for twice.
func TestAccShoot_protected(t *testing.T) {
	t.Parallel()
	l := acceptance.NewClusterLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Tenant: "ga-1"},
		testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws", Tenant: "ga-2"})
	base := l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("one", "ga-1") + acceptance.ClaimOf("two", "ga-2")
	moved := "credentials_binding_name = hap_credentials_binding_claim.two.binding_name"
	var uid string
	same := func(*terraform.State) error {
		shoot, err := l.Live("blue")
		if err != nil {
			return err
		}
		if uid == "" {
			uid = string(shoot.UID)
		}
		return errors.Join(acceptance.Equal("uid", string(shoot.UID), uid), acceptance.Equal("account", *shoot.Spec.CredentialsBindingName, "aws-1"))
	}
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{Config: base + acceptance.ShootOf(acceptance.TemplateWith(), "deletion_protection ="), Check: same},
			{Config: base + acceptance.ShootOf(acceptance.TemplateWith(), "deletion_protection =", moved), ExpectError: acceptance.ErrorLike("Cluster would have to be made anew",
				"credentials_binding_name", "aws-2", "aws-1")},
			{Config: base + acceptance.ShootOf(acceptance.TemplateWith(), "deletion_protection =", `name = "green"`), ExpectError: acceptance.ErrorLike(
				"Cluster would have to be made anew", "name", "green")},
			{Config: base + acceptance.ShootOf(acceptance.TemplateWith("type: calico", "type: cilium"), "deletion_protection ="), ExpectError: acceptance.ErrorLike(
				"Cluster would have to be made anew", "spec.networking.type")},
			{Config: base + acceptance.ShootOf(acceptance.TemplateWith(), "deletion_protection =", moved, `on_immutable_change = "replace"`),
				ExpectError: acceptance.ErrorLike("Cluster is protected")},
			{Config: base, ExpectError: acceptance.ErrorLike("Cluster is protected", "blue")},
			{Config: base + acceptance.ShootOf(acceptance.TemplateWith()), Check: same},
			{
				Config: base + acceptance.ShootOf(acceptance.TemplateWith(), moved, `on_immutable_change = "replace"`),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(acceptance.ShootOne, plancheck.ResourceActionReplace),
				}},
				Check: func(*terraform.State) error {
					shoot, err := l.Live("blue")
					if err != nil {
						return err
					}
					if string(shoot.UID) == uid {
						return errors.New("the cluster was not made anew")
					}
					return acceptance.Equal("account", *shoot.Spec.CredentialsBindingName, "aws-2")
				},
			},
		},
	})
}

// Of two clusters that want the last place one is refused at plan, and a claim's reservation is its cluster's own place.
func TestAccShoot_lastPlace(t *testing.T) {
	t.Parallel()
	l := acceptance.NewClusterLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Tenant: "ga-1"})
	l.Shoots(t, "aws-1", 1)
	settings := l.Provider(`multi_account = { allowed_global_accounts = ["*"], limits = { default = 2 } }`)
	claim := acceptance.RulesAWS + acceptance.ClaimOf("one", "ga-1", `cluster_name = "blue"`, `on_destroy = "keep"`)
	second := strings.NewReplacer(`"one"`, `"two"`, `"blue"`, `"green"`).Replace(acceptance.ShootOf(acceptance.TemplateWith()))
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{Config: settings + claim},
			{Config: settings + claim + acceptance.ShootOf(acceptance.TemplateWith()) + second, PlanOnly: true, ExpectError: acceptance.ErrorLike("Account has no room for the cluster",
				"this is cluster 3 of limit 2 on account aws-1")},
			{Config: settings + claim + acceptance.ShootOf(acceptance.TemplateWith())},
		},
	})
}

// A plan says that another state may have the cluster that it is going to take up, before anything is written. The cluster of this state is
// none of those, also where it is tainted.
func TestAccShoot_planSaysWhatItAdopts(t *testing.T) {
	t.Parallel()
	l := acceptance.NewClusterLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Tenant: "ga-1"})
	claim := l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("one", "ga-1", `on_destroy = "keep"`)
	cluster := acceptance.ShootOf(acceptance.TemplateWith(), `credentials_binding_name = "aws-1"`, `global_account = "ga-1"`, `wait_for = "created"`)
	own := acceptance.NewEar(nil)
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: own.Factories(),
		Steps: []resource.TestStep{
			{Config: claim},
			{Config: claim + cluster, Check: func(*terraform.State) error {
				before, err := l.Live("blue")
				if err != nil {
					return err
				}
				ear := acceptance.NewEar(nil)
				inprocess.Test(t, resource.TestCase{ // a state of its own
					ProtoV6ProviderFactories: ear.Factories(),
					Steps:                    []resource.TestStep{{Config: l.Provider() + cluster, PlanOnly: true, ExpectNonEmptyPlan: true}},
				})
				ear.Want(t, tfprotov6.DiagnosticSeverityWarning, diagnose.SummaryShootAdopts, "name", "Cluster blue", string(before.UID),
					"is not in this state", "a destroy from here destroys it there")
				after, err := l.Live("blue")
				if err == nil && after.Generation != before.Generation {
					err = fmt.Errorf("the plan wrote: generation %d, was %d", after.Generation, before.Generation)
				}
				return err
			}},
			{Config: claim + cluster, Taint: []string{"hap_shoot.one"}},
		},
	})
	if said := own.DetailsOf(diagnose.SummaryShootAdopts); len(said) != 0 {
		t.Errorf("of the state's own cluster the plan says %q", said)
	}
}

// The error of a cluster that exists says how to import it, and the cluster is not touched.
func TestAccShoot_exists(t *testing.T) {
	t.Parallel()
	l := acceptance.NewClusterLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Tenant: "ga-1"})
	names := l.Shoots(t, "aws-1", 1)
	before, err := l.Live(names[0])
	if err != nil {
		t.Fatal(err)
	}
	claim := l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("one", "ga-1", `on_destroy = "keep"`)
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{Config: claim},
			{Config: claim + acceptance.ShootOf(acceptance.TemplateWith(), fmt.Sprintf("name = %q", names[0])), ExpectError: acceptance.ErrorLike("Cluster exists already", "import")},
		},
	})
	if after, err := l.Live(names[0]); err != nil || after.Generation != before.Generation || !maps.Equal(after.Labels, before.Labels) ||
		!maps.Equal(after.Annotations, before.Annotations) {
		t.Errorf("the Shoot was touched: %v", err)
	}
}

// holder returns the account that a Global Account holds.
func holder(t *testing.T, l acceptance.ClusterLandscape, ga string) string {
	t.Helper()
	for _, a := range l.ListAccounts(t) {
		if a.Labels["tenantName"] == ga {
			return a.Name
		}
	}
	return ""
}

// A cluster that another party has moved to another account is never replaced: only a change of the configuration replaces.
func TestAccShoot_movedByHand(t *testing.T) {
	t.Parallel()
	l := acceptance.NewClusterLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Tenant: "ga-1"},
		testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws", Tenant: "ga-2"})
	config := l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("one", "ga-1") + acceptance.ShootOf(acceptance.TemplateWith(), `on_immutable_change = "replace"`)
	var uid string
	move := func(account string) func() {
		return func() {
			l.Edit(t, "blue", func(shoot *gardencore.Shoot) {
				uid, shoot.Spec.CredentialsBindingName = string(shoot.UID), &account
			})
		}
	}
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{Config: config},
			{PreConfig: move("aws-2"), Config: config, ExpectError: acceptance.ErrorLike("Cluster would move to another account", "aws-1", "aws-2",
				"another party has moved it")},
			{PreConfig: move("aws-1"), Config: config, Check: func(*terraform.State) error {
				shoot, err := l.Live("blue")
				if err != nil {
					return err
				}
				return acceptance.Equal("uid", string(shoot.UID), uid)
			}},
		},
	})
}

// A configuration that follows a cluster to the account where another party has moved it puts it there: moved back, the cluster is not
// replaced, and it can be moved to a third account, or destroyed, as any other.
func TestAccShoot_followedByTheConfiguration(t *testing.T) {
	t.Parallel()
	l := acceptance.NewClusterLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"},
		testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws"})
	base := l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("one", "ga-1", `binding_name = "aws-1"`) +
		acceptance.ClaimOf("two", "ga-1", `binding_name = "aws-2"`)
	on := func(claim string) string {
		return base + acceptance.ShootOf(acceptance.TemplateWith(), `on_immutable_change = "replace"`,
			"credentials_binding_name = hap_credentials_binding_claim."+claim+".binding_name")
	}
	move := func(account string) func() {
		return func() {
			l.Edit(t, "blue", func(shoot *gardencore.Shoot) { shoot.Spec.CredentialsBindingName = &account })
			for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) { // one that is not ready is updated anyway
				shoot, err := l.Live("blue")
				if err != nil || time.Now().After(end) {
					t.Fatalf("the cluster does not become ready: %v", err)
				}
				if last := shoot.Status.LastOperation; shoot.Status.ObservedGeneration == shoot.Generation && last != nil &&
					last.State == gardencore.LastOperationStateSucceeded {
					return
				}
			}
		}
	}
	var uid string
	same := func(*terraform.State) error {
		shoot, err := l.Live("blue")
		if err != nil {
			return err
		}
		if uid == "" {
			uid = string(shoot.UID)
		}
		return acceptance.Equal("uid", string(shoot.UID), uid)
	}
	refused := acceptance.ErrorLike(diagnose.SummaryShootMoved, "put cluster blue on account aws-2", `it is on account "aws-1" now`)
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		CheckDestroy:             l.NoShoot,
		Steps: []resource.TestStep{
			{Config: on("one"), Check: same},
			{PreConfig: move("aws-2"), Config: on("two"), Check: same, ConfigPlanChecks: resource.ConfigPlanChecks{
				PreApply:             []plancheck.PlanCheck{plancheck.ExpectResourceAction(acceptance.ShootOne, plancheck.ResourceActionUpdate)},
				PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
			}},
			{PreConfig: move("aws-1"), Config: on("two"), ExpectError: refused},
			{PreConfig: move("aws-2"), Config: on("two"), Check: same},
		},
	})
}

// A cluster that is ready stays so while Gardener reconciles it without a change of its spec, as it does once a day: a plan at that time is
// empty, and what is inside the cluster goes on being reached. A change of its spec makes it one that is not ready.
func TestAccShoot_reconciledUnchanged(t *testing.T) {
	t.Parallel()
	var stuck atomic.Bool
	l := acceptance.WithGardenlet(t, acceptance.NewLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"}),
		func(shoot *gardencore.Shoot) gardenlet.Course {
			return gardenlet.Course{Steps: 3, Stuck: stuck.Load() && shoot.DeletionTimestamp == nil}
		})
	config := l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("one", "ga-1") + acceptance.ShootOf(acceptance.TemplateWith(), `timeouts = { update = "2s" }`)
	begins := func(change func(*gardencore.Shoot)) func() {
		return func() {
			stuck.Store(true)
			admin, blue := l.Garden().AdminClient(), &gardencore.Shoot{ObjectMeta: metav1.ObjectMeta{Namespace: l.Name, Name: "blue"}}
			edit.Object(t, admin, blue, change)
			edit.Status(t, admin, blue, func(shoot *gardencore.Shoot) {
				shoot.Status.ObservedGeneration = shoot.Generation
				shoot.Status.LastOperation = &gardencore.LastOperation{Type: gardencore.LastOperationTypeReconcile,
					State: gardencore.LastOperationStateProcessing, Progress: 42, Description: "at work", LastUpdateTime: metav1.Now()}
			})
		}
	}
	ready := func(is bool) []statecheck.StateCheck {
		return []statecheck.StateCheck{acceptance.ShootValue("ready", knownvalue.Bool(is))}
	}
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		CheckDestroy:             l.NoShoot,
		Steps: []resource.TestStep{
			{Config: config, ConfigStateChecks: ready(true)},
			{PreConfig: begins(func(*gardencore.Shoot) {}), Config: config, ConfigPlanChecks: resource.ConfigPlanChecks{
				PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}, ConfigStateChecks: ready(true)},
			{PreConfig: begins(func(s *gardencore.Shoot) {
				s.Spec.Purpose = new(gardencore.ShootPurposeDevelopment)
			}),
				Config: config, ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(acceptance.ShootOne, plancheck.ResourceActionUpdate)}},
				ConfigStateChecks: ready(false), ExpectNonEmptyPlan: true},
			{PreConfig: func() { stuck.Store(false) }, Config: config, ConfigStateChecks: ready(true)},
		},
	})
}

// A cluster that Gardener has given up is retried also where nothing is waited for, and no plan is silent about it. The retry is no part of
// what the template owns.
func TestAccShoot_givenUpUnawaited(t *testing.T) {
	t.Parallel()
	var begun, mended atomic.Bool
	l := acceptance.WithGardenlet(t, acceptance.NewLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"}), func(*gardencore.Shoot) gardenlet.Course {
		return gardenlet.Course{Steps: 3, Stuck: !begun.Load(), Ends: true, Mended: mended.Load, Fails: []gardencore.LastError{{Description: "twelve hours are over"}}}
	})
	config := l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("one", "ga-1") + acceptance.ShootOf(acceptance.TemplateWith(), `wait_for = "created"`)
	awaitState := func(state gardencore.LastOperationState) func() {
		return func() {
			t.Helper()
			begun.Store(true) // no sooner: a refresh would find it given up
			for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
				shoot, err := l.Live("blue")
				if err == nil && shoot.Status.LastOperation != nil && shoot.Status.LastOperation.State == state {
					return
				}
				if time.Now().After(end) {
					t.Fatalf("the cluster does not become %s: %v", state, err)
				}
			}
		}
	}
	ear := acceptance.NewEar(nil)
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: ear.Factories(),
		CheckDestroy:             l.NoShoot,
		Steps: []resource.TestStep{
			{Config: config},
			{
				PreConfig: awaitState(gardencore.LastOperationStateFailed), Config: config,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					acceptance.OnPlan(func() { mended.Store(true) }), plancheck.ExpectResourceAction(acceptance.ShootOne, plancheck.ResourceActionUpdate),
				}},
				Check: func(*terraform.State) error {
					ear.Want(t, tfprotov6.DiagnosticSeverityWarning, "Gardener has given up", "", "given up cluster blue (Create 66 %)",
						"This apply asks Gardener to go on")
					shoot, err := l.Live("blue")
					if err != nil {
						return err
					}
					return acceptance.Equal("generation", fmt.Sprint(shoot.Generation), "2")
				},
			},
			{PreConfig: awaitState(gardencore.LastOperationStateSucceeded), Config: config, PlanOnly: true},
		},
	})
}
