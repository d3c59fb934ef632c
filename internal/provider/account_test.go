package provider

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
)

const (
	accountType = "hap_account"
	accountOne  = "hap_account.one"
)

// newSupply is a landscape whose user may fill the pool, and nothing else. The Secrets of the names are there.
func newSupply(t *testing.T, secrets ...string) landscape {
	t.Helper()
	l := newLandscape(t)
	l.user = l.ServiceAccount(t, "supply", testbed.RoleExample(t, "role-supply.yaml"))
	l.kubeconfig = l.user.Kubeconfig(t)
	for _, name := range secrets {
		l.Secret(t, name, map[string][]byte{"credential": []byte(testbed.Credential)})
	}
	return l
}

// accountOf writes the account one: aws-1 of pool aws, whose credentials are the Secret aws-1; attributes win over these.
func accountOf(attributes ...string) string {
	lines := map[string]string{
		"name": `"aws-1"`, "provider_type": `"aws"`, "hyperscaler_type": `"aws"`, "credentials_ref": `{ name = "aws-1" }`,
	}
	for _, a := range attributes {
		name, value, _ := strings.Cut(a, "=")
		lines[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	text := "resource \"hap_account\" \"one\" {\n"
	for name, value := range lines {
		if value != "" {
			text += fmt.Sprintf("  %s = %s\n", name, value)
		}
	}
	return text + "}\n"
}

// wantLabels compares all labels of the account aws-1 but Gardener's own.
func (l landscape) wantLabels(t *testing.T, want map[string]string) error {
	t.Helper()
	got := l.GetAccount(t, "aws-1").Labels
	maps.DeleteFunc(got, func(key, _ string) bool { return strings.Contains(key, "gardener.cloud/") })
	if !maps.Equal(got, want) {
		return fmt.Errorf("aws-1 has the labels %v, want %v", got, want)
	}
	return nil
}

// there reports whether the account aws-1 exists.
func (l landscape) there(t *testing.T) bool {
	t.Helper()
	for _, a := range l.ListAccounts(t) {
		if a.Name == "aws-1" {
			return true
		}
	}
	return false
}

func wantAction(action plancheck.ResourceActionType) resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(accountOne, action)}}
}

// An account is put into the pool with the labels that the broker goes by and no others, changed in place while it is free,
// and taken out again.
func TestAccAccount_life(t *testing.T) {
	t.Parallel()
	l := newSupply(t, "aws-1")
	var uid string
	sameObject := func(*terraform.State) error {
		return equal("uid", string(l.GetAccount(t, "aws-1").UID), uid)
	}
	labels := func(want map[string]string) resource.TestCheckFunc {
		return func(*terraform.State) error { return l.wantLabels(t, want) }
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		Steps: []resource.TestStep{
			{
				Config: l.provider() + accountOf(`labels = { team = "a", stage = "" }`),
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply:             []plancheck.PlanCheck{plancheck.ExpectResourceAction(accountOne, plancheck.ResourceActionCreate)},
					PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
				},
				Check: resource.ComposeAggregateTestCheckFunc(
					labels(map[string]string{"hyperscalerType": "aws", "team": "a", "stage": ""}),
					func(*terraform.State) error {
						a := l.GetAccount(t, "aws-1")
						uid = string(a.UID)
						return errors.Join(equal("provider", a.Provider.Type, "aws"), equal("reference", fmt.Sprint(a.CredentialsRef.Kind,
							a.CredentialsRef.Namespace, a.CredentialsRef.Name, a.CredentialsRef.APIVersion), fmt.Sprint("Secret", l.Name, "aws-1", "v1")),
							equal("annotations", fmt.Sprint(len(a.Annotations)), "0"))
					}, noCredential),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(accountOne, tfjsonpath.New("class"), knownvalue.StringExact("free")),
					statecheck.ExpectKnownValue(accountOne, tfjsonpath.New("clusters"), knownvalue.Int64Exact(0)),
					statecheck.ExpectKnownValue(accountOne, tfjsonpath.New("dirty"), knownvalue.Bool(false)),
					statecheck.ExpectKnownValue(accountOne, tfjsonpath.New("global_account"), knownvalue.Null()),
					statecheck.ExpectKnownValue(accountOne, tfjsonpath.New("credentials_ref"), knownvalue.ObjectExact(map[string]knownvalue.Check{
						"kind": knownvalue.StringExact("Secret"), "namespace": knownvalue.StringExact(l.Name), "name": knownvalue.StringExact("aws-1"),
						"id": knownvalue.StringExact(l.Name + "/aws-1"),
					})),
				},
			},
			{ // flags are labels that say true, or none
				Config:           l.provider() + accountOf(`eu_access = true`, `internal = true`, `labels = { team = "b" }`),
				ConfigPlanChecks: wantAction(plancheck.ResourceActionUpdate),
				Check: resource.ComposeAggregateTestCheckFunc(sameObject,
					labels(map[string]string{"hyperscalerType": "aws", "euAccess": "true", "internal": "true", "team": "b"}),
					resource.TestCheckResourceAttr(accountOne, "class", "internal")),
			},
			{
				Config:           l.provider() + accountOf(`shared = true`),
				ConfigPlanChecks: wantAction(plancheck.ResourceActionUpdate),
				Check: resource.ComposeAggregateTestCheckFunc(sameObject, labels(map[string]string{"hyperscalerType": "aws", "shared": "true"}),
					resource.TestCheckResourceAttr(accountOne, "class", "shared")),
			},
			{ // another type is another account: no tenant holds it
				Config:           l.provider() + accountOf(`hyperscaler_type = "aws_cf-eu11"`),
				ConfigPlanChecks: wantAction(plancheck.ResourceActionDestroyBeforeCreate),
				Check: resource.ComposeAggregateTestCheckFunc(labels(map[string]string{"hyperscalerType": "aws_cf-eu11"}),
					func(s *terraform.State) error {
						if sameObject(s) == nil {
							return errors.New("the account was not made anew")
						}
						return nil
					}),
			},
		},
		CheckDestroy: func(*terraform.State) error {
			return equal("the account is there", fmt.Sprint(l.there(t)), "false")
		},
	})
}

// requiring is what a configuration of its own begins with.
const requiring = "terraform {\n  required_providers {\n    hap = { source = \"hap-project/hap\" }\n  }\n}\n"

// newFolder is a folder with a state of its own, for the program under test and the real provider.
func newFolder(t *testing.T, l landscape) *cli.CLI {
	t.Helper()
	return cli.New(t, "KUBE_CONFIG_PATH="+l.kubeconfig)
}
