package claim_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
)

func imports(label, id string) string {
	return fmt.Sprintf("import {\n  to = hap_credentials_binding_claim.%s\n  id = %q\n}\n", label, id)
}

// A claim without a record keeps its account where another claim of its state ends, also one on another binding of the credentials, and one
// whose record a person has taken off. Once it is recorded the other one ends, and the account stays with it.
func TestAccClaim_unrecordedBeside(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		made  bool   // blue is made, and loses its record; else it is imported
		green string // the binding that green is imported by; empty = it is made
		blue  string // an attribute of blue that changes with the end of green
		flags []string
	}{
		"green is made":               {},
		"green is imported":           {green: "aws-1"},
		"green is on another binding": {green: "aws-2"},
		"on another, not refreshed":   {green: "aws-2", flags: []string{"-refresh=false"}},
		"its record was lost":         {made: true},
		"recorded in the same apply":  {blue: `owner = "me"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec := testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Tenant: "ga-1"}
			if test.made {
				spec.Tenant = ""
			}
			l := acceptance.NewLandscape(t, spec)
			bindings := []string{"aws-1"}
			if test.green == "aws-2" {
				bindings = append(bindings, test.green)
				l.Account(t, testbed.AccountSpec{Name: test.green, Secret: "aws-1", HyperscalerType: "aws", Tenant: "ga-1"})
			}
			base := acceptance.Requiring + l.Provider() + acceptance.RulesAWS
			blue, green, imported := acceptance.ClaimOf("blue", "ga-1"), acceptance.ClaimOf("green", "ga-1", `lease = "720h"`), ""
			folder := acceptance.NewFolder(t, l)
			if test.made {
				folder.Write(t, base+blue)
				acceptance.Run(t, folder, "apply", "-auto-approve")
				for key := range l.GetAccount(t, "aws-1").Annotations {
					if strings.Contains(key, "claim-") {
						l.PatchAnnotations(t, "aws-1", map[string]*string{key: nil})
					}
				}
			} else {
				imported = imports("blue", "ga-1/aws-1/blue")
			}
			if test.green != "" {
				imported += imports("green", "ga-1/"+test.green+"/green")
			}
			folder.Write(t, base+blue+green+imported)
			acceptance.Run(t, folder, "apply", "-auto-approve")

			folder.Write(t, base+acceptance.ClaimOf("blue", "ga-1", test.blue))
			refused := folder.Run(t, append([]string{"apply", "-auto-approve"}, test.flags...)...)
			for _, words := range []string{"Error: " + diagnose.SummaryUnrecordedStays, `ends the claim "green" of Global Account ga-1`,
				`The claim "blue" of Global Account ga-1`} {
				if refused.ExitCode == 0 || !acceptance.SaysInOrder(refused.Output, []string{words}) {
					t.Errorf("exit code %d, no %q in\n%s", refused.ExitCode, words, refused.Output)
				}
			}
			held := func() {
				for _, binding := range bindings {
					if is := l.GetAccount(t, binding).Labels; is["tenantName"] != "ga-1" || is["dirty"] != "" {
						t.Errorf("%s has the labels %v", binding, is)
					}
				}
			}
			held()
			folder.Write(t, base+acceptance.ClaimOf("blue", "ga-1", `owner = "me"`)+green)
			acceptance.Run(t, folder, "apply", "-auto-approve")
			folder.Write(t, base+acceptance.ClaimOf("blue", "ga-1", `owner = "me"`))
			acceptance.Run(t, folder, "apply", "-auto-approve")
			held()
			acceptance.Run(t, folder, "plan", "-detailed-exitcode")
			acceptance.Run(t, folder, "destroy", "-auto-approve")
			if is := l.GetAccount(t, "aws-1").Labels["dirty"]; is != "true" {
				t.Errorf("after the last claim the label dirty is %q", is)
			}
		})
	}
}

// Two claims without a record end together.
func TestAccClaim_unrecordedEndTogether(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Tenant: "ga-1"})
	folder := acceptance.NewFolder(t, l)
	folder.Write(t, acceptance.Requiring+l.Provider()+acceptance.RulesAWS+acceptance.ClaimOf("blue", "ga-1")+acceptance.ClaimOf("green", "ga-1")+
		imports("blue", "ga-1/aws-1/blue")+imports("green", "ga-1/aws-1/green"))
	acceptance.Run(t, folder, "apply", "-auto-approve")
	acceptance.Run(t, folder, "destroy", "-auto-approve")
	if is := l.GetAccount(t, "aws-1").Labels["dirty"]; is != "true" {
		t.Errorf("the label dirty is %q", is)
	}
}

// The destroy of a claim that was imported by another binding does not end what another state has taken up since, and writes nothing: neither
// where the two differ in what is recorded, nor where they do not.
func TestAccClaim_importedByAnotherBinding(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		theirs string
		flags  []string
	}{
		"on_destroy differs":        {`on_destroy = "keep"`, nil},
		"the lease differs, unseen": {`lease = "720h"`, []string{"-refresh=false"}},
		"nothing differs":           {`lease = "720h"`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := heldLandscape(t, true)
			l.Account(t, testbed.AccountSpec{Name: "aws-2", Secret: "aws-1", HyperscalerType: "aws"})
			base := acceptance.Requiring + l.Provider() + acceptance.RulesAWS
			ours, theirs := acceptance.NewFolder(t, l), acceptance.NewFolder(t, l)
			ours.Write(t, base+acceptance.ClaimOf("blue", "ga-1"))
			acceptance.Run(t, ours, "import", "hap_credentials_binding_claim.blue", "ga-1/aws-2/blue")
			theirs.Write(t, base+acceptance.ClaimOf("blue", "ga-1", test.theirs)+imports("blue", "ga-1/aws-1/blue"))
			acceptance.Run(t, theirs, "apply", "-auto-approve")
			before := []any{l.GetAccount(t, "aws-1").ResourceVersion, l.GetAccount(t, "aws-2").ResourceVersion}

			refused := ours.Run(t, append([]string{"destroy", "-auto-approve"}, test.flags...)...)
			if refused.ExitCode == 0 || !acceptance.SaysInOrder(refused.Output, []string{"Error: " + diagnose.SummaryOtherState}) {
				t.Errorf("exit code %d:\n%s", refused.ExitCode, refused.Output)
			}
			after := []any{l.GetAccount(t, "aws-1").ResourceVersion, l.GetAccount(t, "aws-2").ResourceVersion}
			if fmt.Sprint(after) != fmt.Sprint(before) {
				t.Error("an account was written")
			}
			acceptance.Run(t, theirs, "plan", "-detailed-exitcode")
		})
	}
}

// A claim that its own state has changed since another one has imported it is not ended by that one.
func TestAccClaim_renewedSinceTheImport(t *testing.T) {
	t.Parallel()
	for name, flags := range map[string][]string{"refreshed": nil, "not refreshed": {"-refresh=false"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
			base := acceptance.Requiring + l.Provider() + acceptance.RulesAWS
			own, importer := acceptance.NewFolder(t, l), acceptance.NewFolder(t, l)
			own.Write(t, base+acceptance.ClaimOf("blue", "ga-1", `lease = "1s"`))
			acceptance.Run(t, own, "apply", "-auto-approve")
			importer.Write(t, base+acceptance.ClaimOf("blue", "ga-1", `lease = "1s"`)+imports("blue", "ga-1/aws-1/blue"))
			acceptance.Run(t, importer, "apply", "-auto-approve")
			own.Write(t, base+acceptance.ClaimOf("blue", "ga-1", `lease = "720h"`, `cluster_name = "c1"`))
			acceptance.Run(t, own, "apply", "-auto-approve")
			importer.Write(t, base)
			refused := importer.Run(t, append([]string{"apply", "-auto-approve"}, flags...)...)
			if refused.ExitCode == 0 || !acceptance.SaysInOrder(refused.Output, []string{"Error: " + diagnose.SummaryOtherState}) {
				t.Errorf("exit code %d:\n%s", refused.ExitCode, refused.Output)
			}
			if is := l.GetAccount(t, "aws-1").Labels; is["tenantName"] != "ga-1" || is["dirty"] != "" || l.Records(t, "aws-1") != 1 {
				t.Errorf("aws-1 has the labels %v and %d records", is, l.Records(t, "aws-1"))
			}
			acceptance.Run(t, own, "plan", "-detailed-exitcode")
			acceptance.Run(t, own, "destroy", "-auto-approve")
		})
	}
}

// An import says what is wrong with the account, and whose it is where another binding of its credentials shows that.
func TestAccClaim_importSaysTrouble(t *testing.T) {
	t.Parallel()
	dirty := testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Tenant: "ga-1", Dirty: true}
	held := testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Tenant: "ga-1"}
	for name, test := range map[string]struct {
		first   testbed.AccountSpec
		twin    string // the Global Account of another binding
		by      string
		words   []string
		refused bool
	}{
		"dirty":                {dirty, "", "aws-1", []string{"Warning: " + diagnose.SummaryDrift, "is dirty"}, false},
		"of two tenants":       {held, "ga-2", "aws-1", []string{"Warning: " + diagnose.SummaryDrift, "two Global Accounts may be in one cloud account"}, false},
		"by an unlabelled one": {held, "none", "aws-2", []string{"Error: " + diagnose.SummaryImportRefused, "Account aws-1 has the same credentials", "the import ID is ga-1/aws-1/blue"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := acceptance.NewLandscape(t, test.first)
			if test.twin != "" {
				l.Account(t, testbed.AccountSpec{Name: "aws-2", Secret: "aws-1", HyperscalerType: "aws", Tenant: strings.TrimPrefix(test.twin, "none")})
			}
			folder := acceptance.NewFolder(t, l)
			folder.Write(t, acceptance.Requiring+l.Provider()+acceptance.RulesAWS+acceptance.ClaimOf("blue", "ga-1"))
			said := folder.Run(t, "import", "hap_credentials_binding_claim.blue", "ga-1/"+test.by+"/blue")
			if (said.ExitCode != 0) != test.refused {
				t.Errorf("exit code %d", said.ExitCode)
			}
			for _, words := range test.words {
				if !acceptance.SaysInOrder(said.Output, []string{words}) {
					t.Errorf("no %q in\n%s", words, said.Output)
				}
			}
		})
	}
}
