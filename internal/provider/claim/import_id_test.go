package claim

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
)

// An import ID whose account can have no such name is refused as an ID, and no request is made with it.
func TestImport_names(t *testing.T) {
	t.Parallel()
	for id, refused := range map[string]bool{
		"ga-1/aws-1": false, "ga-1/aws.1/blue": false, "ga-1/aws-1/Blue one": false,
		"ga-1/..": true, "ga-1/.": true, "ga-1/%2e": true, "ga-1/A B/blue": true, "ga-1/ü": true, "ga-1/aws-1?x=1": true, "ga-1/aws-1/a/b": true,
	} {
		var diags diag.Diagnostics
		r := &claimResource{Call: &family.Call{Diags: &diags}}
		r.Import(id, nil)
		if diags.HasError() != refused {
			t.Errorf("%s is refused: %t, %v", id, diags.HasError(), diags)
		}
		for _, d := range diags {
			if d.Summary() != diagnose.SummaryInvalidImport || !strings.Contains(d.Detail(), "ga-1/aws-account-7") {
				t.Errorf("%s: %s: %s", id, d.Summary(), d.Detail())
			}
		}
	}
}

// The same goes for an identity.
func TestNamed_identity(t *testing.T) {
	t.Parallel()
	var diags diag.Diagnostics
	r := &claimResource{Call: &family.Call{Diags: &diags}}
	of := func(account string) family.Identity {
		return family.Identity{"global_account": types.StringValue("ga-1"), "binding_name": types.StringValue(account),
			"name": types.StringValue("default")}
	}
	if r.named(of("aws-1"), "The identity"); diags.HasError() {
		t.Errorf("%v", diags)
	}
	if r.named(of("%2e"), "The identity"); !diags.HasError() {
		t.Error("it is taken")
	}
}
