package scenarios

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
)

// selectable is the golden table: one line for tenantName, shared, dirty and internal of an account (x = there), and in
// each column what the Global Account that the label tenantName names, and any other one, may do with it: reuse, claim or
// share it, or nothing (-). Each tenant asks for the very pool that the labels put the account into.
const selectable = `
tenant shared dirty internal | no type | no type, eu | type         | type, eu
.      .      .     .        | - -     | - -         | claim claim  | claim claim
.      .      .     x        | - -     | - -         | - -          | - -
.      .      x     .        | - -     | - -         | - -          | - -
.      .      x     x        | - -     | - -         | - -          | - -
.      x      .     .        | - -     | - -         | share share  | share share
.      x      .     x        | - -     | - -         | - -          | - -
.      x      x     .        | - -     | - -         | - -          | - -
.      x      x     x        | - -     | - -         | - -          | - -
x      .      .     .        | - -     | - -         | reuse -      | reuse -
x      .      .     x        | - -     | - -         | reuse -      | reuse -
x      .      x     .        | - -     | - -         | - -          | - -
x      .      x     x        | - -     | - -         | - -          | - -
x      x      .     .        | - -     | - -         | share share  | share share
x      x      .     x        | - -     | - -         | - -          | - -
x      x      x     .        | - -     | - -         | - -          | - -
x      x      x     x        | - -     | - -         | - -          | - -
`

// labelled is a line and a column of the table.
type labelled struct {
	spec          testbed.AccountSpec
	own, stranger string
}

// readTable makes an account for each cell.
func readTable(t *testing.T) []labelled {
	t.Helper()
	var cells []labelled
	for i, line := range strings.Split(strings.TrimSpace(selectable), "\n")[1:] {
		columns := strings.Split(line, "|")
		flags := strings.Fields(columns[0])
		for j, cell := range columns[1:] {
			may := strings.Fields(cell)
			spec := testbed.AccountSpec{
				Name: fmt.Sprintf("line-%02d-column-%d", i+1, j+1), EUAccess: j%2 == 1,
				Shared: flags[1] == "x", Dirty: flags[2] == "x", Internal: flags[3] == "x",
			}
			if flags[0] == "x" {
				spec.Tenant = "ga-own"
			}
			if j >= 2 {
				spec.HyperscalerType = "aws"
			}
			cells = append(cells, labelled{spec, may[0], may[1]})
		}
	}
	if len(cells) != 64 {
		t.Fatalf("the table has %d cells", len(cells))
	}
	return cells
}

// F25: of the 64 sets of labels that an account can have, which are selected, by whom and how.
func TestF25LabelMatrix(t *testing.T) {
	t.Parallel()
	cells := readTable(t)
	var specs []testbed.AccountSpec
	for _, cell := range cells {
		specs = append(specs, cell.spec)
	}
	s := newStage(t, specs...)
	listed, err := s.gardenOf(t, "reader").List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]*account.Account{}
	for i := range listed {
		byName[listed[i].Name] = &listed[i]
	}
	for _, cell := range cells {
		target := account.Target{HyperscalerType: "aws", Shared: cell.spec.Shared, EUAccess: cell.spec.EUAccess}
		for ga, want := range map[string]string{"ga-own": cell.own, "ga-stranger": cell.stranger} {
			if got := chosen(byName[cell.spec.Name], target, ga); got != want {
				t.Errorf("%+v for %s: %s, want %s", cell.spec, ga, got, want)
			}
			for _, elsewhere := range []account.Target{
				{HyperscalerType: "aws", Shared: !target.Shared, EUAccess: target.EUAccess},
				{HyperscalerType: "aws", Shared: target.Shared, EUAccess: !target.EUAccess},
				{HyperscalerType: "gcp", Shared: target.Shared, EUAccess: target.EUAccess},
			} {
				if got := chosen(byName[cell.spec.Name], elsewhere, ga); got != "-" {
					t.Errorf("%+v for %s in pool %s: %s", cell.spec, ga, elsewhere, got)
				}
			}
		}
	}
}

// chosen is what a selection makes of an account that is alone in the world.
func chosen(a *account.Account, target account.Target, ga string) string {
	var accounts []*account.Account
	if a != nil { // without a type it is not even listed
		accounts = append(accounts, a)
	}
	decision, err := account.Select(accounts, account.Places{}, account.Query{Target: target, GlobalAccount: ga}, account.Policy{})
	if err != nil {
		return "-"
	}
	return string(decision.Action)
}
