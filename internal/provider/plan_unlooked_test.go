package provider

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/hostile"
)

// looksAtPlan are the kinds of resources whose plan of a new object asks a server, with what it says where none answers.
var looksAtPlan = map[string]string{
	"hap_account":                   diagnose.SummaryPoolUnchecked,
	"hap_credentials_binding_claim": diagnose.SummaryPoolUnchecked,
	"hap_rule_set":                  diagnose.SummaryPoolUnchecked,
	"hap_shoot":                     diagnose.SummaryPoolUnchecked,
	"hap_gardener_provider_config":  diagnose.SummaryPoolUnchecked,
	"hap_cluster":                   diagnose.SummaryPlatformUnlooked,
}

// twice is the configuration of a resource, and that of another one of its kind.
func (l *life) twice() (one, other map[string]any) {
	one, other = maps.Clone(l.config), maps.Clone(l.config)
	if l.name == "hap_gardener_provider_config" || l.name == "hap_shoot" { // only with an account there is one to look at
		one["credentials_binding_name"], one["global_account"] = "aws-1", "ga-1"
		other = maps.Clone(one)
	}
	if _, named := one["name"]; named {
		other["name"] = "other"
	}
	if l.name == "hap_account" {
		other["credentials_ref"] = map[string]any{"name": "other", "namespace": hostileNamespace}
	}
	return one, other
}

// A plan that gets no answer from the server goes on, and says so once for each kind of resource: it has not looked, and the apply will.
func TestPlan_withoutAnAnswerWarnsOnceForEachKind(t *testing.T) {
	t.Parallel()
	for _, l := range hostileLives(t) {
		if l.kind != "resource" {
			continue
		}
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			api := hostileLandscape()
			server, err := hostile.NewRefusingServer(api)
			if err != nil {
				t.Fatal(err)
			}
			v := newVictimOf(t, server, api)
			defer v.hostile.End()
			v.hostile.Refuse()
			if os.Getenv(acceptance.WholeVariable) == "" { // whole, each plan waits as long as it waits at most
				v.Ctx = kube.Hurried(v.Ctx)
			}
			one, other := l.twice()
			for _, config := range []map[string]any{one, other} {
				if l.planned(v.Ctx, v, acceptance.Standing{}, acceptance.Filled(v, l.of, config)) == nil {
					t.Errorf("the plan fails: %s", sayings(v.said))
				}
			}
			told := 0
			for _, d := range v.said {
				if d.Summary == looksAtPlan[l.name] && d.Severity == tfprotov6.DiagnosticSeverityWarning {
					told++
				}
			}
			if want := len(looksAtPlan[l.name]); want > 0 && told != 1 || want == 0 && len(v.said) > 0 {
				t.Errorf("warnings: %d of %q: %s", told, looksAtPlan[l.name], sayings(v.said))
			}
		})
	}
}

// Settings that lead nowhere are an error at plan, at once: the apply would meet it in the middle of its work.
func TestPlan_withUnusableSettingsFails(t *testing.T) {
	t.Parallel()
	missing := map[string]any{"config_path": filepath.Join(t.TempDir(), "kubeconfig")}
	for settings, test := range map[string]struct {
		garden  map[string]any
		summary string
	}{"no kubeconfig": {missing, diagnose.SummaryBadConnection}, "nothing configured": {nil, diagnose.SummaryNoConnection}} {
		for _, l := range hostileLives(t) {
			if l.kind != "resource" || looksAtPlan[l.name] != diagnose.SummaryPoolUnchecked {
				continue
			}
			t.Run(settings+"/"+l.name, func(t *testing.T) {
				t.Parallel()
				block := map[string]any{"namespace": hostileNamespace, "platform": missing}
				if test.garden != nil {
					block["kubernetes"] = test.garden
				}
				v := configuredVictim(t, block)
				one, other := l.twice()
				if l.planned(v.Ctx, v, acceptance.Standing{}, acceptance.Filled(v, l.of, one)) != nil || !strings.Contains(sayings(v.said), "ERROR "+test.summary) {
					t.Errorf("the plan goes through, or says something else than %q: %s", test.summary, sayings(v.said))
				}
				l.planned(v.Ctx, v, acceptance.Standing{}, acceptance.Filled(v, l.of, other))
				if n := strings.Count(sayings(v.said), "ERROR "); n != 1 && l.name != "hap_rule_set" {
					t.Errorf("%d errors, want one for all of the kind: %s", n, sayings(v.said))
				}
			})
		}
	}
}

// configuredVictim is one process of the provider with a provider block.
func configuredVictim(t *testing.T, block map[string]any) *victim {
	t.Helper()
	v := &victim{Session: &acceptance.Session{TB: t, Ctx: t.Context(), Server: protocol("test", account.Run{})(), Schema: schemaOf(t)}}
	resp, err := v.Server.ConfigureProvider(v.Ctx, &tfprotov6.ConfigureProviderRequest{Config: acceptance.Object(t, v.Schema.Provider.ValueType(), block)})
	v.Fine(err, resp.Diagnostics)
	return v
}
