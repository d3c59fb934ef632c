package provider

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/hostile"
)

// Only the plan of a cluster that exists says how the cluster is destroyed although the plan fails: a new cluster has nothing to destroy,
// and where a configuration is validated the provider does not know which of the two it is.
func TestShoot_errorOfTheTemplateNamesTheWayToDestroy(t *testing.T) {
	t.Parallel()
	const advice = "To destroy the cluster all the same"
	var shoot *life
	for _, l := range hostileLives(t) {
		if l.kind == "resource" && l.name == "hap_shoot" {
			shoot = l
		}
	}
	api := hostileLandscape()
	v := newVictim(t, api)
	defer v.hostile.End()
	exists, ok := shoot.make(v, time.Minute)
	if !ok {
		t.Fatal(sayings(v.said))
	}
	expect := func(title, summary string, advised bool) {
		text := sayings(v.said)
		if !strings.Contains(text, summary) || strings.Contains(text, advice) != advised {
			t.Errorf("%s: advised to destroy: %v, want %q and %v: %s", title, !advised, summary, advised, text)
		}
		v.said = nil
	}

	wrong := acceptance.Filled(v, shoot.of, map[string]any{"name": "s1", "template": "metadata: {name: s1}"})
	checked, err := v.Server.ValidateResourceConfig(v.Ctx, &tfprotov6.ValidateResourceConfigRequest{TypeName: shoot.name, Config: v.Dynamic(wrong)})
	v.hear(err, checked.Diagnostics)
	expect("validated", diagnose.SummaryTemplate, false)

	v.hostile.Do(hostile.Answer("refused", http.StatusUnprocessableEntity, "Invalid", func(hostile.Request) string { return "no such region" }),
		func(r *http.Request) bool { return r.Method != http.MethodGet })
	shoot.planned(v.Ctx, v, acceptance.Standing{}, acceptance.Filled(v, shoot.of, map[string]any{"name": "s2", "template": hostileTemplate}))
	expect("new", diagnose.SummaryShootRefused, false)

	shoot.planned(v.Ctx, v, exists, meeting{life: shoot}.changedConfig(v))
	expect("exists", diagnose.SummaryShootRefused, true)
}
