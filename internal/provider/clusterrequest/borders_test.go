package clusterrequest_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	scheduler "github.com/hap-project/terraform-provider-hap/internal/openmcp/builtin"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
)

// The built-in scheduler gives a request of one namespace no Cluster of another, unless the provider block says so, and never one that the
// operator serves; the preview says why.
func TestAccBuiltin_borders(t *testing.T) {
	t.Parallel()
	land, l := acceptance.NewPlatformLandscape(t), acceptance.NewPlatformLandscape(t)
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	purposes := []string{"mcp", l.Own()}
	theirs, err := openmcp.New(land.Config(), land.Namespace)
	if err != nil {
		t.Fatal(err)
	}
	made, _, err := theirs.Requests.Make(ctx, scheduler.Wanted{Ref: api.Ref{Namespace: land.Namespace, Name: "theirs"}, ADR: &scheduler.ADRRequest{
		Purposes: purposes, Definitions: map[string]adr.Purpose{purposes[0]: {}, purposes[1]: {}},
	}})
	if err == nil {
		made, err = theirs.Requests.AwaitGranted(ctx, made, func(string) {})
	}
	if err != nil {
		t.Fatal(err)
	}
	cluster := *made.Status.Cluster
	asked := fmt.Sprintf("  name = \"one\"\n  purposes = [\"mcp\", %q]\n  purpose_definitions = { mcp = {}, %[1]q = {} }\n", l.Own())
	config := func(scope string) string {
		return strings.Replace(l.Builtin(), `"builtin" }`, `"builtin"`+scope+` }`, 1)
	}
	preview := "data \"hap_cluster_schedule\" \"one\" {\n" + asked + fmt.Sprintf("}\noutput \"reason\" {\n  value = join(\"\", [for c in "+
		"data.hap_cluster_schedule.one.candidates : c.reason if c.namespace == %q && c.name == %q])\n}\n", cluster.Namespace, cluster.Name)
	request := "resource \"hap_cluster_request\" \"one\" {\n" + asked + "  deletion_protection = false\n}\n"
	says := func(text string) statecheck.StateCheck {
		return statecheck.ExpectKnownOutputValue("reason", knownvalue.StringRegexp(regexp.MustCompile(text)))
	}
	in := func(namespace string) statecheck.StateCheck {
		return statecheck.ExpectKnownValue(acceptance.RequestOne, tfjsonpath.New("cluster").AtMapKey("namespace"), knownvalue.StringExact(namespace))
	}
	const namespaced, wide = `, scope = "namespaced"`, `, scope = "cluster"`
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{Config: config("") + preview, ConfigStateChecks: []statecheck.StateCheck{says("looks in namespace " + l.Namespace + " alone")}},
			{Config: config(namespaced) + request, ConfigPlanChecks: acceptance.EmptyAfterwards, ConfigStateChecks: []statecheck.StateCheck{in(l.Namespace)}},
			{Config: config(wide)}, // the request goes
			{Config: config(wide) + preview, ConfigStateChecks: []statecheck.StateCheck{says("^chosen")}},
			{Config: config(wide) + request, ConfigPlanChecks: acceptance.EmptyAfterwards, ConfigStateChecks: []statecheck.StateCheck{in(land.Namespace)}},
			{Config: config(namespaced) + request, ConfigPlanChecks: acceptance.EmptyAfterwards, // a grant is for life
				ConfigStateChecks: []statecheck.StateCheck{in(land.Namespace)}},
			{Config: config(wide)},
			{
				PreConfig: func() {
					ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute) // the steps before have taken their own time
					defer cancel()
					live, err := theirs.Objects.Requests.Get(ctx, made.Ref())
					if err == nil {
						_, err = theirs.Requests.HandOver(ctx, live)
					}
					if err != nil {
						t.Error(err)
					}
				},
				Config: config(wide) + preview, ConfigStateChecks: []statecheck.StateCheck{says("^the openmcp-operator serves it: ")},
			},
			{Config: config(wide) + request, ConfigPlanChecks: acceptance.EmptyAfterwards, ConfigStateChecks: []statecheck.StateCheck{in(l.Namespace)}},
		},
	})
}
