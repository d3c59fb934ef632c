package clusterprofile_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

// adrSchedule writes a preview of the request one, with purposes that require the trait of this test's own profile: other tests have
// profiles on the platform cluster too. Attributes win over these.
func adrSchedule(trait string, attributes ...string) string {
	lines := map[string]string{
		"name": `"one"`, "engine": `"adr"`, "purposes": `["workload"]`,
		"purpose_definitions": fmt.Sprintf("{ workload = { traits = [{ trait = %q }] }, mcp = { dedicated = true, "+
			"traits = [{ trait = %[1]q }, { trait = \"cluster.openmcp.cloud/workerless\", optional = true }] } }", trait),
	}
	for _, a := range attributes {
		name, value, _ := strings.Cut(a, "=")
		lines[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	text := "data \"hap_cluster_schedule\" \"one\" {\n"
	for name, value := range lines {
		if value != "" {
			text += fmt.Sprintf("  %s = %s\n", name, value)
		}
	}
	return text + "}\n"
}

// shared makes a shared Cluster of a purpose that a request of another party holds, with a prefix.
func shared(t *testing.T, l acceptance.ProfileLandscape, purpose, prefix string) {
	t.Helper()
	const uid = "6b1e7a1c-0000-4000-8000-000000000001"
	grant, err := json.Marshal(map[string]any{"request": map[string]any{"namespace": l.Requests, "name": "other"}, "prefix": prefix})
	if err != nil {
		t.Fatal(err)
	}
	cluster := openmcp.New("Cluster", l.Requests, "theirs")
	cluster.SetFinalizers([]string{"request.clusters.openmcp.cloud/" + uid})
	cluster.SetAnnotations(map[string]string{"grant.hap-project.io/" + uid: string(grant)})
	cluster.Object["spec"] = map[string]any{
		"profile": "test.gardener." + l.Config, "tenancy": "Shared", "purposes": []any{purpose}, "kubernetes": map[string]any{},
	}
	if err := l.PlatformCluster.Client().Create(t.Context(), cluster); err != nil {
		t.Error(err)
	}
}

// What the built-in scheduler would do with a request is said before it is made: the Cluster, who makes it dedicated, the rule behind
// the prefix, the reason of a denial, and the account.
func TestAccClusterScheduleADR(t *testing.T) {
	t.Parallel()
	l := acceptance.NewProfileLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Tenant: "ga-1"})
	l.Shoots(t, "aws-1", 2)
	l.Profile(t)
	kind := "aws" + strings.ReplaceAll(l.Requests, "-", "")
	trait := "infrastructure/vendor/" + kind
	l.Make(t, map[string]any{
		"credentialsBindingName": "aws-1", "provider": map[string]any{"type": kind, "workers": []any{map[string]any{}}},
		"kubernetes": map[string]any{"version": "1.9.1"}, // alone on offer, whatever the profile publishes
	})
	user, _ := readers(t, l)
	limited := "  multi_account = {\n    allowed_global_accounts = [\"ga-1\"]\n    limits = { default = 5 }\n  }"
	builtin := l.Landscape.Provider(fmt.Sprintf("  platform = { config_path = %q, scheduler = \"builtin\" }", user.Kubeconfig))
	is := func(attribute string, check knownvalue.Check) statecheck.StateCheck {
		path := tfjsonpath.New(attribute)
		if parent, child, nested := strings.Cut(attribute, "."); nested {
			path = tfjsonpath.New(parent).AtMapKey(child)
		}
		return statecheck.ExpectKnownValue("data.hap_cluster_schedule.one", path, check)
	}
	text, number, none := knownvalue.StringExact, knownvalue.Int64Exact, knownvalue.Null()
	like := func(pattern string) knownvalue.Check { return knownvalue.StringRegexp(regexp.MustCompile(pattern)) }
	texts := func(all ...string) knownvalue.Check {
		checks := make([]knownvalue.Check, len(all))
		for i, one := range all {
			checks[i] = text(one)
		}
		return knownvalue.ListExact(checks)
	}
	wanted := func(name string, optional bool, sources ...string) knownvalue.Check {
		return knownvalue.ObjectExact(map[string]knownvalue.Check{
			"trait": text(name), "optional": knownvalue.Bool(optional), "negated": knownvalue.Bool(false), "sources": texts(sources...),
		})
	}
	profile := "test.gardener." + l.Config
	created := []statecheck.StateCheck{
		is("decision", text("create")), is("reason", text("NewCluster")), is("namespace", text(l.Requests)),
		is("cluster.namespace", text(l.Requests)), is("cluster.name", like(`^workload-[a-z2-7]{8}$`)), is("profile", text(profile)),
		is("kubernetes_version", text("1.9.1")), is("tenancy", text("Shared")), is("tenants", number(1)), is("prefix", none),
		is("prefix_rule", text("random: no prefix is proposed")), is("dedicated_by", texts()),
		is("tenancy_count", none), is("traits_wanted", knownvalue.ListExact([]knownvalue.Check{wanted(trait, false, "workload")})),
		is("account.binding_name", text("aws-1")), is("account.shoots", number(2)), is("account.limit", number(5)),
	}
	refused := func(summary, text string, attributes ...string) resource.TestStep {
		return resource.TestStep{Config: l.On(user) + adrSchedule(trait, attributes...), PlanOnly: true, ExpectError: acceptance.ErrorLike(summary, text)}
	}
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{Config: l.On(user, limited) + adrSchedule(trait), ConfigStateChecks: created},
			{Config: strings.Replace(builtin, "platform =", limited+"\n  platform =", 1) + adrSchedule(trait, "engine="),
				ConfigStateChecks: created},
			{
				Config: l.On(user) + adrSchedule(trait, `purposes=["mcp"]`, `prefix_proposal="foo-"`),
				ConfigStateChecks: []statecheck.StateCheck{
					is("decision", text("create")), is("tenancy", text("Exclusive")), is("dedicated_by", texts("mcp")), is("prefix", text("")),
					is("cluster.name", like("^mcp-")), is("prefix_rule", text("empty: the Cluster is dedicated")),
					is("message", like("^The request is dedicated, because mcp is")),
					is("traits_wanted", knownvalue.ListExact([]knownvalue.Check{
						wanted("cluster.openmcp.cloud/workerless", true, "mcp"), wanted(trait, false, "mcp"),
					})),
				},
			}, { // the request's own value counts in place of that of the purpose
				Config: l.On(user) + adrSchedule(trait, `purposes=["mcp"]`, `dedicated=false`, `kubernetes_version_wanted="1.9.1"`),
				ConfigStateChecks: []statecheck.StateCheck{
					is("tenancy", text("Shared")), is("dedicated_by", texts()), is("kubernetes_version", text("1.9.1")),
				},
			}, {
				Config: l.On(user) + adrSchedule(trait, `traits=[{ any_of = ["no/such", "nor/such"] }, { trait = "x", negated = true }]`),
				ConfigStateChecks: []statecheck.StateCheck{
					is("decision", text("deny")), is("reason", text("UnsupportedTrait")), is("cluster", none), is("profile", none),
					is("message", like("^No deployed profile meets the trait no/such or nor/such")), is("prefix", none), is("prefix_rule", none),
					is("tenancy", none), is("account", none),
				},
			}, {
				Config: l.On(user) + adrSchedule(trait, `purposes=["unheard-of"]`),
				ConfigStateChecks: []statecheck.StateCheck{
					is("decision", text("deny")), is("reason", text("UnknownPurpose")), is("dedicated_by", none), is("traits_wanted", none),
					is("message", text("The purpose unheard-of is not defined. Defined are mcp and workload.")),
					is("candidates", knownvalue.ListSizeExact(0)),
				},
			},
			{ // the operator does not decide, and its inputs are not heard
				Config: builtin + adrSchedule(trait, "engine=", `purpose="workload"`), PlanOnly: true,
				ExpectError: acceptance.ErrorLike(diagnose.SummaryOtherScheduler, "The attribute purpose is not heard here"),
			},
			refused(diagnose.SummaryOtherScheduler, "The attribute scheduler_config is not heard here", `scheduler_config="scheduler: {}"`),
			refused(diagnose.SummaryOtherScheduler, "The attribute purposes is not heard here", `engine="openmcp"`, `purpose="workload"`,
				`scheduler_config="scheduler: {}"`),
			refused(diagnose.SummaryMissingForScheduler, "by the attribute scheduler_config", "engine=", "purposes=", "purpose_definitions=",
				`purpose="workload"`),
			refused(diagnose.SummaryADRRequest, "a request has one purpose at least", "purposes="),
			refused(diagnose.SummaryADRRequest, "asked for and negated at once", `traits=[{ trait = "x" }, { trait = "x", negated = true }]`),
			refused(diagnose.SummaryADRRequest, "cannot begin a DNS name", `prefix_proposal="Foo-"`),
			{
				PreConfig: func() { shared(t, l, "workload", "foo-") },
				Config:    l.On(user) + adrSchedule(trait, `prefix_proposal="foob-"`),
				ConfigStateChecks: []statecheck.StateCheck{
					is("decision", text("reuse")), is("reason", text("SharedClusterFits")), is("cluster.name", text("theirs")),
					is("tenants", number(2)), is("prefix", text("foob-")), is("prefix_rule", like("^proposed: ")), is("profile", text(profile)),
					is("account.binding_name", text("aws-1")),
					is("candidates", knownvalue.ListPartial(map[int]knownvalue.Check{0: knownvalue.ObjectPartial(map[string]knownvalue.Check{
						"kind": text("cluster"),
					})})),
				},
			}, {
				Config: l.On(user) + adrSchedule(trait, `prefix_proposal="foo-bar-"`),
				ConfigStateChecks: []statecheck.StateCheck{
					is("decision", text("reuse")), is("prefix", none),
					is("prefix_rule", like("^random: the proposal foo-bar- collides with foo-, which is granted to "+l.Requests+"/other")),
				},
			}, { // scaled up
				Config: l.On(user) + adrSchedule(trait, fmt.Sprintf("purpose_definitions={ workload = { traits = [{ trait = %q }], "+
					"tenancy_count = 1 } }", trait)),
				ConfigStateChecks: []statecheck.StateCheck{
					is("decision", text("create")), is("cluster.name", like(`^workload-[a-z2-7]{8}$`)), is("tenancy_count", number(1)),
					is("tenants", number(1)),
					is("candidates", someElement{knownvalue.ObjectPartial(map[string]knownvalue.Check{
						"name": text("theirs"), "reason": text("it has 1 request, and workload allows 1 at most"),
					})}),
				},
			},
			refused(diagnose.SummaryADRRequest, "a dedicated Cluster has one request", `purposes=["mcp"]`,
				`purpose_definitions={ mcp = { dedicated = true, tenancy_count = 2 } }`),
		},
	})
}

// someElement checks that an element of a list is like this, whatever comes beside it: the platform cluster has Clusters of other
// namespaces.
type someElement struct{ like knownvalue.Check }

func (s someElement) CheckValue(value any) error {
	all, _ := value.([]any)
	for _, one := range all {
		if s.like.CheckValue(one) == nil {
			return nil
		}
	}
	return fmt.Errorf("none of %v is %s", all, s.like)
}

func (s someElement) String() string { return s.like.String() }
