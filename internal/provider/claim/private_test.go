package claim

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/garden"
	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/provider/backend"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
	"github.com/hap-project/terraform-provider-hap/internal/provider/settings"
)

// Lost private state says nothing of clusters: the account counts as used. It is of the provider's kind, and the claim's Global Account
// is the one that it was made for, whatever the label says by now. A holder that an older provider has kept stays as it is.
func TestHolder_lost(t *testing.T) {
	t.Parallel()
	id, at := types.StringValue("ga-1/aws-1/blue"), types.StringValue("2026-03-01T12:00:00Z")
	claimed := claimModel{
		ID: id, Name: types.StringValue("blue"), BindingName: types.StringValue("aws-1"), GlobalAccount: types.StringValue("ga-1"),
		Owner: types.StringValue("me"), ClaimedAt: at,
	}
	drifted, freed, shared, imported := claimed, claimed, claimed, claimed
	drifted.GlobalAccount, freed.GlobalAccount = types.StringValue("ga-2"), types.StringNull()
	shared.Shared = types.BoolValue(true)
	imported.ClaimedAt = types.StringNull()
	lost := holder{Kind: garden.SecretBinding, GlobalAccount: "ga-1", Owner: "me", Used: true, Recorded: true, Lost: true}
	for name, test := range map[string]struct {
		private string
		state   claimModel
		want    holder
	}{
		"as it was claimed":         {"", claimed, lost},
		"another has the account":   {"", drifted, lost},
		"no Global Account has it":  {"", freed, lost},
		"text that cannot be read":  {"{", claimed, lost},
		"shared":                    {"", shared, holder{Kind: garden.SecretBinding, GlobalAccount: "ga-1", Owner: "me", Lost: true}},
		"imported without a record": {"", imported, holder{Kind: garden.SecretBinding, GlobalAccount: "ga-1", Owner: "me", Used: true, Lost: true}},
		"kept by the first release": {`{"namespace":"n","globalAccount":"ga-1"}`, drifted, holder{Namespace: "n", GlobalAccount: "ga-1"}},
		"kept by it, with an owner": {`{"globalAccount":"ga-1","owner":"x"}`, claimed, holder{GlobalAccount: "ga-1", Owner: "x"}},
		"kept for a CredentialsBinding": {`{"kind":"CredentialsBinding","globalAccount":"ga-1"}`, claimed,
			holder{Kind: garden.CredentialsBinding, GlobalAccount: "ga-1"}},
	} {
		of := kept{Model: test.state}
		if json.Unmarshal([]byte(test.private), &of.Place) != nil {
			of.Place = holder{}
		}
		r := &claimResource{Call: &family.Call{Backend: &backend.Backend{Settings: settings.Settings{Kind: garden.SecretBinding}}}}
		if r.Restore(&of); !reflect.DeepEqual(of.Place, test.want) {
			t.Errorf("%s: %+v, want %+v", name, of.Place, test.want)
		}
	}
}

// A mark on the record that this state has not left is a warning: of another state where this one can know, and of one or the other where it is
// older than marks. A state whose notes are lost may have left it.
func TestReportDrift_marks(t *testing.T) {
	t.Parallel()
	theirs := account.Mark{Instance: "theirs", At: time.Unix(0, 0)}
	for name, test := range map[string]struct {
		h    holder
		mark account.Mark
		says string
	}{
		"its own":               {holder{Instance: "theirs"}, theirs, ""},
		"of another state":      {holder{Instance: "mine"}, theirs, "was taken up by another state"},
		"of an older state":     {holder{}, theirs, "bears the mark of a state"},
		"no mark":               {holder{}, account.Mark{}, ""},
		"the notes are lost":    {holder{Lost: true}, theirs, ""},
		"met by the import":     {holder{Imported: account.Meet(theirs, "next")}, theirs, ""},
		"left since the import": {holder{Imported: account.Meet(account.Mark{}, "next")}, theirs, "was taken up by another state"},
		"its lost first change": {holder{Imported: account.Meet(account.Mark{}, "theirs")}, theirs, ""},
	} {
		var diags diag.Diagnostics
		status := pool.Status{Recorded: true, Record: account.Record{Mark: test.mark}}
		reportDrift(&diags, status, claimModel{BindingName: types.StringValue("aws-1")}, test.h, garden.LabelKeys{})
		said := ""
		for _, d := range diags {
			if d.Summary() == diagnose.SummaryOtherState {
				said += d.Detail()
			}
		}
		if (said == "") != (test.says == "") || !strings.Contains(said, test.says) {
			t.Errorf("%s: it says %q", name, said)
		}
	}
}
