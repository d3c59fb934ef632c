package status

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/overview"
	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/takeover"
)

// filled are the outputs that are not null.
func filled(m statusModel) (names []string) {
	v := reflect.ValueOf(m)
	for i := range v.NumField() {
		name, field := v.Type().Field(i).Tag.Get("tfsdk"), v.Field(i)
		text, isText := field.Interface().(types.String)
		if slices.Contains(outputs, name) && (isText && !text.IsNull() || !isText && !field.IsNil()) {
			names = append(names, name)
		}
	}
	return names
}

// The numbers of a pool are a partition of its accounts (ADR 004), but for those that are shared, or hidden from the broker by a label
// alone.
func TestNumbersOfAPoolAddUp(t *testing.T) {
	t.Parallel()
	for _, class := range account.Classes() {
		var m statusModel
		m.pools(overview.Overview{Pools: []overview.Pool{{Tally: account.Tally{class: 3}}}})
		p, want := m.Pools[0], 3
		if class == account.ClassShared || class == account.ClassUnreachable {
			want = 0
		}
		sum := p.Claimed + p.Unclaimed + p.Cooling + p.Dirty + p.Internal + p.Deleting + p.Occupied + p.Unclear + p.Duplicate
		if p.Total != 3 || sum != want {
			t.Errorf("%s: %d of %d accounts are counted, want %d: %+v", class, sum, p.Total, want, p)
		}
	}
}

// What is not asked for is null, and is not computed either. Without a wish everything is there, and no list is null.
func TestOutputs(t *testing.T) {
	t.Parallel()
	for name, a := range statusSchema(t.Context()).Attributes {
		if a.IsComputed() && !slices.Contains(outputs, name) {
			t.Errorf("%s is no output", name)
		}
	}
	o := overview.Overview{Accounts: []overview.Account{{Account: account.Account{Name: "a"}}}}
	of := func(wanted types.Set) (m statusModel, computed int) {
		m.Outputs = wanted
		m.fill(o, account.SourceGardener)
		text := func() string { computed++; return "x" }
		m.text(&m.Prometheus, "prometheus", text)
		m.text(&m.Report, "report", text)
		m.takeOver(o, takeover.Terms{})
		return m, computed
	}
	for _, one := range outputs {
		m, computed := of(types.SetValueMust(types.StringType, []attr.Value{types.StringValue(one)}))
		if got := filled(m); !slices.Equal(got, []string{one}) || computed > 1 {
			t.Errorf("%s: got %v, and %d texts are computed", one, got, computed)
		}
	}
	o = overview.Survey(pool.Inventory{}, overview.Facts{}, overview.Filter{}, o.Accounts[0].Made)
	m, _ := of(types.SetNull(types.StringType))
	if got := filled(m); fmt.Sprint(slices.Sorted(slices.Values(got))) != fmt.Sprint(slices.Sorted(slices.Values(outputs))) {
		t.Errorf("without a wish: got %v", got)
	}
}
