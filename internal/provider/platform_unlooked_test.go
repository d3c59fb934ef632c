package provider

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
)

// A kubeconfig of the platform cluster that the apply itself makes is not there at plan: a plan of what is new there goes on without it. The
// one of the Garden has to be there: see TestPlan_withUnusableSettingsFails.
func TestKubeconfigOfThePlatformFromTheSameApply(t *testing.T) {
	t.Parallel()
	for _, l := range hostileLives(t) {
		onPlatform := strings.HasPrefix(l.name, "hap_cluster") || l.name == "hap_access_request" || l.name == "hap_gardener_provider_config"
		if l.kind != "resource" || !onPlatform {
			continue
		}
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			v := configuredVictim(t, map[string]any{"namespace": hostileNamespace,
				"platform": map[string]any{"config_path": filepath.Join(t.TempDir(), "kubeconfig")}})
			planned := l.planned(v.Ctx, v, acceptance.Standing{}, acceptance.Filled(v, l.of, l.config))
			text := sayings(v.said)
			if planned == nil || strings.Contains(text, "ERROR") {
				t.Fatalf("the plan fails: %s", text)
			}
			if !strings.Contains(text, diagnose.SummaryPlatformUnlooked) || !strings.Contains(text, "kubeconfig") {
				t.Errorf("the plan does not say that it saw no platform cluster: %s", text)
			}
		})
	}
}
