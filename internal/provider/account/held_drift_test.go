package account_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
)

// A label that another party has changed on an account which cannot be put back as it is does not block the plan of all else: a warning
// names both values and the way back, the apply of that account alone is refused, and nothing is written on it. Put back by hand the plan is
// empty.
func TestAccAccount_driftThatCannotBePutBack(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		state   func(t *testing.T, l acceptance.Landscape) // what the account is by then
		drift   map[string]*string                         // what another party has changed
		back    map[string]*string                         // what a person does about it
		at      string                                     // the attribute
		both    string                                     // both values
		refusal string
	}{
		"the type of a held account": {held, map[string]*string{"hyperscalerType": new("gcp")}, map[string]*string{"hyperscalerType": new("aws")},
			"hyperscaler_type", `hyperscaler_type: the account has "gcp", the configuration "aws"`, diagnose.SummaryAccountHeld},
		"a flag of a held account": {held, map[string]*string{"euAccess": new("true")}, map[string]*string{"euAccess": nil},
			"eu_access", "eu_access: the account has true, the configuration false", diagnose.SummaryAccountHeld},
		"a label of a held account": {held, map[string]*string{"team": new("b")}, map[string]*string{"team": new("a")},
			"labels", `labels["team"]: the account has "b", the configuration "a"`, diagnose.SummaryAccountHeld},
		"the type of a used account": {used, map[string]*string{"hyperscalerType": new("gcp")}, map[string]*string{"hyperscalerType": new("aws")},
			"hyperscaler_type", `hyperscaler_type: the account has "gcp", the configuration "aws"`, diagnose.SummaryInUse},
		"shared by hand": {func(*testing.T, acceptance.Landscape) {}, map[string]*string{"shared": new("true")}, map[string]*string{"shared": nil},
			"shared", "shared: the account has true, the configuration false", diagnose.SummaryAccountShared},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := acceptance.NewSupply(t, "aws-1", "gcp-1")
			folder := acceptance.NewFolder(t, l)
			config := acceptance.Requiring + l.Provider() + acceptance.AccountOf(`labels = { team = "a" }`)
			acceptance.WriteFile(t, folder, "main.tf", config)
			acceptance.Run(t, folder, "apply", "-auto-approve")
			test.state(t, l)
			l.PatchLabels(t, "aws-1", test.drift)
			version := l.GetAccount(t, "aws-1").ResourceVersion

			other := strings.Replace(acceptance.AccountOf(`name = "gcp-1"`, `provider_type = "gcp"`, `hyperscaler_type = "gcp"`, `credentials_ref = { name = "gcp-1" }`),
				`"one"`, `"two"`, 1)
			acceptance.WriteFile(t, folder, "main.tf", config+other)
			out := acceptance.Run(t, folder, "plan").Output
			for _, want := range []string{diagnose.SummaryAccountDrift, test.both, "put the labels back by hand", "1 to add, 1 to change"} {
				if !acceptance.SaysInOrder(out, strings.Fields(want)) {
					t.Errorf("no %q in\n%s", want, out)
				}
			}
			result := folder.Run(t, "apply", "-auto-approve")
			if !acceptance.ErrorLike(test.refusal, test.at).MatchString(result.Output) || !acceptance.SaysInOrder(result.Output, strings.Fields("("+test.both+")")) ||
				result.ExitCode == 0 {
				t.Errorf("exit code %d:\n%s", result.ExitCode, result.Output)
			}
			if after := l.GetAccount(t, "aws-1").ResourceVersion; after != version {
				t.Errorf("the account was written: version %s, was %s", after, version)
			}
			if n := len(l.ListAccounts(t)); n != 2 {
				t.Errorf("%d accounts, want the other one to be made", n)
			}
			l.PatchLabels(t, "aws-1", test.back)
			if out := acceptance.Run(t, folder, "plan").Output; !strings.Contains(out, "No changes") || strings.Contains(out, diagnose.SummaryAccountDrift) {
				t.Errorf("the plan is not empty:\n%s", out)
			}
		})
	}
}

// A quarantine does not wait for a label that another party has changed and that cannot be put back: the apply writes the quarantine alone,
// and the plan says so before and after it. Its end does: the account would be opened as it is.
func TestAccAccount_quarantineBesideDrift(t *testing.T) {
	t.Parallel()
	l := acceptance.NewSupply(t, "aws-1")
	folder := acceptance.NewFolder(t, l)
	write := func(attributes ...string) {
		attributes = append(attributes, `labels = { team = "a" }`)
		acceptance.WriteFile(t, folder, "main.tf", acceptance.Requiring+l.Provider()+acceptance.AccountOf(attributes...))
	}
	write()
	acceptance.Run(t, folder, "apply", "-auto-approve")
	held(t, l)
	l.PatchLabels(t, "aws-1", map[string]*string{"team": new("b")})
	for _, step := range []struct{ quarantine, dirty string }{{"misuse", "quarantine"}, {"another reason", "quarantine"}} {
		write(fmt.Sprintf("quarantine = %q", step.quarantine))
		result := folder.Run(t, "apply", "-auto-approve")
		want := []string{diagnose.SummaryAccountDrift, `labels["team"]: the account has "b", the configuration "a"`,
			"The apply writes the quarantine alone, and does not put that back, which would be refused now", "1 changed"}
		for _, want := range want {
			if result.ExitCode != 0 || !acceptance.SaysInOrder(result.Output, strings.Fields(want)) {
				t.Fatalf("quarantine %q ended with %d, without %q:\n%s", step.quarantine, result.ExitCode, want, result.Output)
			}
		}
		now := l.GetAccount(t, "aws-1")
		if dirty, reason := quarantineOf(t, l); dirty != step.dirty || reason != step.quarantine || now.Labels["team"] != "b" ||
			now.Labels["tenantName"] != "ga-1" {
			t.Errorf("quarantine %q: the labels are %v, the reason is %q", step.quarantine, now.Labels, reason)
		}
		if out := acceptance.Run(t, folder, "plan").Output; !acceptance.SaysInOrder(out, strings.Fields("The change that the plan shows puts it back")) {
			t.Errorf("the plan after it does not say that the label stays:\n%s", out)
		}
	}
	l.PatchLabels(t, "aws-1", map[string]*string{"shared": new("true")}) // the broker would put any tenant's cluster on it
	write()
	if result := folder.Run(t, "apply", "-auto-approve"); result.ExitCode == 0 {
		t.Errorf("the quarantine has ended:\n%s", result.Output)
	}
	if dirty, _ := quarantineOf(t, l); dirty != "quarantine" {
		t.Errorf("the label dirty is %q", dirty)
	}
}

// So it is where the plan does not know of the drift: the apply says that all else stays.
func TestAccAccount_quarantineBesideLaterDrift(t *testing.T) {
	t.Parallel()
	acceptance.NeedsGarden(t)
	drift := func(t *testing.T, l acceptance.Landscape) {
		t.Helper()
		l.PatchLabels(t, "aws-1", map[string]*string{"team": new("b")})
	}
	for name, test := range map[string]struct {
		before, after func(t *testing.T, l acceptance.Landscape) // of the plan
		plan          []string
	}{
		"drift after the plan": {held, drift, nil},
		"held after the plan":  {drift, held, nil},
		"without a refresh":    {func(t *testing.T, l acceptance.Landscape) { t.Helper(); held(t, l); drift(t, l) }, nil, []string{"-refresh=false"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := acceptance.NewSupply(t, "aws-1")
			folder := acceptance.NewFolder(t, l)
			write := func(attributes ...string) {
				attributes = append(attributes, `labels = { team = "a" }`)
				acceptance.WriteFile(t, folder, "main.tf", acceptance.Requiring+l.Provider()+acceptance.AccountOf(attributes...))
			}
			write()
			acceptance.Run(t, folder, "apply", "-auto-approve")
			test.before(t, l)
			write(`quarantine = "misuse"`)
			acceptance.Run(t, folder, append([]string{"plan", "-out=saved"}, test.plan...)...)
			if test.after != nil {
				test.after(t, l)
			}
			acceptance.Run(t, folder, "apply", "saved")
			now := l.GetAccount(t, "aws-1")
			if dirty, reason := quarantineOf(t, l); dirty != "quarantine" || reason != "misuse" || now.Labels["team"] != "b" {
				t.Errorf("the labels are %v, the reason is %q", now.Labels, reason)
			}
		})
	}
}

// held gives the account aws-1 a tenant.
func held(t *testing.T, l acceptance.Landscape) {
	t.Helper()
	l.PatchLabels(t, "aws-1", map[string]*string{"tenantName": new("ga-1")})
}

// used puts a cluster on the account aws-1.
func used(t *testing.T, l acceptance.Landscape) {
	t.Helper()
	l.Shoot(t, "alive", "aws-1")
}

// What the configuration changes of a held account is an error at plan as before, with both values, also beside a drift.
func TestAccAccount_changeOfAHeldAccountNamesBothValues(t *testing.T) {
	t.Parallel()
	l := acceptance.NewSupply(t, "aws-1")
	folder := acceptance.NewFolder(t, l)
	plan := func(attributes ...string) string {
		acceptance.WriteFile(t, folder, "main.tf", acceptance.Requiring+l.Provider()+acceptance.AccountOf(attributes...))
		return folder.Run(t, "plan").Output
	}
	plan(`labels = { team = "a" }`)
	acceptance.Run(t, folder, "apply", "-auto-approve")
	l.PatchLabels(t, "aws-1", map[string]*string{"tenantName": new("ga-1")})
	for drift, want := range map[string]string{"a": `labels["team"]: the account has "a", the configuration "c"`, "b": `labels["team"]: the account has "b", the configuration "c"`} {
		l.PatchLabels(t, "aws-1", map[string]*string{"team": &drift})
		out := plan(`labels = { team = "c" }`)
		if !acceptance.ErrorLike(diagnose.SummaryAccountHeld, "labels").MatchString(out) || !acceptance.SaysInOrder(out, strings.Fields("("+want+")")) ||
			strings.Contains(out, diagnose.SummaryAccountDrift) {
			t.Errorf("%s: %s", drift, out)
		}
	}
	if got := fmt.Sprint(l.GetAccount(t, "aws-1").Labels["team"]); got == "c" {
		t.Error("the label was written")
	}
}
