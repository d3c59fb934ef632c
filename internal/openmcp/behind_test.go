package openmcp_test

import (
	"encoding/json"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp"
)

// The Shoot behind a Cluster is read from what the Gardener cluster provider tells; what another provider tells there is none.
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
		var c openmcp.Cluster
		c.Status.ProviderStatus = json.RawMessage(status)
		got := ""
		if s, _, ok := openmcp.ShootOf(&c); ok {
			got = s.String()
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", status, got, want)
		}
	}
}

// A Shoot stays where it is under the template of its own account and project alone. One without workers has nothing to lose.
func TestBoundShoot_standsAt(t *testing.T) {
	t.Parallel()
	a, b, secret := openmcp.Bindings{Credentials: "a"}, openmcp.Bindings{Credentials: "b"}, openmcp.Bindings{Secret: "a"}
	for name, test := range map[string]struct {
		shoot openmcp.BoundShoot
		home  openmcp.Home
		want  bool
	}{
		"its own":         {openmcp.BoundShoot{Namespace: "garden-p", Bindings: a}, openmcp.Home{Bindings: a, Project: "p"}, true},
		"another account": {openmcp.BoundShoot{Namespace: "garden-p", Bindings: a}, openmcp.Home{Bindings: b, Project: "p"}, false},
		"another kind of account": {openmcp.BoundShoot{Namespace: "garden-p", Bindings: a},
			openmcp.Home{Bindings: secret, Project: "p"}, false},
		"no account":                 {openmcp.BoundShoot{Namespace: "garden-p", Bindings: a}, openmcp.Home{Project: "p"}, false},
		"without workers":            {openmcp.BoundShoot{Namespace: "garden-p"}, openmcp.Home{Bindings: b, Project: "p"}, true},
		"another project":            {openmcp.BoundShoot{Namespace: "garden-p", Bindings: a}, openmcp.Home{Bindings: a, Project: "q"}, false},
		"a project of a longer name": {openmcp.BoundShoot{Namespace: "garden-pq", Bindings: a}, openmcp.Home{Bindings: a, Project: "p"}, false},
		"a namespace of Gardener's": {openmcp.BoundShoot{Namespace: "garden-p-5aef3", Bindings: a},
			openmcp.Home{Bindings: a, Project: "p"}, true},
		"the garden":                   {openmcp.BoundShoot{Namespace: "garden", Bindings: a}, openmcp.Home{Bindings: a, Project: "p"}, true},
		"without workers, and project": {openmcp.BoundShoot{Namespace: "garden-p"}, openmcp.Home{Project: "q"}, false},
	} {
		if got := test.shoot.StandsAt(test.home); got != test.want {
			t.Errorf("%s: got %t", name, got)
		}
	}
}
