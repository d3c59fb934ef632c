package claim_test

import (
	"fmt"
	"maps"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/settings"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/postgres"
)

// A claim that is tainted is released by the same rules as one that is replaced: what a -replace refuses, the apply of a tainted claim
// refuses, too. The programs plan its successor without its private state.
func TestAccClaim_tainted(t *testing.T) {
	t.Parallel()
	type stage struct {
		acceptance.Landscape
		*testing.T
		folder   *cli.CLI
		database *postgres.Database
	}
	const address = acceptance.ClaimType + ".one"
	write := func(s stage, provider string, attributes ...string) {
		acceptance.WriteFile(s.T, s.folder, "main.tf",
			acceptance.Requiring+provider+acceptance.RulesAWS+acceptance.ClaimOf("one", "ga-1", attributes...))
	}
	for name, test := range map[string]struct {
		kind    string
		begin   func(s stage) // writes the configuration of the claim; nil = that of the provider block alone
		change  func(s stage) // after the apply of the claim
		refused string
		says    []string
	}{
		"the database is missing": {
			begin: func(s stage) {
				write(s, s.Provider(fmt.Sprintf("database = { url = %q }", s.database.ReaderURL())))
			},
			change: func(s stage) {
				s.database.Insert(s.T, postgres.InstanceRow{GlobalAccount: "ga-1", Account: "aws-1"})
				write(s, s.Provider())
			},
			refused: diagnose.SummarySettingsChanged,
			says:    []string{"database"},
		},
		"another state has taken it up": {
			change: func(s stage) {
				other := acceptance.NewFolder(s.T, s.Landscape)
				acceptance.WriteFile(s.T, other, "main.tf", acceptance.Requiring+s.Provider()+acceptance.RulesAWS+acceptance.ClaimOf("one", "ga-1"))
				acceptance.Run(s.T, other, "apply", "-auto-approve")
			},
			refused: diagnose.SummaryOtherState,
		},
		"another owner has it": {
			begin: func(s stage) { write(s, s.Provider(), `owner = "a"`, `lifecycle { ignore_changes = [owner] }`) },
			change: func(s stage) {
				other := acceptance.NewFolder(s.T, s.Landscape)
				acceptance.WriteFile(s.T, other, "main.tf", acceptance.Requiring+s.Provider()+acceptance.RulesAWS+
					acceptance.ClaimOf("one", "ga-1", `owner = "b"`))
				acceptance.Run(s.T, other, "import", address, "ga-1/aws-1/one")
				acceptance.Run(s.T, other, "apply", "-auto-approve")
			},
			refused: diagnose.SummaryOwner,
		},
		"the pool has another kind of bindings": { // with a live cluster by the older one
			kind:  testbed.SecretBinding,
			begin: func(s stage) { write(s, s.Provider(`pool = { kind = "SecretBinding" }`)) },
			change: func(s stage) {
				s.ShootBy(s.T, "live", testbed.SecretBinding, "aws-1")
				s.Accounts(s.T, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Tenant: "ga-1", Secret: "aws-1"})
				write(s, s.Provider())
			},
			refused: diagnose.SummarySettingsChanged,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := stage{Landscape: acceptance.NewLandscape(t, testbed.AccountSpec{Name: "aws-1", Kind: test.kind, HyperscalerType: "aws"}), T: t}
			s.Kubeconfig = s.AdminKubeconfig(t) // the labels of both kinds are read
			s.folder, s.database = acceptance.NewFolder(t, s.Landscape), postgres.Shared(t).NewDatabase(t)
			if test.begin != nil {
				test.begin(s)
			} else {
				write(s, s.Provider())
			}
			acceptance.Run(t, s.folder, "apply", "-auto-approve")
			test.change(s)
			before := s.Versions(t)
			refuses := func(want string, says []string, args ...string) {
				t.Helper()
				result := s.folder.Run(t, append([]string{"apply", "-auto-approve"}, args...)...)
				if result.ExitCode == 0 || !acceptance.ErrorLike(want, says...).MatchString(result.Output) {
					t.Errorf("%v: exit code %d:\n%s", args, result.ExitCode, result.Output)
				}
				if after := s.Versions(t); !maps.Equal(after, before) {
					t.Errorf("%v: accounts were written: versions are %v, were %v", args, after, before)
				}
				if list := acceptance.Run(t, s.folder, "state", "list").Output; !strings.Contains(list, address) {
					t.Errorf("%v: the claim is not in the state: %s", args, list)
				}
			}
			refuses(test.refused, test.says, "-replace="+address)
			acceptance.Run(t, s.folder, "taint", address)
			refuses(test.refused, test.says)
			refuses(diagnose.SummaryWithoutNotes, []string{"untaint"}, "-refresh=false")
		})
	}
}

// A claim that is tainted keeps what is known of its account: one that never had a cluster goes back to the pool.
func TestAccClaim_taintedReturns(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	folder := acceptance.NewFolder(t, l)
	acceptance.WriteFile(t, folder, "main.tf", acceptance.Requiring+l.Provider()+acceptance.RulesAWS+
		acceptance.ClaimOf("one", "ga-1", `on_destroy = "return_to_pool"`))
	acceptance.Run(t, folder, "apply", "-auto-approve")
	for range 2 { // of the account that was made anew, too
		acceptance.Run(t, folder, "taint", acceptance.ClaimType+".one")
		acceptance.Run(t, folder, "apply", "-auto-approve")
	}
	if dirty := l.GetAccount(t, "aws-1").Labels["dirty"]; dirty != "" || l.Tenant(t, "aws-1") != "ga-1" {
		t.Errorf("the account is of %q and dirty=%q", l.Tenant(t, "aws-1"), dirty)
	}
	acceptance.Run(t, folder, "plan", "-detailed-exitcode")
	acceptance.Run(t, folder, "destroy", "-auto-approve")
	if n := l.Records(t, "aws-1"); n != 0 || l.Tenant(t, "aws-1") != "" {
		t.Errorf("the account has %d records and is of %q after the destroy", n, l.Tenant(t, "aws-1"))
	}
}

// A provider that is killed in an update loses the notes of the state, and the record on the account still says by which sources clusters
// were counted: a run without the database does not release the account.
func TestAccClaim_lostNotes(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	database := postgres.Shared(t).NewDatabase(t)
	silent, err := net.Listen("tcp", "127.0.0.1:0") // a database that never answers
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = silent.Close() })
	folder := acceptance.NewFolder(t, l)
	apply := func(attributes ...string) {
		acceptance.WriteFile(t, folder, "main.tf",
			acceptance.Requiring+l.Provider()+acceptance.RulesAWS+acceptance.ClaimOf("one", "ga-1", attributes...))
	}
	folder.Setenv(settings.DatabaseVariable, database.ReaderURL())
	apply()
	acceptance.Run(t, folder, "apply", "-auto-approve")
	folder.Setenv(settings.DatabaseVariable, "postgres://u:p@"+silent.Addr().String()+"/keb?sslmode=disable")
	apply(`owner = "me"`)
	updating := folder.Start(t, "apply", "-auto-approve", "-refresh=false")
	for !strings.Contains(updating.Output(), "Modifying...") {
		time.Sleep(20 * time.Millisecond)
	}
	updating.KillProvider(t)
	if result := updating.Wait(t); result.ExitCode == 0 {
		t.Fatalf("the update has ended:\n%s", result.Output)
	}
	database.Insert(t, postgres.InstanceRow{GlobalAccount: "ga-1", Account: "aws-1"})
	folder.Setenv(settings.DatabaseVariable, "")
	before := l.Versions(t)
	for _, test := range []struct {
		arguments []string
		want      string
	}{ // in this order: a refresh writes notes
		{[]string{"destroy", "-auto-approve", "-refresh=false"}, diagnose.SummaryWithoutNotes},
		{[]string{"destroy", "-auto-approve"}, diagnose.SummarySettingsChanged},
		{[]string{"destroy", "-auto-approve", "-refresh=false"}, diagnose.SummarySettingsChanged},
	} {
		arguments := test.arguments
		result := folder.Run(t, arguments...)
		if result.ExitCode == 0 || !acceptance.ErrorLike(test.want).MatchString(result.Output) {
			t.Errorf("%v: exit code %d:\n%s", arguments, result.ExitCode, result.Output)
		}
		if after := l.Versions(t); !maps.Equal(after, before) {
			t.Errorf("%v: accounts were written: versions are %v, were %v", arguments, after, before)
		}
	}
}

// Two tainted claims whose names change places are not released by the notes of each other, and keep their own.
func TestAccClaim_taintedSwapped(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"},
		testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws"})
	folder := acceptance.NewFolder(t, l)
	write := func(first, second string) {
		acceptance.WriteFile(t, folder, "main.tf", acceptance.Requiring+l.Provider()+acceptance.RulesAWS+fmt.Sprintf(`
resource %q "each" {
  for_each       = { k1 = %q, k2 = %q }
  name           = each.value
  global_account = "ga-${each.value}"
  plan           = "aws"
  rule_set       = hap_rule_set.r
}
`, acceptance.ClaimType, first, second))
	}
	addresses := []string{acceptance.ClaimType + `.each["k1"]`, acceptance.ClaimType + `.each["k2"]`}
	write("a", "b")
	acceptance.Run(t, folder, "apply", "-auto-approve")
	before := l.Versions(t)
	for _, a := range addresses {
		acceptance.Run(t, folder, "taint", a)
	}
	write("b", "a")
	result := folder.Run(t, "apply", "-auto-approve")
	if result.ExitCode == 0 || !acceptance.ErrorLike(diagnose.SummaryWithoutNotes).MatchString(result.Output) {
		t.Errorf("exit code %d:\n%s", result.ExitCode, result.Output)
	}
	if after := l.Versions(t); !maps.Equal(after, before) {
		t.Errorf("accounts were written: versions are %v, were %v", after, before)
	}
	for _, a := range addresses {
		acceptance.Run(t, folder, "untaint", a)
	}
	write("a", "b")
	acceptance.Run(t, folder, "plan", "-detailed-exitcode")
	acceptance.Run(t, folder, "destroy", "-auto-approve")
}
