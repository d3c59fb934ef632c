package provider

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	frameworkresource "github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
)

// planner asks one process of the provider what a CLI asks for in one plan. The servers behind it have nothing: what clashes in a
// plan follows from the plan alone.
type planner struct {
	testing.TB
	server tfprotov6.ProviderServer
	schema *tfprotov6.GetProviderSchemaResponse
}

// emptyWorld answers as both API servers do where there is nothing, to a user who must not see the accounts. What is to be checked passes.
func emptyWorld(w http.ResponseWriter, r *http.Request) {
	name := r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
	w.Header().Set("Content-Type", "application/json")
	switch {
	case r.URL.Query().Get("dryRun") != "":
		_, _ = io.Copy(w, r.Body)
	case strings.Contains(r.URL.Path, "bindings"):
		http.Error(w, "no", http.StatusForbidden)
	case strings.Contains(r.URL.Path, "/secrets/"):
		_, _ = fmt.Fprintf(w, `{"apiVersion": "meta.k8s.io/v1", "kind": "PartialObjectMetadata", "metadata": {"name": %q}}`, name)
	case name == "clusters":
		_, _ = io.WriteString(w, `{"apiVersion": "clusters.openmcp.cloud/v1alpha1", "kind": "ClusterList", "items": []}`)
	case r.Method == http.MethodGet && strings.HasSuffix(name, "s"): // a list
		_, _ = io.WriteString(w, `{"apiVersion": "v1", "kind": "List", "items": []}`)
	default:
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{"apiVersion": "v1", "kind": "Status", "status": "Failure", "reason": "NotFound", "code": 404}`)
	}
}

func newPlanner(t testing.TB) planner {
	t.Helper()
	return plannerOf(t, newEmptyWorld(t), func(p *hapProvider) tfprotov6.ProviderServer { return directing(byFramework(p), p) })
}

// byFramework serves a provider as the framework does.
func byFramework(p *hapProvider) tfprotov6.ProviderServer { return providerserver.NewProtocol6(p)() }

// newEmptyWorld is the address of a server that answers as [emptyWorld].
func newEmptyWorld(t testing.TB) string {
	t.Helper()
	api := httptest.NewServer(http.HandlerFunc(emptyWorld))
	t.Cleanup(api.Close)
	return api.URL
}

// plannerOf is a configured provider, served in some way.
func plannerOf(t testing.TB, api string, served func(*hapProvider) tfprotov6.ProviderServer) planner {
	t.Helper()
	p := planner{TB: t, server: served(&hapProvider{version: "test", getenv: os.Getenv}), schema: schemaOf(t)}
	block := acceptance.Object(t, p.schema.Provider.ValueType(), map[string]any{
		"namespace": "garden-p", "release_grace": "0s", "kubernetes": map[string]any{"host": api},
		"platform": map[string]any{"namespace": "team", "host": api},
	})
	resp, err := p.server.ConfigureProvider(t.Context(), &tfprotov6.ConfigureProviderRequest{Config: block})
	if err != nil || len(resp.Diagnostics) > 0 {
		t.Fatal(err, resp)
	}
	return p
}

// oneObject is a type of objects, by a configuration of one of them.
type oneObject struct {
	attributes map[string]any
	private    string // the key of the notes in private state
	// anew is a change that makes an object anew under its name; nil = the type has none without a server.
	anew map[string]any
}

func listed(values ...string) []tftypes.Value {
	all := make([]tftypes.Value, len(values))
	for i, v := range values {
		all[i] = tftypes.NewValue(tftypes.String, v)
	}
	return all
}

// objectsOfAllTypes has each resource that has an object outside of the state.
func objectsOfAllTypes() map[string]oneObject {
	return map[string]oneObject{
		"hap_account": {private: "holder", anew: map[string]any{"provider_type": "gcp"}, attributes: map[string]any{
			"provider_type": "aws", "hyperscaler_type": "aws",
		}},
		"hap_credentials_binding_claim": {private: "holder", anew: map[string]any{"global_account": "ga-2"}, attributes: map[string]any{
			"global_account": "ga-1", "plan": "aws", "rule_set": map[string]any{"rules": listed("aws")},
		}},
		"hap_shoot": {private: "place", attributes: map[string]any{
			"template": testbed.ShootTemplate, "credentials_binding_name": "aws-1", "global_account": "ga-1",
			"on_immutable_change": "replace", "deletion_protection": false,
		}},
		"hap_cluster": {private: "place", anew: map[string]any{"profile": "test.gardener.other"}, attributes: map[string]any{
			"profile": "test.gardener.aws", "deletion_protection": false,
		}},
		"hap_cluster_request": {private: "place", anew: map[string]any{"purpose": "other"}, attributes: map[string]any{
			"purpose": "mcp", "deletion_protection": false,
		}},
		"hap_access_request": {private: "place", anew: map[string]any{"cluster_ref": map[string]any{"name": "other"}}, attributes: map[string]any{
			"cluster_ref": map[string]any{"name": "one"},
		}},
		"hap_gardener_provider_config": {private: "place", attributes: map[string]any{
			"landscape_ref": "canary", "project": "p", "environment": "test", "shoot_template": testbed.ShootTemplate,
			"wait_for_profile": false,
		}},
	}
}

// onlyInState are the resources that have no object outside of the state: nothing is lost where one is renamed.
var onlyInState = []string{"hap_rule_set"}

// of is the type of a resource's values.
func (p planner) of(resource string) tftypes.Type {
	return p.schema.ResourceSchemas[resource].ValueType()
}

func (p planner) config(resource, name string, change map[string]any) tftypes.Value {
	p.Helper()
	all := maps.Clone(objectsOfAllTypes()[resource].attributes)
	all["name"] = name
	if resource == "hap_account" {
		all["credentials_ref"] = map[string]any{"name": "secret-of-" + name}
	}
	maps.Copy(all, change)
	return acceptance.Filled(p, p.of(resource), all)
}

func (p planner) encoded(value tftypes.Value) *tfprotov6.DynamicValue {
	p.Helper()
	encoded, err := tfprotov6.NewDynamicValue(value.Type(), value)
	if err != nil {
		p.Fatal(err)
	}
	return &encoded
}

// stands is an object as a state has it: as it was planned, with a UID, and nothing else that a server says.
func (p planner) stands(resource, name string) acceptance.Standing {
	p.Helper()
	config := p.config(resource, name, nil)
	resp, err := newPlanner(p).server.PlanResourceChange(p.Context(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: resource, PriorState: p.encoded(tftypes.NewValue(config.Type(), nil)), ProposedNewState: p.encoded(config), Config: p.encoded(config),
	})
	if err != nil {
		p.Fatal(err)
	}
	planned, err := resp.PlannedState.Unmarshal(config.Type())
	var attributes map[string]tftypes.Value
	if err == nil {
		err = planned.As(&attributes)
	}
	if err != nil {
		p.Fatal(err, resp.Diagnostics)
	}
	known := map[string]any{}
	for attribute, value := range attributes {
		known[attribute] = value
		if !value.IsFullyKnown() {
			known[attribute] = nil
		}
	}
	if _, has := known["uid"]; has {
		known["uid"] = "uid-" + name
	}
	private := fmt.Sprintf(`{"namespace":"team","name":%q,"uid":"uid-%[1]s"}`, name)
	switch resource {
	case acceptance.ClaimType:
		known["id"], known["binding_name"], known["binding_uid"] = "ga-1/aws-1/"+name, "aws-1", "uid-aws-1"
		private = `{"globalAccount":"ga-1","namespace":"garden-p"}`
	case "hap_account", "hap_shoot":
		private = `{"namespace":"garden-p"}`
	}
	kept, err := json.Marshal(map[string][]byte{objectsOfAllTypes()[resource].private: []byte(private)})
	if err != nil {
		p.Fatal(err)
	}
	return acceptance.Standing{State: p.encoded(acceptance.Filled(p, config.Type(), known)), Private: kept}
}

// planOf is what a CLI asks for one address in a plan: for an existing object (empty = none) and one that is wanted (empty = none). For a
// replacement, also a forced one, it asks once more, without the state.
type planOf struct {
	was, wants string
	anew       bool // with a change that makes it anew under its name
	forced     bool
}

func (p planner) plan(resource string, at planOf) (said []*tfprotov6.Diagnostic) {
	p.Helper()
	null := tftypes.NewValue(p.of(resource), nil)
	config, was := null, acceptance.Standing{State: p.encoded(null)}
	if at.wants != "" {
		config = p.config(resource, at.wants, nil)
		if at.anew {
			config = p.config(resource, at.wants, objectsOfAllTypes()[resource].anew)
		}
	}
	proposed := config
	if at.was != "" {
		was = p.stands(resource, at.was)
		if at.wants != "" {
			proposed = p.over(was, config)
		}
	}
	ask := func(prior *tfprotov6.DynamicValue, private []byte, proposed tftypes.Value) *tfprotov6.PlanResourceChangeResponse {
		resp, err := p.server.PlanResourceChange(p.Context(), &tfprotov6.PlanResourceChangeRequest{
			TypeName: resource, PriorState: prior, PriorPrivate: private, ProposedNewState: p.encoded(proposed), Config: p.encoded(config),
		})
		if err != nil {
			p.Fatal(err)
		}
		said = append(said, resp.Diagnostics...)
		return resp
	}
	resp := ask(was.State, was.Private, proposed)
	if at.was != "" && at.wants != "" && (at.forced || len(resp.RequiresReplace) > 0) {
		ask(p.encoded(null), resp.PlannedPrivate, config)
	}
	return said
}

// over is a configuration over a state, as a CLI merges them.
func (p planner) over(was acceptance.Standing, config tftypes.Value) tftypes.Value {
	p.Helper()
	var merged, configured map[string]tftypes.Value
	state, err := was.State.Unmarshal(config.Type())
	if err == nil {
		err = state.As(&merged)
	}
	if err == nil {
		err = config.As(&configured)
	}
	if err != nil {
		p.Fatal(err)
	}
	for name, value := range configured {
		if !value.IsNull() {
			merged[name] = value
		}
	}
	return tftypes.NewValue(config.Type(), merged)
}

// errorsOf are the errors among diagnostics.
func errorsOf(said []*tfprotov6.Diagnostic) (all []*tfprotov6.Diagnostic) {
	for _, d := range said {
		if d.Severity == tfprotov6.DiagnosticSeverityError {
			all = append(all, d)
		}
	}
	return all
}

// What one plan makes or keeps at one address, and destroys, replaces or makes at another, is one error of the plan, whatever the order,
// and for each type. The error has the block to write for what is made, with another name.
func TestOnePlan(t *testing.T) {
	t.Parallel()
	acceptance.OneByOne(t)
	kept := map[string]string{
		"hap_account": diagnose.SummaryObjectKept, acceptance.ClaimType: diagnose.SummaryKeptAndDestroyed, "hap_shoot": diagnose.SummaryShootKept,
	}
	twiceMade := map[string]string{
		"hap_account": diagnose.SummaryAccountTwice, acceptance.ClaimType: diagnose.SummaryDuplicate,
		"hap_shoot": diagnose.SummaryShootTwice, "hap_cluster": diagnose.SummaryShootTwice,
		"hap_cluster_request": diagnose.SummaryRequestTwice, "hap_access_request": diagnose.SummaryRequestTwice,
		"hap_gardener_provider_config": diagnose.SummaryConfigTwice,
	}
	const none, made, twice, wanted = "", "made and ended", "in the state twice", "made twice"
	for name, test := range map[string]struct {
		plan []planOf
		want string
	}{
		"renamed":                               {[]planOf{{was: "a"}, {wants: "a"}}, made},
		"renamed, and its old name made anew":   {[]planOf{{was: "a", wants: "b"}, {wants: "a"}}, made},
		"two that change places":                {[]planOf{{was: "a", wants: "b"}, {was: "b", wants: "a"}}, made},
		"kept, and destroyed elsewhere":         {[]planOf{{was: "a", wants: "a"}, {was: "a"}}, twice},
		"kept, and replaced elsewhere":          {[]planOf{{was: "a", wants: "a"}, {was: "a", wants: "b"}}, twice},
		"destroyed":                             {[]planOf{{was: "a"}}, none},
		"destroyed, all":                        {[]planOf{{was: "a"}, {was: "b"}}, none},
		"made":                                  {[]planOf{{wants: "a"}, {wants: "b"}}, none},
		"one destroyed, another made":           {[]planOf{{was: "a"}, {wants: "b"}}, none},
		"one kept, another destroyed":           {[]planOf{{was: "a", wants: "a"}, {was: "b"}}, none},
		"replaced by another":                   {[]planOf{{was: "a", wants: "b"}}, none},
		"replaced by -replace":                  {[]planOf{{was: "a", wants: "a", forced: true}}, none},
		"made anew by a change":                 {[]planOf{{was: "a", wants: "a", anew: true}}, none},
		"made anew, and kept elsewhere":         {[]planOf{{was: "a", wants: "a", anew: true}, {was: "a", wants: "a"}}, twice},
		"made twice":                            {[]planOf{{wants: "a"}, {wants: "a"}}, wanted},
		"kept, and made elsewhere":              {[]planOf{{was: "a", wants: "a"}, {wants: "a"}}, wanted},
		"forced anew, and made elsewhere":       {[]planOf{{was: "a", wants: "a", forced: true}, {wants: "a"}}, wanted},
		"kept, and another made":                {[]planOf{{was: "a", wants: "a"}, {wants: "b"}}, none},
		"kept, and another leaves its name":     {[]planOf{{was: "a", wants: "a"}, {was: "b", wants: "c"}}, none},
		"replaced beside one that is destroyed": {[]planOf{{was: "a", wants: "b"}, {was: "c"}}, none},
	} {
		for _, direction := range []string{"forwards", "backwards"} {
			for resource := range objectsOfAllTypes() {
				plan := slices.Clone(test.plan)
				if plan[0].anew && objectsOfAllTypes()[resource].anew == nil {
					continue
				}
				if direction == "backwards" {
					slices.Reverse(plan)
				}
				t.Run(fmt.Sprintf("%s, %s, %s", resource, name, direction), func(t *testing.T) {
					t.Parallel()
					onePlan(t, resource, plan, map[string]string{
						none: "", made: diagnose.SummaryMadeAndEnded,
						twice:  cmp.Or(kept[resource], diagnose.SummaryObjectKept),
						wanted: twiceMade[resource],
					}[test.want])
				})
			}
		}
	}
}

// onePlan makes a plan, and compares its errors: none, or one of a summary.
func onePlan(t *testing.T, resource string, plan []planOf, summary string) {
	t.Helper()
	p := newPlanner(t)
	var said []*tfprotov6.Diagnostic
	for _, at := range plan {
		said = append(said, p.plan(resource, at)...)
	}
	var got []string
	for _, d := range errorsOf(said) {
		got = append(got, d.Summary)
		if block := fmt.Sprintf("from = %s.OLD", resource); d.Summary == diagnose.SummaryMadeAndEnded && !strings.Contains(d.Detail, block) {
			t.Errorf("%q is not in the message: %s", block, d.Detail)
		}
	}
	want := []string{summary}
	if summary == "" {
		want = nil
	}
	if slices.Sort(got); len(got) == 0 && summary != "" || len(slices.Compact(got)) != len(want) || len(got) > 0 && got[0] != summary {
		for _, d := range said {
			t.Log(d.Severity, d.Summary, d.Detail)
		}
		t.Errorf("errors %q, want %q", got, want)
	}
}

// The table above has each type of the provider.
func TestOnePlan_hasEachType(t *testing.T) {
	t.Parallel()
	known := append(slices.Collect(maps.Keys(objectsOfAllTypes())), onlyInState...)
	for _, resource := range (&hapProvider{}).Resources(t.Context()) {
		var resp frameworkresource.MetadataResponse
		resource().Metadata(t.Context(), frameworkresource.MetadataRequest{ProviderTypeName: "hap"}, &resp)
		if !slices.Contains(known, resp.TypeName) {
			t.Errorf("%s: add it to objectsOfAllTypes, and what a plan does with its objects to the ledger", resp.TypeName)
		}
	}
}
