package provider

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
)

// Of a cluster whose private state is lost, as where the provider died within an update, the ID says where it is: a provider block that
// leads to another namespace neither destroys it nor finds it gone, and one that leads to its own does.
func TestShoot_lostPlace(t *testing.T) {
	t.Parallel()
	const kind = "hap_shoot"
	for namespace, elsewhere := range map[string]bool{"garden-q": true, "garden-p": false} {
		p := plannerOf(t, noShoots(t), byFramework)
		config := p.config(kind, "a", nil)
		var known map[string]tftypes.Value
		state, err := p.stands(kind, "a").State.Unmarshal(config.Type())
		if err == nil {
			err = state.As(&known)
		}
		if err != nil {
			t.Fatal(err)
		}
		attributes := map[string]any{}
		for name, value := range known {
			attributes[name] = value
		}
		attributes["id"] = namespace + "/a"
		lives, none := p.encoded(acceptance.Filled(t, config.Type(), attributes)), tftypes.NewValue(config.Type(), nil)
		read, err := p.server.ReadResource(t.Context(), &tfprotov6.ReadResourceRequest{TypeName: kind, CurrentState: lives})
		if err != nil {
			t.Fatal(err)
		}
		destroyed, err := p.server.ApplyResourceChange(t.Context(), &tfprotov6.ApplyResourceChangeRequest{
			TypeName: kind, PriorState: lives, PlannedState: p.encoded(none), Config: p.encoded(none),
		})
		if err != nil {
			t.Fatal(err)
		}
		for what, answer := range map[string]struct {
			state *tfprotov6.DynamicValue
			said  []*tfprotov6.Diagnostic
		}{"a refresh": {read.NewState, read.Diagnostics}, "a destroy": {destroyed.NewState, destroyed.Diagnostics}} {
			left, err := answer.state.Unmarshal(config.Type())
			if err != nil {
				t.Fatal(err)
			}
			said := errorsOf(answer.said)
			if left.IsNull() == elsewhere || (len(said) == 1) != elsewhere {
				t.Errorf("%s, %s: it has left the state: %v, errors %v", namespace, what, left.IsNull(), said)
			}
			if elsewhere && len(said) == 1 && (said[0].Summary != diagnose.SummarySettingsChanged || !strings.Contains(said[0].Detail, namespace)) {
				t.Errorf("%s, %s: %s: %s", namespace, what, said[0].Summary, said[0].Detail)
			}
		}
	}
}

// noShoots is the address of a server that says of each Shoot that it is not there.
func noShoots(t *testing.T) string {
	t.Helper()
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch w.Header().Set("Content-Type", "application/json"); {
		case strings.HasSuffix(r.URL.Path, "/shoots"):
			_, _ = io.WriteString(w, `{"apiVersion": "core.gardener.cloud/v1beta1", "kind": "ShootList", "items": [],
				"metadata": {"resourceVersion": "1"}}`)
		case strings.Contains(r.URL.Path, "/shoots/"):
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, `{"apiVersion": "v1", "kind": "Status", "status": "Failure", "reason": "NotFound", "code": 404,
				"message": "not found", "details": {"name": "a", "group": "core.gardener.cloud", "kind": "shoots"}}`)
		default:
			emptyWorld(w, r)
		}
	}))
	t.Cleanup(api.Close)
	return api.URL
}
