package family

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// What a plan notes of a Cluster comes to the apply, and replaces the note of a plan before it. No note, and one that cannot be read, say
// nothing.
func TestEnds(t *testing.T) {
	t.Parallel()
	var diags diag.Diagnostics
	notes := private{}
	for _, want := range []Ends{{Cluster: "1", Goes: true}, {Cluster: "2"}, {}} {
		want.note(t.Context(), notes, &diags)
		if got := endsOf(t.Context(), notes, &diags); *got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	before := string(notes[endsKey])
	(*Ends)(nil).note(t.Context(), notes, &diags)
	(&Ends{Cluster: "3"}).note(t.Context(), nil, &diags)
	if string(notes[endsKey]) != before {
		t.Errorf("a plan that ends nothing has noted %s", notes[endsKey])
	}
	for _, text := range []string{"", `"x"`, `{"cluster":`} {
		if got := endsOf(t.Context(), private{endsKey: []byte(text)}, &diags); *got != (Ends{}) {
			t.Errorf("%q: %+v", text, got)
		}
	}
	if diags.HasError() {
		t.Error(diags)
	}
}
