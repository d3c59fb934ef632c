package account_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/rivals"
)

// quarantineOf returns the label and the reason of the quarantine of the account aws-1.
func quarantineOf(t *testing.T, l acceptance.Landscape) (label, reason string) {
	t.Helper()
	a := l.GetAccount(t, "aws-1")
	return a.Labels["dirty"], a.Annotations[account.QuarantineAnnotation]
}

func wantQuarantine(t *testing.T, l acceptance.Landscape, label, reason string) resource.TestCheckFunc {
	t.Helper()
	return func(*terraform.State) error {
		gotLabel, gotReason := quarantineOf(t, l)
		return errors.Join(acceptance.Equal("dirty", gotLabel, label), acceptance.Equal("reason", gotReason, reason))
	}
}

// An account is put aside and given back; neither a claim nor the broker takes it meanwhile.
func TestAccAccount_quarantine(t *testing.T) {
	t.Parallel()
	l := acceptance.NewSupply(t, "aws-1")
	claims := l.ServiceAccount(t, "claims", testbed.DocumentedRole(t)).Kubeconfig(t)
	broker := &rivals.Broker{Config: l.Garden().AdminConfig(), Namespace: l.Name}
	account := func(attributes ...string) string { return l.Provider() + acceptance.AccountOf(attributes...) }
	why := `quarantine = "suspected of misuse"`
	inprocess.Test(t, resource.TestCase{ProtoV6ProviderFactories: acceptance.Factories, Steps: []resource.TestStep{
		{Config: account(why), Check: resource.ComposeAggregateTestCheckFunc(wantQuarantine(t, l, "quarantine", "suspected of misuse"),
			resource.TestCheckResourceAttr(acceptance.AccountOne, "class", "quarantined"), resource.TestCheckResourceAttr(acceptance.AccountOne, "dirty", "true"),
			func(*terraform.State) error {
				if given, err := broker.Claim(t.Context(), "ga-2", "aws"); err == nil {
					return fmt.Errorf("the broker has claimed %s", given)
				}
				other := l
				other.Kubeconfig = claims
				folder := acceptance.NewFolder(t, other)
				acceptance.WriteFile(t, folder, "main.tf", acceptance.Requiring+other.Provider()+acceptance.RulesAWS+acceptance.ClaimOf("blue", "ga-1"))
				result := folder.Run(t, "apply", "-auto-approve")
				if !acceptance.ErrorLike(diagnose.SummaryExhausted, "quarantined 1").MatchString(result.Output) {
					return errors.New(result.Output)
				}
				return nil
			})},
		{Config: account(why), PlanOnly: true},
		{Config: account(`quarantine = "audit"`), Check: wantQuarantine(t, l, "quarantine", "audit")},
		// Taken away by hand: it is put aside again.
		{PreConfig: func() { l.PatchLabels(t, "aws-1", map[string]*string{"dirty": nil}) }, Config: account(`quarantine = "audit"`),
			ConfigPlanChecks: wantAction(plancheck.ResourceActionUpdate), Check: wantQuarantine(t, l, "quarantine", "audit")},
		{Config: account(), Check: resource.ComposeAggregateTestCheckFunc(wantQuarantine(t, l, "", ""),
			resource.TestCheckResourceAttr(acceptance.AccountOne, "class", "free"))},
		// Put aside by hand, without a reason: that is no business of this configuration.
		{PreConfig: func() { l.PatchLabels(t, "aws-1", map[string]*string{"dirty": new("quarantine")}) }, Config: account(), PlanOnly: true},
		{Config: account(), Check: wantQuarantine(t, l, "quarantine", "")},
	}})
}

// A claim on an account that is put aside goes on and says so; given back, the account is its tenant's as before.
func TestAccAccount_quarantineOfAHeldAccount(t *testing.T) {
	t.Parallel()
	l := acceptance.NewSupply(t, "aws-1")
	owner := acceptance.NewFolder(t, l)
	put := func(attributes ...string) {
		acceptance.WriteFile(t, owner, "main.tf", acceptance.Requiring+l.Provider()+acceptance.AccountOf(attributes...))
		acceptance.Run(t, owner, "apply", "-auto-approve")
	}
	put()
	other := l
	other.Kubeconfig = l.ServiceAccount(t, "claims", testbed.DocumentedRole(t)).Kubeconfig(t)
	tenant := acceptance.NewFolder(t, other)
	acceptance.WriteFile(t, tenant, "main.tf", acceptance.Requiring+other.Provider()+acceptance.RulesAWS+acceptance.ClaimOf("blue", "ga-1"))
	acceptance.Run(t, tenant, "apply", "-auto-approve")
	put(`quarantine = "suspected of misuse"`)
	result := acceptance.Run(t, tenant, "plan")
	if !strings.Contains(result.Output, "No changes") && !strings.Contains(result.Output, "Plan: 0 to add, 0 to change") {
		t.Errorf("the claim does not go on:\n%s", result.Output)
	}
	if want := strings.Fields("quarantined by the pool's owner (suspected of misuse)"); !acceptance.SaysInOrder(result.Output, want) {
		t.Errorf("the claim does not say so:\n%s", result.Output)
	}
	put()
	if err := wantQuarantine(t, l, "", "")(nil); err != nil {
		t.Error(err)
	}
	if l.Tenant(t, "aws-1") != "ga-1" || l.Records(t, "aws-1") != 1 {
		t.Errorf("tenant %q, %d records", l.Tenant(t, "aws-1"), l.Records(t, "aws-1"))
	}
	acceptance.Run(t, tenant, "destroy", "-auto-approve")
}

// F34: the broker's free step turns the label into true when the last cluster of the tenant goes. The label is not taken away
// then, neither by a plan nor when the quarantine is given up; when the clean-up job is done, the account is put aside again.
func TestAccAccount_quarantineBecomesDirty(t *testing.T) {
	t.Parallel()
	l := acceptance.NewSupply(t, "aws-1")
	broker := &rivals.Broker{Config: l.Garden().AdminConfig(), Namespace: l.Name}
	job := &rivals.CleanupJob{Config: l.Garden().AdminConfig(), Namespace: l.Name}
	folder := acceptance.NewFolder(t, l)
	apply := func(attributes ...string) string {
		acceptance.WriteFile(t, folder, "main.tf", acceptance.Requiring+l.Provider()+acceptance.AccountOf(attributes...))
		return acceptance.Run(t, folder, "apply", "-auto-approve").Output
	}
	want := func(label, reason string) {
		t.Helper()
		if err := wantQuarantine(t, l, label, reason)(nil); err != nil {
			t.Error(err)
		}
	}
	const why = `quarantine = "audit"`
	apply()
	if _, err := broker.Claim(t.Context(), "ga-2", "aws"); err != nil {
		t.Fatal(err)
	}
	apply(why)
	want("quarantine", "audit")
	if err := broker.Free(t.Context(), "aws-1"); err != nil {
		t.Fatal(err)
	}
	if out := apply(why); !strings.Contains(out, diagnose.SummaryQuarantineLost) {
		t.Errorf("no warning:\n%s", out)
	}
	want("true", "audit")
	if err := job.Round(t.Context()); err != nil {
		t.Fatal(err)
	}
	want("", "audit")
	apply(why)
	want("quarantine", "audit")
	l.PatchLabels(t, "aws-1", map[string]*string{"dirty": new("true")})
	apply()
	want("true", "")
}

// A label that is taken away by hand is said, and the next apply puts it back.
func TestAccAccount_quarantineTakenAwayByHand(t *testing.T) {
	t.Parallel()
	l := acceptance.NewSupply(t, "aws-1")
	folder := acceptance.NewFolder(t, l)
	acceptance.WriteFile(t, folder, "main.tf", acceptance.Requiring+l.Provider()+acceptance.AccountOf(`quarantine = "audit"`))
	acceptance.Run(t, folder, "apply", "-auto-approve")
	l.PatchLabels(t, "aws-1", map[string]*string{"dirty": nil})
	out := acceptance.Run(t, folder, "plan").Output
	if !strings.Contains(out, diagnose.SummaryQuarantineGone) || !strings.Contains(out, "1 to change") {
		t.Errorf("the plan does not say so:\n%s", out)
	}
	acceptance.Run(t, folder, "apply", "-auto-approve")
	if err := wantQuarantine(t, l, "quarantine", "audit")(nil); err != nil {
		t.Error(err)
	}
	if out := acceptance.Run(t, folder, "plan").Output; strings.Contains(out, diagnose.SummaryQuarantineGone) {
		t.Errorf("it is said again:\n%s", out)
	}
}

// An account is quarantined while the clusters cannot be counted; given back it is only when they are.
func TestAccAccount_quarantineWithoutACount(t *testing.T) {
	t.Parallel()
	l := acceptance.NewSupply(t, "aws-1")
	folder := acceptance.NewFolder(t, l)
	acceptance.WriteFile(t, folder, "main.tf", acceptance.Requiring+l.Provider()+acceptance.AccountOf())
	acceptance.Run(t, folder, "apply", "-auto-approve")
	role := strings.Replace(string(testbed.RoleExample(t, "role-supply.yaml")), "resources: [shoots]", "resources: [quotas]", 1)
	blind := l
	blind.Kubeconfig = l.ServiceAccount(t, "blind", []byte(role)).Kubeconfig(t)
	acceptance.WriteFile(t, folder, "main.tf", acceptance.Requiring+blind.Provider()+acceptance.AccountOf(`quarantine = "misuse"`))
	if out := acceptance.Run(t, folder, "apply", "-auto-approve").Output; !strings.Contains(out, diagnose.SummaryCountDoubt) {
		t.Errorf("that nothing was counted is not said:\n%s", out)
	}
	if err := wantQuarantine(t, l, "quarantine", "misuse")(nil); err != nil {
		t.Error(err)
	}
	acceptance.WriteFile(t, folder, "main.tf", acceptance.Requiring+blind.Provider()+acceptance.AccountOf())
	if result := folder.Run(t, "apply", "-auto-approve"); result.ExitCode == 0 {
		t.Errorf("given back without a count:\n%s", result.Output)
	}
	if err := wantQuarantine(t, l, "quarantine", "misuse")(nil); err != nil {
		t.Error(err)
	}
	acceptance.WriteFile(t, folder, "main.tf", acceptance.Requiring+l.Provider()+acceptance.AccountOf())
	acceptance.Run(t, folder, "apply", "-auto-approve")
	if err := wantQuarantine(t, l, "", "")(nil); err != nil {
		t.Error(err)
	}
}
