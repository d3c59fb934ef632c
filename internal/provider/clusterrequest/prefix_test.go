package clusterrequest_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/clusters/operator"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
	testbed "github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

// Shared requests that the operator gives an exclusive Cluster have prefixes that differ, from the first on.
func TestAccClusterRequest_prefixesOnExclusive(t *testing.T) {
	t.Parallel()
	l := acceptance.NewPlatformLandscape(t)
	mine := testbed.New("Cluster", l.Namespace, "mine")
	mine.Object["spec"] = map[string]any{"profile": testbed.WorkerProfile, "tenancy": "Exclusive", "purposes": []any{"platform"}}
	if err := l.Client().Create(t.Context(), mine); err != nil {
		t.Fatal(err)
	}
	first, second := acceptance.RequestOf("one", "platform"), acceptance.RequestOf("two", "platform", "depends_on = [hap_cluster_request.one]")
	is := func(label, attribute, want string) statecheck.StateCheck {
		path := tfjsonpath.New(attribute)
		if attribute == "cluster" {
			path = path.AtMapKey("name")
		}
		return statecheck.ExpectKnownValue("hap_cluster_request."+label, path, knownvalue.StringExact(want))
	}
	prefix := func(label string) statecheck.StateCheck {
		return is(label, "prefix", operator.NameHash(l.Namespace, label)+"-")
	}
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{Config: l.Provider() + first, ConfigPlanChecks: acceptance.EmptyAfterwards,
				ConfigStateChecks: []statecheck.StateCheck{is("one", "cluster", "mine"), is("one", "tenancy", "Exclusive"), prefix("one")}},
			{Config: l.Provider() + first + second, ConfigPlanChecks: acceptance.EmptyAfterwards,
				ConfigStateChecks: []statecheck.StateCheck{is("two", "cluster", "mine"), prefix("one"), prefix("two")}},
		},
	})
}

// An empty prefix that a state has stays where another party opens the Cluster to other requests; theirs are derived.
func TestAccClusterRequest_emptyPrefixStays(t *testing.T) {
	t.Parallel()
	l := acceptance.NewPlatformLandscape(t)
	both := l.Provider() + acceptance.RequestOf("one", "mcp") + acceptance.RequestOf("two", "platform")
	empty := acceptance.RequestValue("prefix", knownvalue.StringExact(""))
	name := "mcp-" + operator.NameHash(l.Namespace, "one")
	ear := acceptance.NewEar(nil)
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: ear.Factories(),
		CheckDestroy:             l.NoRequests,
		Steps: []resource.TestStep{
			{Config: l.Provider() + acceptance.RequestOf("one", "mcp"), ConfigStateChecks: []statecheck.StateCheck{empty}},
			{
				PreConfig: func() {
					patchObject(t, l, "Cluster", name, `{"spec":{"purposes":["mcp","platform"]}}`)
				},
				Config: both, ConfigPlanChecks: acceptance.EmptyAfterwards,
				ConfigStateChecks: []statecheck.StateCheck{
					empty, acceptance.RequestValue("prefix_source", knownvalue.Null()),
					statecheck.ExpectKnownValue("hap_cluster_request.two", tfjsonpath.New("prefix"),
						knownvalue.StringExact(operator.NameHash(l.Namespace, "two")+"-")),
				},
				Check: resource.TestCheckResourceAttr("hap_cluster_request.two", "cluster.name", name),
			}, {
				Config:            both + "\n",
				ConfigStateChecks: []statecheck.StateCheck{empty, acceptance.RequestValue("tenants", knownvalue.Int64Exact(2))},
			},
		},
	})
	ear.Want(t, tfprotov6.DiagnosticSeverityWarning, diagnose.SummaryPrefixEmpty, "", l.Namespace+"/one", "its requests are 2")
}

// patchObject changes an object as another party does.
func patchObject(t *testing.T, l acceptance.PlatformLandscape, kind, name, change string) {
	t.Helper()
	object, err := l.Live(kind, name)
	if err == nil && object == nil {
		err = fmt.Errorf("there is no %s %s", kind, name)
	}
	if err == nil {
		err = l.Client().Patch(t.Context(), object, client.RawPatch(types.MergePatchType, []byte(change)))
	}
	if err != nil {
		t.Fatal(err)
	}
}
