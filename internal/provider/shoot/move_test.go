package shoot_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/hap-project/terraform-provider-hap/internal/overview"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
)

// movingLandscape is an older landscape that moves to CredentialsBindings: its user has the Roles for both.
type movingLandscape struct {
	acceptance.ClusterLandscape
	kind string
}

func newMovingLandscape(t *testing.T, kind string, accounts ...testbed.AccountSpec) movingLandscape {
	t.Helper()
	l := acceptance.NewClusterLandscape(t)
	for _, a := range accounts {
		a.Kind = kind
		l.Accounts(t, a)
	}
	roles := []string{string(testbed.DocumentedRole(t)), string(testbed.RoleExample(t, "role-clusters.yaml")), string(testbed.RoleExample(t, "role-move.yaml")),
		beside(testbed.DocumentedRoleOf(t, kind))}
	l.User = l.ServiceAccount(t, "moving", []byte(strings.Join(roles, "\n---\n")))
	l.Kubeconfig = l.User.Kubeconfig(t)
	return movingLandscape{l, kind}
}

// beside is a Role under another name, to be granted beside that of CredentialsBindings.
func beside(role []byte) string {
	return strings.Replace(string(role), "name: hap-provider", "name: hap-older", 1)
}

// of is the provider block for a kind of pool.
func (l movingLandscape) of(kind string) string {
	return l.Provider(fmt.Sprintf("pool = { kind = %q }", kind))
}

// binding makes a CredentialsBinding of the account aws-1, as Gardener's own migration does: it refers to the same Secret, with the same
// labels.
func (l movingLandscape) binding(t *testing.T, name string, changes ...func(*testbed.AccountSpec)) func() {
	t.Helper()
	return func() {
		spec := testbed.AccountSpec{Name: name, Secret: "aws-1", HyperscalerType: "aws", Tenant: "ga-1"}
		for _, change := range changes {
			change(&spec)
		}
		l.Accounts(t, spec)
	}
}

// switchTo has a Shoot name a CredentialsBinding in place of what it names, as a person does.
func (l movingLandscape) switchTo(t *testing.T, shootName, binding string) {
	t.Helper()
	l.Edit(t, shootName, func(shoot *gardencore.Shoot) {
		shoot.Spec.SecretBindingName, shoot.Spec.CredentialsBindingName = nil, &binding //nolint:staticcheck // that is what is left
	})
}

// secretBindingOf is the SecretBinding that a Shoot names; empty = it names none.
func secretBindingOf(shoot *gardencore.Shoot) string {
	if name := shoot.Spec.SecretBindingName; name != nil { //nolint:staticcheck // that is what is left
		return *name
	}
	return ""
}

// takeDown deletes a Shoot, and waits for the gardenlet.
func (l movingLandscape) takeDown(t *testing.T, name string) {
	t.Helper()
	l.Edit(t, name, func(shoot *gardencore.Shoot) { shoot.Annotations["confirmation.gardener.cloud/deletion"] = "true" })
	shoot, err := l.Live(name)
	if err == nil {
		err = l.Garden().AdminClient().Delete(context.Background(), shoot)
	}
	for end := time.Now().Add(2 * time.Minute); err == nil && shoot != nil; time.Sleep(100 * time.Millisecond) {
		if shoot, err = l.Live(name); err == nil && time.Now().After(end) {
			err = errors.New("the Shoot is still there")
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// wantMoved: the CredentialsBinding is the Global Account's and has the record of the claim one, the old object has its label and no
// record, and neither is dirty.
func (l movingLandscape) wantMoved(t *testing.T, to string) resource.TestCheckFunc {
	t.Helper()
	return func(*terraform.State) error {
		older, now := l.GetObject(t, l.kind, "aws-1"), l.GetAccount(t, to)
		return errors.Join(
			acceptance.Equal("tenant of "+to, now.Labels["tenantName"], "ga-1"), acceptance.Equal("tenant of the old binding", older.GetLabels()["tenantName"], "ga-1"),
			acceptance.Equal("records on "+to, claimRecords(now.Annotations), "1"), acceptance.Equal("records on the old binding", claimRecords(older.GetAnnotations()), "0"),
			acceptance.Equal("dirty", now.Labels["dirty"]+older.GetLabels()["dirty"], ""))
	}
}

// claimRecords counts the records of claims.
func claimRecords(annotations map[string]string) string {
	n := 0
	for key := range annotations {
		if strings.HasPrefix(key, account.AnnotationPrefix) {
			n++
		}
	}
	return fmt.Sprint(n)
}

const claimOne = "hap_credentials_binding_claim.one"

// A claim follows its cloud account to a CredentialsBinding, under a live cluster that a person switches: the record goes along, nothing is
// marked, and a destroy marks both bindings when the cluster is gone.
func TestAccMove_underALiveCluster(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		kind, to string
		tenant   string // the label of the new binding
	}{
		"SecretBinding, the same name":      {testbed.SecretBinding, "aws-1", "ga-1"},
		"SecretBinding, another name":       {testbed.SecretBinding, "aws-new", "ga-1"},
		"SecretBinding, without the tenant": {testbed.SecretBinding, "aws-1", ""},
		"Secret, the same name":             {testbed.Secret, "aws-1", "ga-1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newMovingLandscape(t, c.kind, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
			names := "aws-1"
			if c.kind == testbed.Secret {
				names = "aws-1-binding"
				l.Accounts(t, testbed.AccountSpec{Name: names, Kind: testbed.SecretBinding, Secret: "aws-1"})
			}
			rest := acceptance.RulesAWS + acceptance.ClaimOf("one", "ga-1", `cluster_name = "blue"`)
			before, after := l.of(c.kind)+rest, l.of(testbed.CredentialsBinding)+rest
			resource.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: acceptance.Factories,
				Steps: []resource.TestStep{
					{Config: before},
					{PreConfig: func() {
						l.ShootBy(t, "blue", testbed.SecretBinding, names)
						l.binding(t, c.to, func(s *testbed.AccountSpec) { s.Tenant = c.tenant })()
						l.switchTo(t, "blue", c.to)
					}, Config: before, ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}},
					{Config: after, ConfigPlanChecks: resource.ConfigPlanChecks{
						PreApply:             []plancheck.PlanCheck{plancheck.ExpectResourceAction(claimOne, plancheck.ResourceActionUpdate)},
						PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
					}, ConfigStateChecks: []statecheck.StateCheck{
						statecheck.ExpectKnownValue(claimOne, tfjsonpath.New("binding_name"), knownvalue.StringExact(c.to)),
						statecheck.ExpectKnownValue(claimOne, tfjsonpath.New("id"), knownvalue.StringExact("ga-1/"+c.to+"/one")),
						statecheck.ExpectKnownValue(claimOne, tfjsonpath.New("cluster_count"), knownvalue.Int64Exact(1)),
					}, Check: l.wantMoved(t, c.to)},
					{Config: after, Destroy: true, ExpectError: acceptance.ErrorLike(diagnose.SummaryInUse, "Shoot blue")},
					{PreConfig: func() { l.takeDown(t, "blue") }, Config: after, Destroy: true},
				},
			})
		})
	}
}

// hap_shoot goes along: it is switched in place, by the apply or by a person before it, and is the same cluster on the same account.
func TestAccMove_withItsShoot(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		to     string
		byHand bool
		action plancheck.ResourceActionType
	}{
		"the same name":              {"aws-1", false, plancheck.ResourceActionUpdate},
		"another name":               {"aws-new", false, plancheck.ResourceActionUpdate},
		"the same name, by a person": {"aws-1", true, plancheck.ResourceActionNoop},
		"another name, by a person":  {"aws-new", true, plancheck.ResourceActionUpdate},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newMovingLandscape(t, testbed.SecretBinding, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
			rest := acceptance.RulesAWS + acceptance.ClaimOf("one", "ga-1", `cluster_name = "blue"`) + acceptance.ShootOf(acceptance.TemplateWith())
			before, after := l.of(testbed.SecretBinding)+rest, l.of(testbed.CredentialsBinding)+rest
			changed := l.of(testbed.SecretBinding) + acceptance.RulesAWS + acceptance.ClaimOf("one", "ga-1", `cluster_name = "blue"`) +
				acceptance.ShootOf(acceptance.TemplateWith("dev", "live"))
			var uid string
			resource.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: acceptance.Factories,
				CheckDestroy:             l.NoShoot,
				Steps: []resource.TestStep{
					{Config: before, Check: func(*terraform.State) error {
						shoot, err := l.Live("blue")
						uid = string(shoot.UID)
						return errors.Join(err, acceptance.Equal("binding", secretBindingOf(shoot), "aws-1"))
					}},
					{PreConfig: func() {
						l.binding(t, c.to)()
						if c.byHand {
							l.switchTo(t, "blue", c.to)
						}
					}, SkipFunc: func() (bool, error) { return !c.byHand, nil }, Config: changed, ExpectError: acceptance.ErrorLike(
						diagnose.SummarySettingsChanged, "the kind of binding of cluster blue is CredentialsBinding", `pool.kind = "CredentialsBinding"`)},
					{Config: after, ConfigPlanChecks: resource.ConfigPlanChecks{
						PreApply: []plancheck.PlanCheck{
							plancheck.ExpectResourceAction(claimOne, plancheck.ResourceActionUpdate), plancheck.ExpectResourceAction(acceptance.ShootOne, c.action),
						},
						PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
					}, ConfigStateChecks: []statecheck.StateCheck{
						acceptance.ShootValue("credentials_binding_name", knownvalue.StringExact(c.to)), acceptance.ShootValue("ready", knownvalue.Bool(true)),
					}, Check: resource.ComposeAggregateTestCheckFunc(l.wantMoved(t, c.to), func(*terraform.State) error {
						shoot, err := l.Live("blue")
						if err != nil {
							return err
						}
						return errors.Join(acceptance.Equal("SecretBinding", secretBindingOf(shoot), ""),
							acceptance.Equal("CredentialsBinding", *shoot.Spec.CredentialsBindingName, c.to), acceptance.Equal("uid", string(shoot.UID), uid))
					})},
				},
			})
		})
	}
}

// Gardener lets a Shoot change to a CredentialsBinding of other credentials, whatever account they lead into. So the pool's owner says that
// a WorkloadIdentity leads into the cloud account of a Secret, by an annotation; then the claim goes there where binding_name says so, and
// its cluster with it. Without the annotation it is another account: the claim is replaced, which no live cluster allows.
func TestAccMove_toAWorkloadIdentity(t *testing.T) {
	t.Parallel()
	for name, byHand := range map[string]bool{"by the apply": false, "by a person": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newMovingLandscape(t, testbed.CredentialsBinding, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
			with := func(pin string) string {
				return l.of(testbed.CredentialsBinding) + acceptance.RulesAWS + acceptance.ClaimOf("one", "ga-1", `cluster_name = "blue"`, pin) + acceptance.ShootOf(acceptance.TemplateWith())
			}
			after := with(`binding_name = "aws-1-wi"`)
			var uid string
			resource.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: acceptance.Factories,
				CheckDestroy:             l.NoShoot,
				Steps: []resource.TestStep{
					{Config: with(""), Check: func(*terraform.State) error {
						shoot, err := l.Live("blue")
						uid = string(shoot.UID)
						return err
					}},
					{PreConfig: func() {
						l.WorkloadIdentityAccount(t, testbed.AccountSpec{Name: "aws-1-wi", HyperscalerType: "aws", Tenant: "ga-1"})
					}, Config: after, ExpectError: acceptance.ErrorLike(diagnose.SummaryShootImmutable, "aws-1-wi", "the cluster lives on")},
					{PreConfig: func() {
						said := "aws-1"
						l.PatchAnnotations(t, "aws-1-wi", map[string]*string{account.SameAnnotation: &said})
						if byHand {
							l.switchTo(t, "blue", "aws-1-wi")
						}
					}, Config: after, ConfigPlanChecks: resource.ConfigPlanChecks{
						PreApply:             []plancheck.PlanCheck{plancheck.ExpectResourceAction(claimOne, plancheck.ResourceActionUpdate)},
						PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
					}, ConfigStateChecks: []statecheck.StateCheck{
						acceptance.ShootValue("credentials_binding_name", knownvalue.StringExact("aws-1-wi")),
						statecheck.ExpectKnownValue(claimOne, tfjsonpath.New("credentials_ref").AtMapKey("kind"), knownvalue.StringExact("WorkloadIdentity")),
					}, Check: resource.ComposeAggregateTestCheckFunc(l.wantMoved(t, "aws-1-wi"), func(*terraform.State) error {
						shoot, err := l.Live("blue")
						if err != nil {
							return err
						}
						return errors.Join(acceptance.Equal("binding", *shoot.Spec.CredentialsBindingName, "aws-1-wi"), acceptance.Equal("uid", string(shoot.UID), uid))
					})},
				},
			})
		})
	}
}

// After a move the old binding keeps the label of the Global Account. Neither a plan nor hap_pool_status takes it for a second account, nor
// advises to mark it: the cluster lives in its cloud account.
func TestAccMove_leavesNoSecondAccount(t *testing.T) {
	t.Parallel()
	l := newMovingLandscape(t, testbed.CredentialsBinding, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	with := func(pin string) string {
		return l.of(testbed.CredentialsBinding) + acceptance.RulesAWS + acceptance.ClaimOf("one", "ga-1", pin) + acceptance.ShootOf(acceptance.TemplateWith())
	}
	after := with(`binding_name = "aws-1b"`) + "data \"hap_pool_status\" \"now\" {\n  depends_on = [hap_shoot.one]\n}\n"
	ear := acceptance.NewEar(nil)
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: ear.Factories(),
		CheckDestroy:             l.NoShoot,
		Steps: []resource.TestStep{
			{Config: with("")},
			{PreConfig: l.binding(t, "aws-1b"), Config: after, Check: l.wantMoved(t, "aws-1b")},
			{PreConfig: ear.Forget, Config: after, Check: func(s *terraform.State) error {
				found := fmt.Sprint(s.RootModule().Resources["data.hap_pool_status.now"].Primary.Attributes)
				if strings.Contains(found, "kind:"+string(overview.ProblemSeveral)) || !strings.Contains(found, "kind:"+string(overview.ProblemSameCredentials)) {
					return errors.New("the problems are " + found)
				}
				return ear.Silent(diagnose.SummarySelectionWarning)
			}},
		},
	})
}

// A claim and its cluster are not destroyed for an account that does not exist: the plan says so, where it does not make the account, too.
func TestAccMove_toNoAccount(t *testing.T) {
	t.Parallel()
	l := newMovingLandscape(t, testbed.CredentialsBinding, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	with := func(claims, on string) string {
		return l.of(testbed.CredentialsBinding) + acceptance.RulesAWS + claims +
			acceptance.ShootOf(acceptance.TemplateWith(), `on_immutable_change = "replace"`, "credentials_binding_name = hap_credentials_binding_claim."+on+".binding_name")
	}
	one := acceptance.ClaimOf("one", "ga-1", `binding_name = "aws-1"`)
	var uid string
	lives := func(*terraform.State) error {
		shoot, err := l.Live("blue")
		if err != nil || shoot == nil {
			return fmt.Errorf("the cluster is gone: %w", err)
		}
		if uid == "" {
			uid = string(shoot.UID)
		}
		return errors.Join(acceptance.Equal("uid", string(shoot.UID), uid), acceptance.Equal("dirty", l.GetAccount(t, "aws-1").Labels["dirty"], ""))
	}
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		CheckDestroy:             l.NoShoot,
		Steps: []resource.TestStep{
			{Config: with(one, "one"), Check: lives},
			{Config: with(acceptance.ClaimOf("one", "ga-1", `binding_name = "aws-1b"`), "one"),
				ExpectError: acceptance.ErrorLike(diagnose.SummaryAccountNotFound, "on account aws-1", "account aws-1b, which does not exist")},
			{Config: with(one+acceptance.ClaimOf("two", "ga-1", `binding_name = "aws-1b"`), "two"),
				ExpectError: acceptance.ErrorLike(diagnose.SummaryAccountNotFound, "aws-1b")},
			{Config: with(one, "one"), Check: lives},
		},
	})
}

// The second way: the claim is taken out of the state, and imported from the new binding. Its record is found on the old one, and the next
// apply takes it along; so does a destroy without one.
func TestAccMove_byImport(t *testing.T) {
	t.Parallel()
	for name, applies := range map[string]bool{"applied": true, "destroyed at once": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newMovingLandscape(t, testbed.SecretBinding, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
			claim := acceptance.ClaimOf("one", "ga-1", `cluster_name = "blue"`, `owner = "pipeline"`)
			before, after := l.of(testbed.SecretBinding)+acceptance.RulesAWS, l.of(testbed.CredentialsBinding)+acceptance.RulesAWS
			steps := []resource.TestStep{
				{Config: before + claim},
				{PreConfig: func() {
					l.ShootBy(t, "blue", testbed.SecretBinding, "aws-1")
					l.binding(t, "aws-1")()
				}, Config: before + "removed {\n from = " + claimOne + "\n lifecycle {\n destroy = false\n }\n}\n"},
				{Config: after + claim, ResourceName: claimOne, ImportState: true, ImportStateId: "ga-1/aws-1/one", ImportStatePersist: true},
			}
			if applies {
				steps = append(steps, resource.TestStep{Config: after + claim, ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply:             []plancheck.PlanCheck{plancheck.ExpectResourceAction(claimOne, plancheck.ResourceActionUpdate)},
					PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
				}, ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(claimOne, tfjsonpath.New("cluster_name"), knownvalue.StringExact("blue")),
					statecheck.ExpectKnownValue(claimOne, tfjsonpath.New("cluster_count"), knownvalue.Int64Exact(1)),
				}, Check: l.wantMoved(t, "aws-1")})
			}
			steps = append(steps, resource.TestStep{PreConfig: func() { l.takeDown(t, "blue") }, Config: after + claim, Destroy: true})
			resource.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: acceptance.Factories, Steps: steps,
				CheckDestroy: func(*terraform.State) error {
					older, now := l.GetObject(t, l.kind, "aws-1"), l.GetAccount(t, "aws-1")
					return errors.Join(acceptance.Equal("dirty", now.Labels["dirty"]+older.GetLabels()["dirty"], "truetrue"),
						acceptance.Equal("records", claimRecords(now.Annotations)+claimRecords(older.GetAnnotations()), "00"))
				},
			})
		})
	}
}

// What is refused: a destroy before the claim has moved, a move where there is no binding or where another Global Account is in the cloud
// account, and one without the right to write the old binding. Nothing is written then.
func TestAccMove_refused(t *testing.T) {
	t.Parallel()
	l := newMovingLandscape(t, testbed.SecretBinding, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	claim := acceptance.RulesAWS + acceptance.ClaimOf("one", "ga-1")
	before, after := l.of(testbed.SecretBinding)+claim, l.of(testbed.CredentialsBinding)+claim
	relabel := func(tenant string) func() {
		return func() { l.PatchLabels(t, "aws-1", map[string]*string{"tenantName": &tenant}) }
	}
	var version string
	unwritten := func(*terraform.State) error {
		return acceptance.Equal("version of the SecretBinding", l.GetObject(t, l.kind, "aws-1").GetResourceVersion(), version)
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{Config: before, Check: func(*terraform.State) error {
				version = l.GetObject(t, l.kind, "aws-1").GetResourceVersion()
				return nil
			}},
			{Config: after, ExpectError: acceptance.ErrorLike(diagnose.SummaryNoMove, "no other account of the pool refers to its credentials")},
			{PreConfig: l.binding(t, "aws-1", func(s *testbed.AccountSpec) { s.Tenant = "ga-2" }), Config: after,
				ExpectError: acceptance.ErrorLike(diagnose.SummaryTaken, "held by Global Account ga-2, not by ga-1")},
			{PreConfig: relabel("ga-1"), Config: after, Destroy: true, ExpectError: acceptance.ErrorLike(diagnose.SummarySettingsChanged, "run apply first")},
			{Config: before, Check: unwritten},
		},
	})
}
