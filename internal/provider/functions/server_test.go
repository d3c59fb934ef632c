package functions

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	resourcetest "github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
)

// onlyFunctions is a provider that has the functions alone: they need no settings.
type onlyFunctions struct{}

func (onlyFunctions) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "hap"
}
func (onlyFunctions) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse) {}
func (onlyFunctions) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {
}
func (onlyFunctions) Resources(context.Context) []func() resource.Resource       { return nil }
func (onlyFunctions) DataSources(context.Context) []func() datasource.DataSource { return nil }
func (onlyFunctions) Functions(context.Context) []func() function.Function       { return Family.Functions }

var factories = map[string]func() (tfprotov6.ProviderServer, error){
	"hap": providerserver.NewProtocol6WithError(onlyFunctions{}),
}

// inConfiguration goes through a step that has no provider block.
func inConfiguration(t *testing.T, step resourcetest.TestStep) {
	t.Helper()
	if os.Getenv("TF_ACC") == "" {
		t.Skip("an acceptance test: set TF_ACC=1 (make testacc does)")
	}
	inprocess.Test(t, resourcetest.TestCase{ProtoV6ProviderFactories: factories, Steps: []resourcetest.TestStep{step}})
}

// outputs checks expressions in a configuration.
func outputs(t *testing.T, want map[string]knownvalue.Check) {
	t.Helper()
	var text strings.Builder
	var checks []statecheck.StateCheck
	for expression, check := range want {
		name := fmt.Sprintf("o%d", len(checks))
		fmt.Fprintf(&text, "output %q {\n  value = %s\n}\n", name, expression)
		checks = append(checks, statecheck.ExpectKnownOutputValue(name, check))
	}
	inConfiguration(t, resourcetest.TestStep{Config: text.String(), ConfigStateChecks: checks})
}

// refused checks that an expression is an error of a function that has these words, in this order; the program wraps lines as it likes.
func refused(t *testing.T, expression string, words ...string) {
	t.Helper()
	pattern := "Error: "
	for _, w := range words {
		parts := strings.Fields(w)
		for i := range parts {
			parts[i] = regexp.QuoteMeta(parts[i])
		}
		pattern += `[\s\S]*?` + strings.Join(parts, `[\s│]+`)
	}
	inConfiguration(t, resourcetest.TestStep{Config: "output \"o\" {\n  value = " + expression + "\n}\n", ExpectError: regexp.MustCompile(pattern)})
}
