package claim

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/zclconf/go-cty/cty"

	"github.com/hap-project/terraform-provider-hap/internal/overview"
	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/takeover"
)

// The configuration that takes claims over is one that the schema takes, whatever other parties have recorded: random records of odd texts.
func TestTakeover_isValid(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 9)) //nolint:gosec // chance, not a secret
	odd := []string{"", "x", "720h", "30 days", "0s", "-1h", "87600h", "87601h", "1e3h", "9999999999999h", "1h ", "a/b", "/", "two\nlines", "\t", "\x00",
		"\x7f", "${a}", "%{if}", `"`, `\`, "\u202e", "ü", "$${", strings.Repeat("x", 253), strings.Repeat("x", 254), strings.Repeat("ü", 512),
		strings.Repeat("ü", 513), "aws", "gcp", "aws(PR=a)", "->", "cf-eu11", "cf eu", "*"}
	text := func() string {
		if random.IntN(8) == 0 {
			return odd[random.IntN(len(odd))] + odd[random.IntN(len(odd))]
		}
		return odd[random.IntN(len(odd))]
	}
	claims := 0
	for range 300 {
		a := &account.Account{Name: "aws-1", UID: "u", HyperscalerType: "aws", Tenant: "ga-1", Records: map[string]account.Record{}}
		for range 4 {
			r := account.Record{Name: text(), GlobalAccount: "ga-1", Pool: "aws", ClaimedAt: time.Now(), Details: account.Details{
				Owner: text(), Lease: account.Lease(text()), ClusterName: text(), ReleaseMode: account.Mode(text()),
				Request: account.Request{Plan: text(), PlatformRegion: text(), HyperscalerRegion: text(), Hyperscaler: text()},
			}}
			a.Records[r.Identity("garden").Key()] = r
		}
		o := overview.Survey(pool.Inventory{Namespace: "garden", Accounts: []*account.Account{a}}, overview.Facts{}, overview.Filter{}, time.Now())
		config, _ := takeover.Config(o, takeover.Terms{Recorded: true})
		claims += checkClaims(t, config)
	}
	if claims < 300 {
		t.Errorf("only %d claims were written", claims)
	}
}

// checkClaims checks each claim of a configuration by the validators of the schema, and returns how many there are.
func checkClaims(t *testing.T, config string) (claims int) {
	t.Helper()
	file, diags := hclsyntax.ParseConfig([]byte(config), "import.tf", hcl.InitialPos)
	if diags.HasErrors() {
		t.Fatalf("%v in\n%s", diags, config)
	}
	attributes := claimSchema(t.Context()).Attributes
	body, ok := file.Body.(*hclsyntax.Body)
	if !ok {
		t.Fatalf("a body of type %T", file.Body)
	}
	for _, block := range body.Blocks {
		if block.Type != "resource" || block.Labels[0] != "hap_credentials_binding_claim" {
			continue
		}
		claims++
		for name, written := range block.Body.Attributes {
			of, isText := attributes[name].(schema.StringAttribute)
			value, _ := written.Expr.Value(nil)
			if !isText || !value.IsKnown() || value.Type() != cty.String {
				continue
			}
			var resp validator.StringResponse
			for _, v := range of.Validators {
				v.ValidateString(t.Context(), validator.StringRequest{Path: path.Root(name), ConfigValue: types.StringValue(value.AsString())}, &resp)
			}
			if resp.Diagnostics.HasError() {
				t.Errorf("%s = %q: %v", name, value.AsString(), resp.Diagnostics)
			}
		}
	}
	return claims
}
