package account_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
)

// A destroy is refused while something is on the account, and writes nothing then. A dirty account that no claim and no cluster
// is on may go, though it still has the label of its tenant.
func TestAccAccount_destroyIsRefused(t *testing.T) {
	t.Parallel()
	l := acceptance.NewSupply(t, "aws-1")
	record := `{"name":"blue","globalAccount":"ga-1","pool":"aws","claimedAt":"2026-01-01T00:00:00Z","version":1}`
	claimed := func(value *string) {
		l.PatchAnnotations(t, "aws-1", map[string]*string{"hap-project.io/claim-x": value})
	}
	refused := func(before func(), want *regexp.Regexp) resource.TestStep {
		return resource.TestStep{PreConfig: before, Config: l.Provider() + acceptance.AccountOf(), Destroy: true, ExpectError: want}
	}
	tenant, dirty := map[string]string{"tenantName": "ga-1"}, map[string]string{"tenantName": "ga-1", "dirty": "true"}
	var before string
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{Config: l.Provider() + acceptance.AccountOf()},
			refused(l.Put(t, tenant), acceptance.ErrorLike(diagnose.SummaryAccountHeld, "aws-1 is held by Global Account ga-1", "Nothing was written")),
			refused(func() { claimed(&record) }, acceptance.ErrorLike(diagnose.SummaryAccountHeld, "bears 1 claim of Global Account ga-1 (blue)")),
			refused(l.Put(t, dirty), acceptance.ErrorLike(diagnose.SummaryAccountHeld, "bears 1 claim of Global Account ga-1 (blue)")),
			refused(l.Put(t, map[string]string{"tenantName": "ga-1", "dirty": "releasing"}),
				acceptance.ErrorLike(diagnose.SummaryAccountReleasing, "dirty=releasing")),
			refused(func() { claimed(nil); l.Put(t, map[string]string{"tenantName": "ga-1", "dirty": "quarantine"})() },
				acceptance.ErrorLike(diagnose.SummaryAccountHeld, "held by Global Account ga-1")),
			refused(func() { l.Put(t, dirty)(); l.Shoot(t, "alive", "aws-1") }, acceptance.ErrorLike(diagnose.SummaryInUse, "Shoot alive")),
			{
				PreConfig: func() { l.DeleteShoot(t, "alive"); before = string(l.GetAccount(t, "aws-1").UID) },
				Config:    l.Provider() + acceptance.AccountOf(),
				Check: func(*terraform.State) error {
					return acceptance.Equal("uid", string(l.GetAccount(t, "aws-1").UID), before)
				},
			},
		},
		CheckDestroy: func(*terraform.State) error { return acceptance.Equal("there", fmt.Sprint(l.There(t)), "false") },
	})
}

// On a shared account any Shoot is in the way.
func TestAccAccount_destroyOfASharedAccount(t *testing.T) {
	t.Parallel()
	l := acceptance.NewSupply(t, "aws-1")
	config := l.Provider() + acceptance.AccountOf(`shared = true`)
	inprocess.Test(t, resource.TestCase{ProtoV6ProviderFactories: acceptance.Factories, Steps: []resource.TestStep{
		{Config: config},
		{PreConfig: func() { l.Shoot(t, "alive", "aws-1") }, Config: config, Destroy: true, ExpectError: acceptance.ErrorLike(diagnose.SummaryInUse, "Shoot alive")},
		{PreConfig: func() { l.DeleteShoot(t, "alive") }, Config: config, Check: resource.TestCheckResourceAttr(acceptance.AccountOne, "clusters", "0")},
	}})
}

// Gardener keeps an account for as long as it likes: the destroy waits until it is gone, says so when it is not gone in time,
// and goes on waiting when it is run again.
func TestAccAccount_destroyWaits(t *testing.T) {
	t.Parallel()
	l := acceptance.NewSupply(t, "aws-1")
	folder := acceptance.NewFolder(t, l)
	write := func(timeout string) {
		acceptance.WriteFile(t, folder, "main.tf", acceptance.Requiring+l.Provider()+acceptance.AccountOf(`timeouts = { delete = "`+timeout+`" }`))
		acceptance.Run(t, folder, "apply", "-auto-approve")
	}
	write("20s")
	l.HoldAccount(t, "aws-1") // by the finalizer of Gardener
	account := l.GetAccount(t, "aws-1")
	account.Finalizers = append(account.Finalizers, "example.com/audit")
	if err := l.Garden().AdminClient().Update(t.Context(), account); err != nil {
		t.Fatal(err)
	}
	result := folder.Run(t, "destroy", "-auto-approve")
	if result.ExitCode == 0 || !acceptance.ErrorLike(diagnose.SummaryAccountDeleting, "held by the finalizers",
		"gardener (Gardener's", "example.com/audit (its owner is not known here)", "was not gone in time", "a longer timeouts.delete").MatchString(result.Output) {
		t.Fatalf("exit code %d:\n%s", result.ExitCode, result.Output)
	}
	if l.GetAccount(t, "aws-1").DeletionTimestamp == nil {
		t.Error("the account is not being deleted")
	}
	running := folder.Start(t, "destroy", "-auto-approve")
	time.Sleep(2 * time.Second)
	l.DeleteAccount(t, "aws-1") // Gardener lets it go
	if result := running.Wait(t); result.ExitCode != 0 {
		t.Errorf("exit code %d:\n%s", result.ExitCode, result.Output)
	}
}

// An account that was deleted by hand, and made anew under its name, is not ours: it leaves the state, and a destroy does not
// touch it.
func TestAccAccount_deletedByHand(t *testing.T) {
	t.Parallel()
	l := acceptance.NewSupply(t, "aws-1")
	folder := acceptance.NewFolder(t, l)
	acceptance.WriteFile(t, folder, "main.tf", acceptance.Requiring+l.Provider()+acceptance.AccountOf())
	acceptance.Run(t, folder, "apply", "-auto-approve")
	l.DeleteAccount(t, "aws-1")
	l.Accounts(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	uid := l.GetAccount(t, "aws-1").UID
	if result := folder.Run(t, "apply", "-auto-approve"); !strings.Contains(result.Output, diagnose.SummaryAccountAnew) ||
		!acceptance.SaysInOrder(result.Output, strings.Fields("If the new one is meant to be this account, import it")) ||
		strings.Contains(result.Output, diagnose.SummaryAccountLost) ||
		!acceptance.ErrorLike(diagnose.SummaryAccountExists, "name").MatchString(result.Output) {
		t.Errorf("exit code %d:\n%s", result.ExitCode, result.Output)
	}
	acceptance.Run(t, folder, "destroy", "-auto-approve", "-refresh=false") // whose plan would ask for the account, and end with that error
	if l.GetAccount(t, "aws-1").UID != uid {
		t.Error("the account of another was touched")
	}
}

// The CLI does not give the plan of a tainted account what the account was: it reads as another party's. The plan says how to go on, and
// that works.
func TestAccAccount_tainted(t *testing.T) {
	t.Parallel()
	l := acceptance.NewSupply(t, "aws-1")
	folder := acceptance.NewFolder(t, l)
	acceptance.WriteFile(t, folder, "main.tf", acceptance.Requiring+l.Provider()+acceptance.AccountOf())
	acceptance.Run(t, folder, "apply", "-auto-approve")
	uid := l.GetAccount(t, "aws-1").UID
	acceptance.Run(t, folder, "taint", acceptance.AccountOne)
	if result := folder.Run(t, "plan"); result.ExitCode == 0 || !acceptance.ErrorLike(diagnose.SummaryAccountExists, "name", "just as it was to be made",
		"it is tainted: take the mark away with untaint; to have it made anew, apply with -replace then.").MatchString(result.Output) {
		t.Fatalf("exit code %d:\n%s", result.ExitCode, result.Output)
	}
	acceptance.Run(t, folder, "untaint", acceptance.AccountOne)
	acceptance.Run(t, folder, "plan", "-detailed-exitcode")
	acceptance.Run(t, folder, "apply", "-auto-approve", "-replace="+acceptance.AccountOne)
	if l.GetAccount(t, "aws-1").UID == uid {
		t.Error("the account was not made anew")
	}
}

// A plan that destroys an account says what would refuse that, and is no error; where nothing would, it says nothing.
func TestAccAccount_destroyIsPlanned(t *testing.T) {
	t.Parallel()
	l := acceptance.NewSupply(t, "aws-1")
	folder := acceptance.NewFolder(t, l)
	acceptance.WriteFile(t, folder, "main.tf", acceptance.Requiring+l.Provider()+acceptance.AccountOf())
	acceptance.Run(t, folder, "apply", "-auto-approve")
	if out := acceptance.Run(t, folder, "plan", "-destroy").Output; strings.Contains(out, diagnose.SummaryNotRemovable) {
		t.Errorf("it is warned of nothing:\n%s", out)
	}
	for says, before := range map[string]func(){
		"account aws-1 is held by Global Account ga-1": l.Put(t, map[string]string{"tenantName": "ga-1"}),
		"account aws-1 is being released":              l.Put(t, map[string]string{"tenantName": "ga-1", "dirty": "releasing"}),
		"account aws-1 has 1 cluster, as last counted": func() { l.Put(t, nil)(); l.Shoot(t, "alive", "aws-1") },
	} {
		before()
		out := acceptance.Run(t, folder, "plan", "-destroy").Output
		if !strings.Contains(out, diagnose.SummaryNotRemovable) || !acceptance.SaysInOrder(out, strings.Fields(says)) {
			t.Errorf("%q is not said:\n%s", says, out)
		}
	}
}

// The error of an account that is being deleted does not ask to import it: it is made by a later apply.
func TestAccAccount_madeWhileBeingDeleted(t *testing.T) {
	t.Parallel()
	l := acceptance.NewSupply(t)
	l.Accounts(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	l.DeleteAccountHeld(t, "aws-1")
	inprocess.Test(t, resource.TestCase{ProtoV6ProviderFactories: acceptance.Factories, Steps: []resource.TestStep{
		{Config: l.Provider() + acceptance.AccountOf(), PlanOnly: true,
			ExpectError: acceptance.ErrorLike(diagnose.SummaryAccountDeleting, "name", "is being deleted", "a later apply makes it")},
		{PreConfig: func() { l.DeleteAccount(t, "aws-1") }, Config: l.Provider() + acceptance.AccountOf()},
	}})
}

// A shared account becomes no tenant's in place, also where another party has set the label. Taken out and put in again it does.
func TestAccAccount_sharedStaysShared(t *testing.T) {
	t.Parallel()
	l := acceptance.NewSupply(t, "aws-1")
	refused := acceptance.ErrorLike(diagnose.SummaryAccountShared, "shared", "may have chosen it for a cluster", "put it in again")
	labels := func(want map[string]string) resource.TestCheckFunc {
		return func(*terraform.State) error { return wantLabels(t, l, want) }
	}
	inprocess.Test(t, resource.TestCase{ProtoV6ProviderFactories: acceptance.Factories, Steps: []resource.TestStep{
		{Config: l.Provider() + acceptance.AccountOf(`shared = true`)},
		{Config: l.Provider() + acceptance.AccountOf(), PlanOnly: true, ExpectError: refused},
		{Config: l.Provider() + acceptance.AccountOf(), ExpectError: refused},
		{Config: l.Provider(), Check: func(*terraform.State) error { return acceptance.Equal("there", fmt.Sprint(l.There(t)), "false") }},
		{Config: l.Provider() + acceptance.AccountOf(), Check: labels(map[string]string{"hyperscalerType": "aws"})},
		{PreConfig: func() { l.PatchLabels(t, "aws-1", map[string]*string{"shared": new("true")}) }, Config: l.Provider() + acceptance.AccountOf(), ExpectError: refused},
		{Config: l.Provider() + acceptance.AccountOf(`shared = true`), Check: labels(map[string]string{"hyperscalerType": "aws", "shared": "true"})},
	}})
}

// The destroy of a shared account goes on for release_grace: under its name a tenant's account may be made at once.
func TestAccAccount_destroyOfASharedAccountTakesItsTime(t *testing.T) {
	t.Parallel()
	l := acceptance.NewSupply(t, "aws-1")
	folder := acceptance.NewFolder(t, l)
	const grace = 6 * time.Second
	acceptance.WriteFile(t, folder, "main.tf", acceptance.Requiring+strings.Replace(l.Provider(), `release_grace = "0s"`, `release_grace = "6s"`, 1)+
		acceptance.AccountOf(`shared = true`))
	acceptance.Run(t, folder, "apply", "-auto-approve")
	began := time.Now()
	acceptance.Run(t, folder, "destroy", "-auto-approve")
	if took := time.Since(began); took < grace {
		t.Errorf("the destroy took %s, less than %s", took, grace)
	}
}

// create_before_destroy cannot replace an account by itself. The apply fails and leaves a deposed object; what the page says to do
// about that works, and the account stays the same.
func TestAccAccount_deposed(t *testing.T) {
	t.Parallel()
	l := acceptance.NewSupply(t, "aws-1")
	folder := acceptance.NewFolder(t, l)
	write := func(more string) {
		block := strings.TrimSuffix(acceptance.AccountOf(), "}\n") + more + "}\n"
		acceptance.WriteFile(t, folder, "main.tf", acceptance.Requiring+l.Provider()+block)
	}
	write("lifecycle {\n create_before_destroy = true\n}\n")
	acceptance.Run(t, folder, "apply", "-auto-approve")
	uid := l.GetAccount(t, "aws-1").UID
	if result := folder.Run(t, "apply", "-auto-approve", "-replace="+acceptance.AccountOne); result.ExitCode == 0 {
		t.Fatalf("it was replaced:\n%s", result.Output)
	}
	write("")
	if result := folder.Run(t, "plan"); result.ExitCode == 0 || !acceptance.ErrorLike(diagnose.SummaryMadeAndEnded,
		"Where the state lists it as deposed", "the page of the resource").MatchString(result.Output) {
		t.Errorf("exit code %d:\n%s", result.ExitCode, result.Output)
	}
	acceptance.Run(t, folder, "state", "rm", acceptance.AccountOne)
	acceptance.Run(t, folder, "import", acceptance.AccountOne, "aws-1")
	acceptance.Run(t, folder, "plan", "-detailed-exitcode")
	if l.GetAccount(t, "aws-1").UID != uid {
		t.Error("the account was made anew")
	}
}
