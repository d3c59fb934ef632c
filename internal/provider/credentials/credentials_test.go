package credentials_test

import (
	"encoding/base64"
	"fmt"
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
)

// credentials opens credentials and has them echoed.
func credentialsBlock(attributes string) string {
	return fmt.Sprintf(`
ephemeral "hap_credentials" "c" {
  %s
}
provider "echo" {
  data = ephemeral.hap_credentials.c
}
resource "echo" "it" {}
`, attributes)
}

// credentialsUser is a landscape whose user may read credentials and nothing else.
func credentialsUser(t *testing.T) acceptance.Landscape {
	t.Helper()
	l := acceptance.NewLandscape(t)
	l.User = l.ServiceAccount(t, "credentials", testbed.RoleExample(t, "role-credentials.yaml"))
	l.Kubeconfig = l.User.Kubeconfig(t)
	return l
}

// encoded are these values as a Secret's manifest shows them.
func encoded(values map[string][]byte) knownvalue.Check {
	all := map[string]knownvalue.Check{}
	for key, value := range values {
		all[key] = knownvalue.StringExact(base64.StdEncoding.EncodeToString(value))
	}
	return knownvalue.MapExact(all)
}

// Another provider gets the values as they are, with the documented Role and no other right.
func TestAccCredentials_canBeUsed(t *testing.T) {
	t.Parallel()
	l := credentialsUser(t)
	values := map[string][]byte{
		"accessKeyID": []byte("AKIA"), "serviceaccount.json": []byte("{\n  \"key\": \"ü\"\n}\n"), "empty": {}, "keystore": {0xfe, 0xed, 0xfe,
			0xed},
	}
	l.Secret(t, "aws-1", values)
	l.Account(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", ProviderType: "aws"})
	texts := knownvalue.MapExact(map[string]knownvalue.Check{
		"accessKeyID": knownvalue.StringExact("AKIA"), "serviceaccount.json": knownvalue.StringExact("{\n  \"key\": \"ü\"\n}\n"),
		"empty": knownvalue.StringExact(""),
	})
	data := func(name string) tfjsonpath.Path { return tfjsonpath.New("data").AtMapKey(name) }
	for name, c := range map[string]struct {
		named        string
		providerType knownvalue.Check
	}{
		"by account":   {`binding_name = "aws-1"`, knownvalue.StringExact("aws")},
		"by reference": {reference("v1", "Secret", l.Name, "aws-1") + "\n  timeouts = { open = \"30s\" }", knownvalue.Null()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			resource.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: acceptance.Echoing,
				Steps: []resource.TestStep{{
					Config: l.Provider() + credentialsBlock(c.named),
					ConfigStateChecks: []statecheck.StateCheck{
						statecheck.ExpectKnownValue("echo.it", data("data"), texts),
						statecheck.ExpectKnownValue("echo.it", data("data_base64"), encoded(values)),
						statecheck.ExpectKnownValue("echo.it", data("provider_type"), c.providerType),
					},
				}},
			})
		})
	}
}

// reference is a credentials_ref.
func reference(version, kind, namespace, name string) string {
	return fmt.Sprintf("credentials_ref = { api_version = %q, kind = %q, namespace = %q, name = %q }", version, kind, namespace, name)
}

// An account that has gone to another tenant, or to none, gives no credentials to the Global Account that they are opened for.
func TestAccCredentials_ofATenant(t *testing.T) {
	t.Parallel()
	l := credentialsUser(t)
	for name, spec := range map[string]testbed.AccountSpec{
		"acme": {Tenant: "ga-acme"}, "other": {Tenant: "ga-other"}, "free": {}, "shared": {Shared: true}, "wiped": {Tenant: "ga-acme", Dirty: true},
	} {
		spec.Name, spec.HyperscalerType = name, "aws"
		l.Secret(t, name, map[string][]byte{"accessKeyID": []byte("AKIA-" + name)})
		l.Account(t, spec)
	}
	for name, want := range map[string]*regexp.Regexp{
		"acme": nil, "shared": nil, "wiped": nil,
		"other": acceptance.ErrorLike("Account is held by another Global Account", "account other is held by Global Account ga-other, not by ga-acme",
			"The credentials were not read", "binding_name"),
		"free": acceptance.ErrorLike("Account is not held", "account free is held by no Global Account, and not by ga-acme", "The credentials were not read"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			step := resource.TestStep{
				Config: l.Provider() + credentialsBlock(fmt.Sprintf("binding_name = %q\n  global_account = \"ga-acme\"", name)), ExpectError: want,
			}
			if want == nil {
				step.ConfigStateChecks = []statecheck.StateCheck{statecheck.ExpectKnownValue("echo.it",
					tfjsonpath.New("data").AtMapKey("data").AtMapKey("accessKeyID"), knownvalue.StringExact("AKIA-"+name))}
			}
			resource.Test(t, resource.TestCase{ProtoV6ProviderFactories: acceptance.Echoing, Steps: []resource.TestStep{step}})
		})
	}
}

// The credentials of a claim that is made in the same run are read once the claim is made.
func TestAccCredentials_ofAClaimInTheSameRun(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t)
	l.Secret(t, "aws-1", map[string][]byte{"accessKeyID": []byte("AKIA")})
	l.Account(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Echoing,
		Steps: []resource.TestStep{{
			Config: l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("blue",
				"ga-1") + credentialsBlock("credentials_ref = hap_credentials_binding_claim.blue.credentials_ref"),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue("echo.it", tfjsonpath.New("data").AtMapKey("data").AtMapKey("accessKeyID"), knownvalue.StringExact("AKIA")),
			},
		}},
	})
}

// A provider block that is known only after apply leads nowhere yet, and it says so.
func TestAccCredentials_providerSettingsKnownAfterApply(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Echoing,
		Steps: []resource.TestStep{{
			Config: fmt.Sprintf("resource \"terraform_data\" \"namespace\" {\n  input = %q\n}\n", l.Name) +
				l.Provider("namespace = terraform_data.namespace.output") + credentialsBlock(`binding_name = "aws-1"`),
			ExpectError: acceptance.ErrorLike("Provider setting known only after apply", "account aws-1", "the provider's namespace",
				"Apply what these values come from first"),
		}},
	})
}

func TestAccCredentials_errors(t *testing.T) {
	t.Parallel()
	l := credentialsUser(t)
	l.WorkloadIdentityAccount(t, testbed.AccountSpec{Name: "keyless", HyperscalerType: "aws"})
	l.Account(t, testbed.AccountSpec{Name: "halfway", HyperscalerType: "aws"})
	l.DeleteSecret(t, "halfway")
	for name, c := range map[string]struct {
		named string
		want  *regexp.Regexp
	}{
		"WorkloadIdentity": {`binding_name = "keyless"`,
			acceptance.ErrorLike("Credentials are no Secret", "account keyless", "the WorkloadIdentity "+l.Name+"/keyless",
				"use an account whose credentials are a Secret")},
		"reference to one": {reference("security.gardener.cloud/v1alpha1", "WorkloadIdentity", l.Name, "keyless"),
			acceptance.ErrorLike("Credentials are no Secret", "WorkloadIdentity")},
		"Secret of another version": {reference("example.com/v1", "Secret", l.Name, "halfway"),
			acceptance.ErrorLike("Credentials are no Secret", "example.com/v1")},
		"Secret is gone": {`binding_name = "halfway"`,
			acceptance.ErrorLike("No such Secret", "account halfway", "no Secret halfway", l.Name, "check its credentialsRef")},
		"account is gone": {`binding_name = "nobody"`, acceptance.ErrorLike("No such account", "there is no account nobody")},
		"another project's Secret": {reference("v1", "Secret", "garden-elsewhere", "it"),
			acceptance.ErrorLike("Not allowed in the Garden", `not allowed to get secrets in namespace "garden-elsewhere"`, `Grant the verb "get" on secrets`)},
		"neither account nor Secret": {"", acceptance.ErrorLike("Missing Attribute Configuration", "binding_name")},
		"both": {"binding_name = \"halfway\"\n  " + reference("v1", "Secret", l.Name, "halfway"),
			acceptance.ErrorLike("Invalid Attribute Combination", "binding_name")},
		"a Global Account beside a Secret": {reference("v1", "Secret", l.Name, "halfway") + "\n  global_account = \"ga-1\"",
			acceptance.ErrorLike("Invalid Attribute Combination", "binding_name", "global_account")},
		"a Global Account that no label can hold": {"binding_name = \"halfway\"\n  global_account = \"no label\"",
			acceptance.ErrorLike("Invalid Global Account", "no label")},
		"half a reference":       {`credentials_ref = { kind = "Secret" }`, acceptance.ErrorLike("", "name", "required")},
		"a timeout that is none": {"binding_name = \"halfway\"\n  timeouts = { open = \"soon\" }", acceptance.ErrorLike("", "soon")},
		"a timeout that is too short": {"binding_name = \"halfway\"\n  timeouts = { open = \"1ns\" }",
			acceptance.ErrorLike("Garden not reachable", "deadline")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			resource.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: acceptance.Echoing,
				Steps:                    []resource.TestStep{{Config: l.Provider() + credentialsBlock(c.named), ExpectError: c.want}},
			})
		})
	}
}
