package configs_test

import (
	"encoding/json"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/configs"
)

// The Shoot behind a Cluster is read from what the Gardener cluster provider writes; what another provider writes there names no Shoot.
func TestShootOf(t *testing.T) {
	t.Parallel()
	for status, want := range map[string]string{
		"":              "",
		`null`:          "",
		`"text"`:        "",
		`{"shoot":"x"}`: "",
		`{"shoot":{"metadata":{"namespace":"garden-p"}}}`:                                                  "",
		`{"shoot":{"metadata":{"namespace":"garden-p","name":"s"},"spec":{"credentialsBindingName":"a"}}}`: `Shoot garden-p/s on CredentialsBinding "a"`,
		`{"shoot":{"metadata":{"namespace":"garden-p","name":"s"},"spec":{"secretBindingName":"a"}}}`:      `Shoot garden-p/s on SecretBinding "a"`,
		`{"shoot":{"metadata":{"namespace":"garden-p","name":"s"},"spec":{}}}`:                             "Shoot garden-p/s on no account",
	} {
		var c api.Cluster
		c.Status.ProviderStatus = json.RawMessage(status)
		got := ""
		if s, _, ok := configs.ShootOf(&c); ok {
			got = s.String()
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", status, got, want)
		}
	}
}

// A Shoot stays where it is under the template of its own account and project alone. One without workers has nothing to lose.
func TestBoundShoot_isAt(t *testing.T) {
	t.Parallel()
	a, b, secret := configs.Bindings{Credentials: "a"}, configs.Bindings{Credentials: "b"}, configs.Bindings{Secret: "a"}
	for name, test := range map[string]struct {
		shoot configs.BoundShoot
		home  configs.Home
		want  bool
	}{
		"its own":         {configs.BoundShoot{Namespace: "garden-p", Bindings: a}, configs.Home{Bindings: a, Project: "p"}, true},
		"another account": {configs.BoundShoot{Namespace: "garden-p", Bindings: a}, configs.Home{Bindings: b, Project: "p"}, false},
		"another kind of account": {configs.BoundShoot{Namespace: "garden-p", Bindings: a},
			configs.Home{Bindings: secret, Project: "p"}, false},
		"no account":                 {configs.BoundShoot{Namespace: "garden-p", Bindings: a}, configs.Home{Project: "p"}, false},
		"without workers":            {configs.BoundShoot{Namespace: "garden-p"}, configs.Home{Bindings: b, Project: "p"}, true},
		"another project":            {configs.BoundShoot{Namespace: "garden-p", Bindings: a}, configs.Home{Bindings: a, Project: "q"}, false},
		"a project of a longer name": {configs.BoundShoot{Namespace: "garden-pq", Bindings: a}, configs.Home{Bindings: a, Project: "p"}, false},
		"a namespace of Gardener's": {configs.BoundShoot{Namespace: "garden-p-5aef3", Bindings: a},
			configs.Home{Bindings: a, Project: "p"}, true},
		"a namespace of an older Gardener's": {configs.BoundShoot{Namespace: "garden-p-x7k2q", Bindings: a},
			configs.Home{Bindings: a, Project: "p"}, true},
		"a project whose name goes on": {configs.BoundShoot{Namespace: "garden-p-other", Bindings: a},
			configs.Home{Bindings: a, Project: "p"}, false},
		"a namespace of its project that goes on": {configs.BoundShoot{Namespace: "garden-p-other-5aef3", Bindings: a},
			configs.Home{Bindings: a, Project: "p"}, false},
		"a project with a hyphen": {configs.BoundShoot{Namespace: "garden-p-other-5aef3", Bindings: a},
			configs.Home{Bindings: a, Project: "p-other"}, true},
		"the garden":                   {configs.BoundShoot{Namespace: "garden", Bindings: a}, configs.Home{Bindings: a, Project: "p"}, true},
		"without workers, and project": {configs.BoundShoot{Namespace: "garden-p"}, configs.Home{Project: "q"}, false},
	} {
		if got := test.shoot.IsAt(test.home); got != test.want {
			t.Errorf("%s: got %t", name, got)
		}
	}
}
