package scenarios

import (
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
)

// The credentials of an account configure another provider, and come out nowhere: neither in what is printed and logged,
// nor in plan and state. The other provider is this one once more, which works with the token that the Secret holds.
func TestSecretsOfCredentialsThatAreUsed(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	outside := s.ServiceAccount(t, "outside", testbed.RoleExample(t, "role-credentials.yaml")) // it cannot claim
	inside := s.ServiceAccount(t, "inside", testbed.DocumentedRole(t))
	planted := secrets{"token of the user": outside.Token, "token of the account": inside.Token, "key": plant("key"), "binary key": plant("binary")}
	s.Secret(t, "aws-1", map[string][]byte{
		"token": []byte(inside.Token), "key": []byte(planted["key"]), "binary": append([]byte{0xff, 0xfe}, planted["binary key"]...),
	})
	s.Accounts(t, awsAccounts(1)...)
	settings := s.connection(t) + "\n    token = var.token\n  }"
	p := s.secretly(t, planted, settings, map[string]string{"token": outside.Token})
	p.write(t, settings, `
variable "token" {
  type      = string
  sensitive = true
  ephemeral = true
}
ephemeral "hap_credentials" "c" {
  binding_name = "aws-1"
}
provider "hap" {
  alias = "inside"
  release_grace = "0s"
  `+s.connection(t)+`
    token = ephemeral.hap_credentials.c.data["token"]
  }
}
# Not one of its values gets into a plan, not even as part of another.
locals {
  lengths = length(join("", values(ephemeral.hap_credentials.c.data_base64)))
}
`, claim("blue", "ga-1", "provider = hap.inside"))
	p.works(t)
	p.keepsQuiet(t)
	s.wantWrites(t, "a claim and its release", 3)
}

// An error about credentials does not show them.
func TestSecretsOfCredentialsThatAreNotThere(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	planted := secrets{"token of the user": s.user.Token, "key": plant("key")}
	s.Secret(t, "aws-1", map[string][]byte{"key": []byte(planted["key"])})
	s.Accounts(t, awsAccounts(1)...)
	settings := s.connection(t) + "\n    token = var.token\n  }"
	p := s.secretly(t, planted, settings, map[string]string{"token": s.user.Token})
	p.write(t, settings, "variable \"token\" {\n  ephemeral = true\n}\n", `
ephemeral "hap_credentials" "c" {
  binding_name = "aws-1"
}
provider "hap" {
  alias      = "inside"
  kubernetes = { host = "https://127.0.0.1:1", token = ephemeral.hap_credentials.c.data["token"] }
}
`, claim("blue", "ga-1", "provider = hap.inside"))
	if result := p.run(t, applying...); result.ExitCode == 0 {
		t.Errorf("there is no token in the Secret, and yet:\n%s", result.Output)
	}
	p.keepsQuiet(t)
}
