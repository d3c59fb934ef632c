package claim

import (
	"reflect"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// What a plan has promised stays, though a cluster came meanwhile; what it left open is what was found.
func TestClaim_updateKeepsThePlan(t *testing.T) {
	t.Parallel()
	m := claimModel{ClusterCount: types.Int64Value(2), Limit: types.Int64Null(), Dirty: types.BoolValue(false), Reserved: types.Int64Unknown()}
	m = m.updated(pool.Status{
		Account: account.Account{Tenant: "ga-1", Dirty: account.Dirtied}, Recorded: true, Record: account.Record{ClaimedAt: time.Unix(0,
			0)}, Clusters: 3, Reserved: 1, Limit: 9,
	}, "ga-1")
	if !m.ClusterCount.Equal(types.Int64Value(2)) || !m.Limit.IsNull() || m.Dirty.ValueBool() {
		t.Errorf("planned were 2 clusters, no limit, not dirty; came out %s, %s, %s", m.ClusterCount, m.Limit, m.Dirty)
	}
	if !m.Reserved.Equal(types.Int64Value(1)) {
		t.Errorf("reserved is %s, want the 1 that was found", m.Reserved)
	}
}

// The record was lost, and an update writes it again: the claim was made when the plan says.
func TestClaim_updateKeepsThePlannedTime(t *testing.T) {
	t.Parallel()
	planned := types.StringValue("2026-03-01T12:00:00Z")
	m := claimModel{ClaimedAt: planned, Lease: types.StringValue("24h"), NewlyClaimed: types.BoolValue(true), Reserved: types.Int64Unknown()}
	m = m.updated(pool.Status{
		Account: account.Account{Tenant: "ga-1"}, Recorded: true, Record: account.Record{GlobalAccount: "ga-1", ClaimedAt: time.Now()},
	}, "ga-1")
	if !m.ClaimedAt.Equal(planned) || !m.ExpiresAt.Equal(types.StringValue("2026-03-02T12:00:00Z")) {
		t.Errorf("planned %s, and the state says %s until %s", planned, m.ClaimedAt, m.ExpiresAt)
	}
}

// What a claim records comes back at an import: a detail that a record has and the model forgets would be lost there.
func TestModel_everyDetailComesBack(t *testing.T) {
	t.Parallel()
	var details account.Details
	fill(t, reflect.ValueOf(&details).Elem(), "")
	m := claimModel{}.imported(pool.Status{Recorded: true, Record: account.Record{Details: details}}, account.Target{HyperscalerType: "aws"}, "ga-1")
	if got := m.details(); got != details {
		t.Errorf("recorded %+v, and the model says %+v", details, got)
	}
}

// fill gives each field a value of its own.
func fill(t *testing.T, v reflect.Value, name string) {
	t.Helper()
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(t, v.Field(i), v.Type().Field(i).Name)
		}
	case reflect.String:
		v.SetString("the " + name)
	default:
		t.Fatalf("%s: no value for a %s", name, v.Kind())
	}
}

// A claim that was imported without a request keeps its state in a plan where the configuration asks for nothing else. An input that
// sameBut forgets would be dropped from such a plan.
func TestModel_sameButHasEachInput(t *testing.T) {
	t.Parallel()
	ctx, request := t.Context(), claimModel{}.Attributes()
	for name, attribute := range claimSchema(ctx).Attributes {
		_, aside := request[name]
		if aside || name == "rule_set" || !attribute.IsRequired() && !attribute.IsOptional() {
			continue
		}
		of := attribute.GetType()
		other, err := of.ValueFromTerraform(ctx, tftypes.NewValue(of.TerraformType(ctx), tftypes.UnknownValue))
		if err != nil {
			t.Fatal(err)
		}
		var m claimModel
		for _, field := range reflect.VisibleFields(reflect.TypeFor[claimModel]()) {
			if field.Tag.Get("tfsdk") == name {
				reflect.ValueOf(&m).Elem().FieldByIndex(field.Index).Set(reflect.ValueOf(other))
			}
		}
		if m.sameBut(claimModel{}) {
			t.Errorf("sameBut does not compare %s", name)
		}
	}
}
