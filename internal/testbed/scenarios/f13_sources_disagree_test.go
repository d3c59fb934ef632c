package scenarios

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/postgres"
)

// rows are n live rows of a Global Account on an account.
func rows(n int, ga, account string, changes ...func(*postgres.InstanceRow)) []postgres.InstanceRow {
	made := make([]postgres.InstanceRow, n)
	for i := range made {
		made[i] = postgres.InstanceRow{GlobalAccount: ga, Account: account}
		for _, change := range changes {
			change(&made[i])
		}
	}
	return made
}

func suspended(r *postgres.InstanceRow) { r.Suspended = true }

// selection asks for the account of a Global Account and shows it as outputs.
const selection = `data "hap_binding_selection" "this" {
  rule_set       = local.rules
  global_account = "ga-1"
  plan           = "aws"
}
output "candidates" {
  value = join(" ", [for c in data.hap_binding_selection.this.candidates :
    "${c.name}=${c.clusters}:${coalesce(c.shoots, -1)}/${c.instances}:${c.own_instances}+${c.other_instances}:${c.suspended}"])
}
output "chosen" { value = "${data.hap_binding_selection.this.action} ${data.hap_binding_selection.this.binding_name}" }
`

// F13: planted disagreements, each of which is reported; the higher number counts.
func TestF13GardenerAndTheDatabaseDisagree(t *testing.T) {
	t.Parallel()
	s := newCounted(t,
		testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Tenant: "ga-1"},
		testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws", Tenant: "ga-1"},
		testbed.AccountSpec{Name: "aws-3", HyperscalerType: "aws", Tenant: "ga-1"},
		testbed.AccountSpec{Name: "aws-4", HyperscalerType: "aws"})
	makeShoots(t, s, "aws-1", 20) // 20 Shoots, 15 rows
	s.database.Insert(t, rows(15, "ga-1", "aws-1")...)
	s.database.Insert(t, rows(5, "ga-1", "aws-2", suspended)...) // 0 Shoots, 5 rows, all suspended
	makeShoots(t, s, "aws-3", 2)                                 // agreed on, but one row is another's
	s.database.Insert(t, append(rows(1, "ga-1", "aws-3"), rows(1, "ga-9", "aws-3")...)...)
	s.database.Insert(t, rows(3, "ga-1", "")...)
	s.database.Insert(t, postgres.InstanceRow{GlobalAccount: "ga-1", Account: "aws-2", Deleted: true})

	const multi = "multi_account = { allowed_global_accounts = [\"*\"], limits = { default = 20 } }\n"
	c := s.configure(t)
	c.write(t, multi+s.by("both", ""), selection)
	out := c.apply(t).Output
	for _, words := range [][]string{
		{"Gardener and the broker's database count differently", "no account is named by 3 rows of the database"},
		{"aws-1: 20 Shoots, 15 rows"},
		{"aws-2: 0 Shoots, 5 rows (5 suspended)"},
		{"Account aws-3 is held by Global Account ga-1, and 1 row of the broker's database on it belongs to others: ga-9 (1)"},
	} {
		wantMessage(t, out, "Warning: Cluster count is in doubt", words...)
	}
	if strings.Contains(out, "aws-3: 2 Shoots") {
		t.Error("aws-3 is reported, and both agree on it")
	}
	wantOutput(t, out, "candidates", "aws-1=20:20/15:15+0:0 aws-2=5:0/5:5+0:5 aws-3=2:2/2:1+1:0")
	wantOutput(t, out, "chosen", "reuse aws-2") // aws-1 is full by its Shoots

	c.write(t, multi+s.by("both", `on_disagreement = "error"`), selection, claim("blue", "ga-1"))
	c.fails(t, applying, "Cluster counts disagree", "no account is named by 3 rows of the database",
		"aws-1: 20 Shoots, 15 rows", "aws-2: 0 Shoots, 5 rows", "Nothing was claimed")
	s.wantWrites(t, "refused", 0)
}

// F13: by the database alone the account that Gardener calls empty is as full as its rows say, whichever Global Account they belong to.
func TestF13DatabaseAlone(t *testing.T) {
	t.Parallel()
	s := newCounted(t,
		testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Tenant: "ga-1"},
		testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws"})
	s.database.Insert(t, append(rows(2, "ga-1", "aws-1", suspended), rows(1, "ga-9", "aws-1")...)...)
	s.database.Insert(t, rows(1, "ga-1", "")...)
	c := s.configure(t)
	c.write(t, "multi_account = { allowed_global_accounts = [\"*\"], limits = { default = 3 } }\n"+s.by("database", ""), selection, claim("blue", "ga-1"))
	out := c.apply(t).Output
	wantOutput(t, out, "candidates", "aws-1=3:-1/3:2+1:2 aws-2=0:-1/0:0+0:0")
	wantMessage(t, out, "Warning: Cluster count is in doubt", "No account is named by 1 live row of the broker's database")
	if got := c.account(t, "blue"); got != "aws-2" {
		t.Errorf("the claim is on %q, want aws-2: aws-1 is full", got)
	}

	// What the database alone knows of keeps an account from being released, and is named.
	s.database.Insert(t, postgres.InstanceRow{ID: "5c1f-blue", GlobalAccount: "ga-1", Account: "aws-2"})
	c.fails(t, destroying, "Account is in use", "account aws-2 is used by 1 cluster: instance 5c1f-blue")
	s.database.Exec(t, "UPDATE instances SET deleted_at = now() WHERE instance_id = '5c1f-blue'")
	c.destroy(t)
	s.wantMarked(t, "aws-2")
}

// makeShoots makes Shoots on an account.
func makeShoots(t *testing.T, s counted, account string, n int) {
	t.Helper()
	specs := make([]testbed.ShootSpec, n)
	for i := range specs {
		specs[i] = testbed.ShootSpec{Name: fmt.Sprintf("%s-%d", account, i), Account: account}
	}
	if err := s.MakeShoots(t.Context(), specs...); err != nil {
		t.Fatal(err)
	}
}

func wantOutput(t *testing.T, out, name, want string) {
	t.Helper()
	if !strings.Contains(out, fmt.Sprintf("%s = %q", name, want)) {
		t.Errorf("the output %s is not %q in:\n%s", name, want, out)
	}
}
