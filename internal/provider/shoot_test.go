package provider

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
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/gardenlet"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
)

const shootOne = "hap_shoot.one"

// clusterLandscape is a landscape whose user may claim accounts and make clusters on them, with a gardenlet.
type clusterLandscape struct {
	landscape
	*gardenlet.Gardenlet
}

func newClusterLandscape(t *testing.T, accounts ...testbed.AccountSpec) clusterLandscape {
	t.Helper()
	return withGardenlet(t, newLandscape(t, accounts...), nil)
}

// clusterUser has a user in a landscape who may make clusters.
func clusterUser(t *testing.T, l landscape) landscape {
	t.Helper()
	roles := slices.Concat(testbed.DocumentedRole(t), []byte("\n---\n"), testbed.RoleExample(t, "role-clusters.yaml"))
	l.user = l.ServiceAccount(t, "clusters", roles)
	l.kubeconfig = l.user.Kubeconfig(t)
	return l
}

// withGardenlet lets a gardenlet bring up the clusters of a landscape.
func withGardenlet(t *testing.T, l landscape, course func(*gardencore.Shoot) gardenlet.Course) clusterLandscape {
	t.Helper()
	l = clusterUser(t, l)
	g := gardenlet.Of(l.Namespace)
	g.Course = course
	t.Cleanup(g.Start(context.Background()))
	return clusterLandscape{l, g}
}

// live returns a Shoot as the server has it; nil = there is none.
func (l clusterLandscape) live(name string) (*gardencore.Shoot, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	var shoot gardencore.Shoot
	err := l.Garden().AdminClient().Get(ctx, client.ObjectKey{Namespace: l.Name, Name: name}, &shoot)
	if apierrors.IsNotFound(err) {
		return nil, nil //nolint:nilnil // as documented
	}
	return &shoot, err
}

// noShoot fails where the Shoot of a test is there.
func (l clusterLandscape) noShoot(*terraform.State) error {
	shoot, err := l.live("blue")
	if err == nil && shoot != nil {
		return errors.New("the Shoot is there")
	}
	return err
}

// templateWith is the template of a cluster with one group of workers; words are replaced in pairs.
func templateWith(replace ...string) string {
	text := "\nmetadata:\n  labels: {stage: dev}\n" + testbed.ShootTemplate
	return strings.NewReplacer(replace...).Replace(text)
}

// shootOf writes the cluster one: blue on the account of the claim one, for the Global Account of the claim; attributes win over these.
func shootOf(template string, attributes ...string) string {
	lines := map[string]string{"name": `"blue"`, "credentials_binding_name": "hap_credentials_binding_claim.one.binding_name",
		"deletion_protection": "false"}
	for _, a := range attributes {
		name, value, _ := strings.Cut(a, "=")
		lines[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	if _, named := lines["global_account"]; !named && lines["credentials_binding_name"] != "" {
		claim, claimed := strings.CutSuffix(lines["credentials_binding_name"], ".binding_name")
		if !claimed {
			claim = "hap_credentials_binding_claim.one"
		}
		lines["global_account"] = claim + ".global_account"
	}
	text := fmt.Sprintf("resource \"hap_shoot\" \"one\" {\n  template = <<-EOT\n%s\nEOT\n", template)
	for name, value := range lines {
		if value != "" {
			text += fmt.Sprintf("  %s = %s\n", name, value)
		}
	}
	return text + "}\n"
}

func shootValue(attribute string, check knownvalue.Check) statecheck.StateCheck {
	return statecheck.ExpectKnownValue(shootOne, tfjsonpath.New(attribute), check)
}

// A cluster comes to a claimed account, is ready, changes in place, loses what its template names no longer, and goes before its
// account does.
func TestAccShoot_life(t *testing.T) {
	t.Parallel()
	l := newClusterLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	base := l.provider() + rulesAWS + claimOf("one", "ga-1", `cluster_name = "blue"`)
	plan := func(action plancheck.ResourceActionType) resource.ConfigPlanChecks {
		return resource.ConfigPlanChecks{
			PreApply:             []plancheck.PlanCheck{plancheck.ExpectResourceAction(shootOne, action)},
			PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
		}
	}
	var uid string
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		CheckDestroy:             l.noShoot,
		Steps: []resource.TestStep{
			{
				Config:           base + shootOf(templateWith()),
				ConfigPlanChecks: plan(plancheck.ResourceActionCreate),
				ConfigStateChecks: []statecheck.StateCheck{
					shootValue("ready", knownvalue.Bool(true)), shootValue("access_name", knownvalue.StringExact("blue")),
					shootValue("kubernetes_version", knownvalue.StringExact("1.33.2")), shootValue("workerless", knownvalue.Bool(false)),
					shootValue("id", knownvalue.StringExact(l.Name+"/blue")), shootValue("seed", knownvalue.Null()),
					shootValue("api_server_urls", knownvalue.MapSizeExact(1)), shootValue("conditions", knownvalue.MapSizeExact(4)),
					shootValue("ca_certificate", knownvalue.NotNull()),
				},
				Check: func(*terraform.State) error {
					shoot, err := l.live("blue")
					if err != nil {
						return err
					}
					uid = string(shoot.UID)
					return equal("account", *shoot.Spec.CredentialsBindingName, l.holder(t, "ga-1"))
				},
			}, {
				Config: base + shootOf(templateWith("maximum: 2", "maximum: 3", "purpose: evaluation", ""),
					`labels = { team = "a" }`),
				ConfigPlanChecks: plan(plancheck.ResourceActionUpdate),
				Check: func(*terraform.State) error {
					shoot, err := l.live("blue")
					if err != nil {
						return err
					}
					return errors.Join(equal("uid", string(shoot.UID), uid), equal("maximum", fmt.Sprint(shoot.Spec.Provider.Workers[0].Maximum), "3"),
						equal("team", shoot.Labels["team"], "a"), equal("stage", shoot.Labels["stage"], "dev"))
				},
			}, {
				ResourceName: shootOne, ImportState: true, ImportStateId: "blue", ImportStateVerify: true,
				ImportStateVerifyIgnore: []string{"template", "labels", "deletion_protection", "global_account"},
			},
		},
	})
	if tenant := l.tenant(t, "aws-1"); tenant != "ga-1" {
		t.Errorf("aws-1 is held by %q", tenant)
	}
}

// A claim that names its account, and the cluster on it, are made in one run: the plan knows the account, which is not claimed yet, and may
// not be there yet. What an account or Gardener refuses is told at plan all the same.
func TestAccShoot_claimedInTheSameRun(t *testing.T) {
	t.Parallel()
	l := newClusterLandscape(t, testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws"},
		testbed.AccountSpec{Name: "aws-3", HyperscalerType: "aws", Dirty: true})
	roles := slices.Concat(testbed.DocumentedRole(t), []byte("\n---\n"), testbed.RoleExample(t, "role-clusters.yaml"), []byte("\n---\n"),
		testbed.RoleExample(t, "role-supply.yaml"))
	l.user = l.ServiceAccount(t, "all", roles)
	l.kubeconfig = l.user.Kubeconfig(t)
	l.Secret(t, "aws-1", map[string][]byte{"credential": []byte(testbed.Credential)})
	pinned := func(account string) string {
		return l.provider() + rulesAWS + claimOf("one", "ga-1", "binding_name = "+account)
	}
	on := func(account, more string) resource.TestStep {
		return resource.TestStep{
			Config: pinned(account) + shootOf(templateWith()) + more,
			ConfigPlanChecks: resource.ConfigPlanChecks{
				PreApply:             []plancheck.PlanCheck{plancheck.ExpectResourceAction(shootOne, plancheck.ResourceActionCreate)},
				PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
			},
			ConfigStateChecks: []statecheck.StateCheck{shootValue("ready", knownvalue.Bool(true))},
		}
	}
	refused := func(account, template, summary string, words ...string) resource.TestStep {
		return resource.TestStep{
			Config: pinned(account) + shootOf(template), PlanOnly: true, ExpectError: errorLike(summary, words...),
		}
	}
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		CheckDestroy:             l.noShoot,
		Steps: []resource.TestStep{
			refused(`"aws-3"`, templateWith(), "Account takes no cluster", "aws-3", "(label dirty="),
			refused(`"aws-2"`, templateWith("type: medium", "type: huge"), "Gardener refuses the cluster", "huge", "medium"),
			{
				Config: pinned(`"aws-2"`) + shootOf(templateWith(), `global_account = "ga-2"`), PlanOnly: true,
				ExpectError: errorLike("Account takes no cluster", "held by Global Account ga-1", "for ga-2"),
			},
			on(`"aws-2"`, ""),
			{Config: l.provider() + rulesAWS, Check: l.noShoot},
			on("hap_account.one.name", accountOf()), // the account, its claim and the cluster
			{Config: l.provider() + rulesAWS + accountOf(), Check: l.noShoot},
			{PreConfig: l.put(t, nil), Config: l.provider() + rulesAWS}, // a clean-up job has wiped it
		},
	})
}

// Bad input is told at plan, by Gardener itself where it knows better, and nothing is written.
func TestAccShoot_badInput(t *testing.T) {
	t.Parallel()
	l := newClusterLandscape(t, testbed.AccountSpec{Name: "gcp-free", HyperscalerType: "gcp"})
	n := 0
	for name, test := range map[string]struct {
		config  string
		summary string
		words   []string
	}{
		"a machine type that does not exist": {shootOf(templateWith("type: medium", "type: huge")), "Gardener refuses the cluster",
			[]string{"machine.type", "Unsupported value", "huge", "medium"}},
		"a zone of another region": {shootOf(templateWith("region-1a", "region-2a")), "Gardener refuses the cluster", []string{"zones", "region-2a"}},
		"workers without an account": {shootOf(templateWith(), "credentials_binding_name ="), "Account does not fit the workers",
			[]string{"machines need an account"}},
		"an account without workers": {shootOf("spec: {provider: {type: aws}}"), "Account does not fit the workers", []string{"no workers"}},
		"a name too long":            {shootOf(templateWith(), `name = "a-name-that-is-too-long"`), "Invalid Attribute Value Length", []string{"21"}},
		"a name too long with the project's": {shootOf(templateWith(), `name = "a-name-far-too-long-x"`), "Gardener refuses the cluster",
			[]string{"21"}},
		"a name with other characters": {shootOf(templateWith(), `name = "Blue_1"`), "Invalid Attribute Value Match",
			[]string{"small letters, digits and -"}},
		"an unknown field two levels deep": {shootOf(templateWith("    type: aws\n", "    tpye: aws\n")), "Gardener refuses the cluster",
			[]string{"spec.provider.tpye", "did you mean type"}},
		"a template that names another account": {shootOf(templateWith("  region: region-1", "  credentialsBindingName: gcp-free\n  region: region-1")),
			"Template names an account itself", []string{"gcp-free", "credentials_binding_name"}},
		"a template with the other field for the account": {shootOf(templateWith("  region: region-1", "  secretBindingName: gcp-free\n  region: region-1")),
			"Template names an account itself", []string{"secretBindingName: gcp-free"}},
		"an account that no claim got": {shootOf(templateWith(), `credentials_binding_name = "gcp-free"`), "Account takes no cluster",
			[]string{"no Global Account holds account gcp-free"}},
		"an account of another Global Account": {shootOf(templateWith(), `global_account = "ga-other"`), "Account takes no cluster",
			[]string{"is held by Global Account ga-", "the cluster is for ga-other"}},
		"a dedicated account, and no Global Account": {shootOf(templateWith(), "global_account ="), "Global Account of the clusters is missing",
			[]string{"is dedicated", "Set global_account to that of"}},
		"an account that does not exist": {shootOf(templateWith(), `credentials_binding_name = "aws-9"`), "No such account", []string{"aws-9"}},
	} {
		n++
		ga := fmt.Sprintf("ga-%d", n)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l.Account(t, testbed.AccountSpec{Name: "aws-" + ga, HyperscalerType: "aws", Tenant: ga})
			claim := l.provider() + rulesAWS + claimOf("one", ga)
			inprocess.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: factories,
				Steps: []resource.TestStep{
					{Config: claim}, // the account has to be known at plan for the server to be asked
					{Config: claim + test.config, PlanOnly: true, ExpectError: errorLike(test.summary, test.words...)},
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

// onPlan is called when there is a plan.
type onPlan func()

func (f onPlan) CheckPlan(context.Context, plancheck.CheckPlanRequest, *plancheck.CheckPlanResponse) {
	f()
}

// A cluster that is slow is kept, and the next apply waits on.
func TestAccShoot_slow(t *testing.T) {
	t.Parallel()
	var stuck atomic.Bool
	stuck.Store(true)
	l := withGardenlet(t, newLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"}), func(*gardencore.Shoot) gardenlet.Course {
		return gardenlet.Course{Stuck: stuck.Load(), Steps: 3, Pace: 5 * time.Second} // slower than a plan
	})
	base := l.provider() + rulesAWS + claimOf("one", "ga-1")
	config := base + shootOf(templateWith(), `timeouts = { create = "3s", update = "30s" }`)
	var uid string
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		CheckDestroy:             l.noShoot,
		Steps: []resource.TestStep{
			{
				Config: config, ExpectNonEmptyPlan: true,
				ConfigStateChecks: []statecheck.StateCheck{
					shootValue("ready", knownvalue.Bool(false)), shootValue("access_name", knownvalue.Null()),
				},
				Check: func(*terraform.State) error {
					shoot, err := l.live("blue")
					if err == nil {
						uid = string(shoot.UID)
					}
					return err
				},
			}, {
				Config: config,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					onPlan(func() { stuck.Store(false) }), // no sooner: a refresh would find it ready
					plancheck.ExpectResourceAction(shootOne, plancheck.ResourceActionUpdate),
					plancheck.ExpectUnknownValue(shootOne, tfjsonpath.New("ready")),
					plancheck.ExpectUnknownValue(shootOne, tfjsonpath.New("access_name")),
				}},
				ConfigStateChecks: []statecheck.StateCheck{shootValue("ready", knownvalue.Bool(true))},
				Check: func(*terraform.State) error {
					shoot, err := l.live("blue")
					if err != nil {
						return err
					}
					return equal("uid", string(shoot.UID), uid)
				},
			},
		},
	})
}

// Drift of what the template names is told by name and put right in place; what others add stays.
func TestAccShoot_drift(t *testing.T) {
	t.Parallel()
	l := newClusterLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	config := l.provider() + rulesAWS + claimOf("one", "ga-1") + shootOf(templateWith())
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		Steps: []resource.TestStep{
			{Config: config},
			{
				PreConfig: func() {
					shoot, err := l.live("blue")
					if err != nil {
						t.Fatal(err)
					}
					shoot.Spec.Provider.Workers[0].Maximum = 7
					shoot.Labels["theirs"] = "stays"
					if err := l.Garden().AdminClient().Update(context.Background(), shoot); err != nil {
						t.Fatal(err)
					}
				},
				Config: config,
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply:             []plancheck.PlanCheck{plancheck.ExpectResourceAction(shootOne, plancheck.ResourceActionUpdate)},
					PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
				},
				Check: func(*terraform.State) error {
					shoot, err := l.live("blue")
					if err != nil {
						return err
					}
					return errors.Join(equal("maximum", fmt.Sprint(shoot.Spec.Provider.Workers[0].Maximum), "2"),
						equal("theirs", shoot.Labels["theirs"], "stays"))
				},
			},
		},
	})
}

// The account of a live cluster never changes, a protected cluster is neither destroyed nor replaced, and a replacement has to be
// asked for twice.
func TestAccShoot_protected(t *testing.T) {
	t.Parallel()
	l := newClusterLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Tenant: "ga-1"},
		testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws", Tenant: "ga-2"})
	base := l.provider() + rulesAWS + claimOf("one", "ga-1") + claimOf("two", "ga-2")
	moved := "credentials_binding_name = hap_credentials_binding_claim.two.binding_name"
	var uid string
	same := func(*terraform.State) error {
		shoot, err := l.live("blue")
		if err != nil {
			return err
		}
		if uid == "" {
			uid = string(shoot.UID)
		}
		return errors.Join(equal("uid", string(shoot.UID), uid), equal("account", *shoot.Spec.CredentialsBindingName, "aws-1"))
	}
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		Steps: []resource.TestStep{
			{Config: base + shootOf(templateWith(), "deletion_protection ="), Check: same},
			{Config: base + shootOf(templateWith(), "deletion_protection =", moved), ExpectError: errorLike("Cluster would have to be made anew",
				"credentials_binding_name", "aws-2", "aws-1")},
			{Config: base + shootOf(templateWith(), "deletion_protection =", `name = "green"`), ExpectError: errorLike(
				"Cluster would have to be made anew", "name", "green")},
			{Config: base + shootOf(templateWith("type: calico", "type: cilium"), "deletion_protection ="), ExpectError: errorLike(
				"Cluster would have to be made anew", "spec.networking.type")},
			{Config: base + shootOf(templateWith(), "deletion_protection =", moved, `on_immutable_change = "replace"`),
				ExpectError: errorLike("Cluster is protected")},
			{Config: base, ExpectError: errorLike("Cluster is protected", "blue")},
			{Config: base + shootOf(templateWith()), Check: same},
			{
				Config: base + shootOf(templateWith(), moved, `on_immutable_change = "replace"`),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(shootOne, plancheck.ResourceActionReplace),
				}},
				Check: func(*terraform.State) error {
					shoot, err := l.live("blue")
					if err != nil {
						return err
					}
					if string(shoot.UID) == uid {
						return errors.New("the cluster was not made anew")
					}
					return equal("account", *shoot.Spec.CredentialsBindingName, "aws-2")
				},
			},
		},
	})
}

// Of two clusters that want the last place one is refused at plan, and a claim's reservation is its cluster's own place.
func TestAccShoot_lastPlace(t *testing.T) {
	t.Parallel()
	l := newClusterLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Tenant: "ga-1"})
	l.Shoots(t, "aws-1", 1)
	settings := l.provider(`multi_account = { allowed_global_accounts = ["*"], limits = { default = 2 } }`)
	claim := rulesAWS + claimOf("one", "ga-1", `cluster_name = "blue"`, `on_destroy = "keep"`)
	second := strings.NewReplacer(`"one"`, `"two"`, `"blue"`, `"green"`).Replace(shootOf(templateWith()))
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		Steps: []resource.TestStep{
			{Config: settings + claim},
			{Config: settings + claim + shootOf(templateWith()) + second, PlanOnly: true, ExpectError: errorLike("Account has no room for the cluster",
				"this is cluster 3 of limit 2 on account aws-1")},
			{Config: settings + claim + shootOf(templateWith())},
		},
	})
}

// A cluster that exists is told with how to import it, and is not touched.
func TestAccShoot_exists(t *testing.T) {
	t.Parallel()
	l := newClusterLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Tenant: "ga-1"})
	names := l.Shoots(t, "aws-1", 1)
	before, err := l.live(names[0])
	if err != nil {
		t.Fatal(err)
	}
	claim := l.provider() + rulesAWS + claimOf("one", "ga-1", `on_destroy = "keep"`)
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		Steps: []resource.TestStep{
			{Config: claim},
			{Config: claim + shootOf(templateWith(), fmt.Sprintf("name = %q", names[0])), ExpectError: errorLike("Cluster exists already", "import")},
		},
	})
	if after, err := l.live(names[0]); err != nil || after.Generation != before.Generation || !maps.Equal(after.Labels, before.Labels) ||
		!maps.Equal(after.Annotations, before.Annotations) {
		t.Errorf("the Shoot was touched: %v", err)
	}
}

// holder returns the account that a Global Account holds.
func (l clusterLandscape) holder(t *testing.T, ga string) string {
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
	l := newClusterLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Tenant: "ga-1"},
		testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws", Tenant: "ga-2"})
	config := l.provider() + rulesAWS + claimOf("one", "ga-1") + shootOf(templateWith(), `on_immutable_change = "replace"`)
	var uid string
	move := func(account string) func() {
		return func() {
			shoot, err := l.live("blue")
			if err == nil {
				uid, shoot.Spec.CredentialsBindingName = string(shoot.UID), &account
				err = l.Garden().AdminClient().Update(context.Background(), shoot)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		Steps: []resource.TestStep{
			{Config: config},
			{PreConfig: move("aws-2"), Config: config, ExpectError: errorLike("Cluster would move to another account", "aws-1", "aws-2",
				"another party has moved it")},
			{PreConfig: move("aws-1"), Config: config, Check: func(*terraform.State) error {
				shoot, err := l.live("blue")
				if err != nil {
					return err
				}
				return equal("uid", string(shoot.UID), uid)
			}},
		},
	})
}

// A cluster that Gardener has given up is retried also where nothing is waited for, and no plan is silent about it. The retry is no part of
// what the template owns.
func TestAccShoot_givenUpUnawaited(t *testing.T) {
	t.Parallel()
	var begun, mended atomic.Bool
	l := withGardenlet(t, newLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"}), func(*gardencore.Shoot) gardenlet.Course {
		return gardenlet.Course{Steps: 3, Stuck: !begun.Load(), Ends: true, Mended: mended.Load, Fails: []gardencore.LastError{{Description: "twelve hours are over"}}}
	})
	config := l.provider() + rulesAWS + claimOf("one", "ga-1") + shootOf(templateWith(), `wait_for = "created"`)
	awaitState := func(state gardencore.LastOperationState) func() {
		return func() {
			t.Helper()
			begun.Store(true) // no sooner: a refresh would find it given up
			for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
				shoot, err := l.live("blue")
				if err == nil && shoot.Status.LastOperation != nil && shoot.Status.LastOperation.State == state {
					return
				}
				if time.Now().After(end) {
					t.Fatalf("the cluster does not become %s: %v", state, err)
				}
			}
		}
	}
	ear := newEar(nil)
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: ear.factories(),
		CheckDestroy:             l.noShoot,
		Steps: []resource.TestStep{
			{Config: config},
			{
				PreConfig: awaitState(gardencore.LastOperationStateFailed), Config: config,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					onPlan(func() { mended.Store(true) }), plancheck.ExpectResourceAction(shootOne, plancheck.ResourceActionUpdate),
				}},
				Check: func(*terraform.State) error {
					ear.want(t, tfprotov6.DiagnosticSeverityWarning, "Gardener has given up", "", "given up cluster blue (Create 66 %)",
						"This apply asks Gardener to go on")
					shoot, err := l.live("blue")
					if err != nil {
						return err
					}
					return equal("generation", fmt.Sprint(shoot.Generation), "2")
				},
			},
			{PreConfig: awaitState(gardencore.LastOperationStateSucceeded), Config: config, PlanOnly: true},
		},
	})
}
