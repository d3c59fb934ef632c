package configs_test

import (
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp/configs"
)

// What would move clusters is reported: another account, the same name under another field, and a second field.
func TestHome_moves(t *testing.T) {
	t.Parallel()
	now := configs.Home{Bindings: configs.Bindings{Credentials: "a"}, Project: "p", Landscape: "l"}
	for want, change := range map[string]func(*configs.Home){
		"": func(*configs.Home) {},
		`its account cannot change from "a" to "b"`:                                              func(h *configs.Home) { h.Bindings.Credentials = "b" },
		`its account cannot change from CredentialsBinding "a" to SecretBinding "a"`:             func(h *configs.Home) { h.Bindings = configs.Bindings{Secret: "a"} },
		`its account cannot change from CredentialsBinding "a" to none`:                          func(h *configs.Home) { h.Bindings = configs.Bindings{} },
		`from CredentialsBinding "a" to CredentialsBinding "a" and SecretBinding "theirs"`:       func(h *configs.Home) { h.Bindings.Secret = "theirs" },
		`its project cannot change from "p" to "q", its landscape cannot change from "l" to "m"`: func(h *configs.Home) { h.Project, h.Landscape = "q", "m" },
	} {
		to := now
		change(&to)
		if got := now.Moves(to); !strings.HasSuffix(got, want) || (got == "") != (want == "") {
			t.Errorf("%q, not %q", got, want)
		}
	}
}
