package status_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	wholelandscape "github.com/hap-project/terraform-provider-hap/internal/testbed/landscape"
)

// landscapeRules are the rules of the landscape: those of the values file of the guide.
const landscapeRules = `resource "hap_rule_set" "broker" {
  rules = ["aws", "aws(PR=cf-eu11) -> EU", "azure", "azure(PR=cf-ch20) -> EU", "gcp", "gcp(PR=cf-sa30) -> PR", "trial -> S",
    "sap-converged-cloud -> HR, S"]
  syntax = "arrow"
}
`

// A landscape as it is found, with three of each oddity, is taken over in one sitting: the survey writes nothing, the apply the records of
// claims alone, the plan after it is empty and warns of nothing, and what a person has to decide is in the list.
func TestAccPoolStatusImportConfig_landscape(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t)
	found := wholelandscape.New()
	if len(found.Accounts) != wholelandscape.Bindings {
		t.Fatalf("the landscape has %d bindings", len(found.Accounts))
	}
	if err := found.Lay(t.Context(), l.Namespace); err != nil {
		t.Fatal(err)
	}
	before := look(t, l)
	c := l.Folder(t)
	l.Configure(t, c, landscapeRules+`data "hap_pool_status" "now" {
  rule_set       = hap_rule_set.broker
  import_options = { rule_set = "hap_rule_set.broker", account_rules = "eu_access" }
}
output "config" { value = data.hap_pool_status.now.import_config }
output "decisions" { value = join("\n", [for d in data.hap_pool_status.now.import_decisions :
  "${d.kind} ${d.account}: ${join(", ", d.resources)}" if length(d.choices) > 0]) }
`)
	acceptance.Run(t, c, "apply", "-auto-approve")
	config, decisions := acceptance.Run(t, c, "output", "-raw", "config").Stdout, acceptance.Run(t, c, "output", "-raw", "decisions").Stdout
	decisions = strings.NewReplacer("hap_account.", "A.", "hap_credentials_binding_claim.", "C.").Replace(decisions)
	if got, want := strings.Split(decisions, "\n"), decidedByHand; !slices.Equal(got, want) {
		t.Errorf("to decide:\n%s\nwant:\n%s", decisions, strings.Join(want, "\n"))
	}
	if !maps.Equal(look(t, l).Versions, before.Versions) {
		t.Error("the survey has written something")
	}
	l.Configure(t, c, landscapeRules)
	acceptance.Run(t, c, "apply", "-auto-approve") // the outputs go
	acceptance.WriteFile(t, c, "import.tf", config)
	acceptance.Run(t, c, "fmt", "-check", "-diff", "import.tf")
	accounts, claims := strings.Count(config, "\nresource \"hap_account\""), strings.Count(config, "\nresource \"hap_credentials_binding_claim\"")
	if accounts != 194 || claims != 33 || strings.Count(config, "= hap_rule_set.broker\n") != claims+3 {
		t.Errorf("%d accounts and %d claims are written, want 194 and 33; these and the accounts for EU access have the rules", accounts,
			claims)
	}
	for written, want := range map[string]int{
		"to = hap_account._007-aws\n": 1, "to = hap_account.azure_emea_1\n": 1, "to = hap_account._1_gcp\n": 1,
		"to = hap_credentials_binding_claim._1_gcp_held\n": 1, `kind = "WorkloadIdentity"`: 3, "eu_access        = true": 3,
		"internal         = true": 3, "shared           = true": 3, `"old-`: 0, `"no-label-`: 0,
	} {
		if got := strings.Count(config, written); got != want {
			t.Errorf("%q is written %d times, want %d", written, got, want)
		}
	}
	l.TakenOver(t, c, accounts+claims)
	again := acceptance.Run(t, c, "plan")
	if strings.Count(again.Output, "Warning") != strings.Count(again.Output, "Warning: Provider development overrides") {
		t.Errorf("the plan after it warns:\n%s", again.Output)
	}
	var written []string
	after := look(t, l)
	for object, version := range after.Versions {
		if before.Versions[object] != version {
			written = append(written, object)
		}
	}
	if len(written) != claims || !maps.EqualFunc(after.Labels, before.Labels, maps.Equal) {
		t.Errorf("%d objects are written, want a record on each of %d and no label; written: %q", len(written), claims, written)
	}
	for _, a := range l.ListAccounts(t) {
		records := l.Records(t, a.Name)
		if changed := slices.Contains(written, "CredentialsBinding "+a.Name); records > 1 || changed != (records == 1) {
			t.Errorf("%s has %d records, and is written: %t", a.Name, records, changed)
		}
	}
	for name, want := range map[string]account.Request{
		"eu-2": {Plan: "aws", PlatformRegion: "cf-eu11"}, "idle-3": {Plan: "gcp", PlatformRegion: "cf-sa30"}, "1.gcp": {Plan: "gcp"},
		"hap-held-001": {Plan: "aws"},
	} {
		if r := l.Recorded(t, name, name); r == nil || r.Request != want || r.ReleaseMode != account.Keep {
			t.Errorf("the claim on %s is recorded as %+v, want the request %+v and keep", name, r, want)
		}
	}
}

// decidedByHand is what import_config leaves to a person in the landscape, with the blocks that it writes all the same: A is hap_account,
// C is hap_credentials_binding_claim.
var decidedByHand = []string{
	"same_credentials twin-1a: A.twin-1a",
	"same_credentials twin-1b: A.twin-1b",
	"same_credentials twin-2a: A.twin-2a, C.twin-2a_held",
	"same_credentials twin-2b: A.twin-2b",
	"same_credentials twin-3a: A.twin-3a",
	"same_credentials twin-3b: A.twin-3b",
	"shared_held shared-3: A.shared-3",
	"internal_held internal-3: A.internal-3, C.internal-3_held",
	"unreachable not-dirty-1: A.not-dirty-1",
	"unreachable not-dirty-2: A.not-dirty-2",
	"unreachable not-dirty-3: A.not-dirty-3, C.not-dirty-3_held",
	"stray no-label-1: ",
	"stray no-label-2: ",
	"stray no-label-3: ",
	"idle 1.gcp: A._1_gcp, C._1_gcp_held",
	"idle eu-2: A.eu-2, C.eu-2_held",
	"idle identity-3: A.identity-3, C.identity-3_held",
	"idle idle-1: A.idle-1, C.idle-1_held",
	"idle idle-2: A.idle-2, C.idle-2_held",
	"idle idle-3: A.idle-3, C.idle-3_held",
	"idle not-dirty-3: A.not-dirty-3, C.not-dirty-3_held",
	"idle twin-2a: A.twin-2a, C.twin-2a_held",
	"other_kind SecretBinding old-1: ",
	"other_kind SecretBinding old-2: ",
	"other_kind SecretBinding old-3: ",
	"left_out twin-3a: A.twin-3a",
	"left_out twin-3b: A.twin-3b",
}

// look returns what is in the namespace of a landscape.
func look(t *testing.T, l acceptance.Landscape) wholelandscape.Seen {
	t.Helper()
	seen, err := wholelandscape.Look(t.Context(), l.Namespace)
	if err != nil {
		t.Fatal(err)
	}
	return seen
}
