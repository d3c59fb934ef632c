package family

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/hap-project/terraform-provider-hap/internal/provider/backend"
	"github.com/hap-project/terraform-provider-hap/internal/provider/settings"
)

// Before Configure has run there is no backend, and that is no error.
func TestBackend(t *testing.T) {
	t.Parallel()
	b := backend.New(settings.Settings{})
	for name, test := range map[string]struct {
		data   any
		want   *backend.Backend
		errors int
	}{"nothing": {nil, nil, 0}, "the backend": {b, b, 0}, "something else": {"text", nil, 1}} {
		var diags diag.Diagnostics
		if got := Backend(test.data, &diags); got != test.want || diags.ErrorsCount() != test.errors {
			t.Errorf("%s: got %v, %v", name, got, diags)
		}
	}
}
