package account

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
)

// A state of an older version has no id: a refresh adds it, and no other account is made of the one that is there.
func TestReferenceOfAnOlderState(t *testing.T) {
	t.Parallel()
	old := standing(func(m *accountModel) {
		r := refOf(m.CredentialsRef)
		r.ID = types.StringNull()
		m.CredentialsRef = r.object()
	})
	if changed := replaces(standing(), old, holder{HyperscalerType: "aws"}, "CredentialsBinding"); len(changed) > 0 {
		t.Errorf("it is made anew for %v", changed)
	}
	if got, want := old.refreshed(pool.Supplied{}).CredentialsRef, refValue("Secret", "n", "s"); !got.Equal(want) {
		t.Errorf("refreshed to %s, want %s", got, want)
	}
}

func TestReferenceByID(t *testing.T) {
	t.Parallel()
	null, unknown, text := types.StringNull(), types.StringUnknown(), types.StringValue
	for name, test := range map[string]struct{ given, want refModel }{
		"with a namespace":     {refModel{null, null, null, text("n/s")}, refModel{null, text("n"), text("s"), text("n/s")}},
		"a name":               {refModel{null, null, null, text("s")}, refModel{null, null, text("s"), text("s")}},
		"unknown":              {refModel{null, null, null, unknown}, refModel{null, unknown, unknown, unknown}},
		"a name beside none":   {refModel{null, text("n"), text("s"), null}, refModel{null, text("n"), text("s"), null}},
		"an unknown name":      {refModel{null, text("n"), unknown, unknown}, refModel{null, text("n"), unknown, unknown}},
		"both, from the state": {refModel{null, text("n"), text("s"), text("s")}, refModel{null, text("n"), text("s"), text("s")}},
	} {
		if got := refOf(test.given.object()); got != test.want {
			t.Errorf("%s: %+v, want %+v", name, got, test.want)
		}
	}
}
