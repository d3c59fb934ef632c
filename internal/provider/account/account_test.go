package account_test

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

	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
)

const (
	accountType = "hap_account"
)

// wantLabels compares all labels of the account aws-1 but Gardener's own.
func wantLabels(t *testing.T, l acceptance.Landscape, want map[string]string) error {
	t.Helper()
	got := l.GetAccount(t, "aws-1").Labels
	maps.DeleteFunc(got, func(key, _ string) bool { return strings.Contains(key, "gardener.cloud/") })
	if !maps.Equal(got, want) {
		return fmt.Errorf("aws-1 has the labels %v, want %v", got, want)
	}
	return nil
}

func wantAction(action plancheck.ResourceActionType) resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(acceptance.AccountOne, action)}}
}

// An account is put into the pool with the labels that the broker goes by and no others, changed in place while it is free,
// and taken out again.
func TestAccAccount_life(t *testing.T) {
	t.Parallel()
	l := acceptance.NewSupply(t, "aws-1")
	var uid string
	sameObject := func(*terraform.State) error {
		return acceptance.Equal("uid", string(l.GetAccount(t, "aws-1").UID), uid)
	}
	labels := func(want map[string]string) resource.TestCheckFunc {
		return func(*terraform.State) error { return wantLabels(t, l, want) }
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{
				Config: l.Provider() + acceptance.AccountOf(`labels = { team = "a", stage = "" }`),
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply:             []plancheck.PlanCheck{plancheck.ExpectResourceAction(acceptance.AccountOne, plancheck.ResourceActionCreate)},
					PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
				},
				Check: resource.ComposeAggregateTestCheckFunc(
					labels(map[string]string{"hyperscalerType": "aws", "team": "a", "stage": ""}),
					func(*terraform.State) error {
						a := l.GetAccount(t, "aws-1")
						uid = string(a.UID)
						return errors.Join(acceptance.Equal("provider", a.Provider.Type, "aws"), acceptance.Equal("reference", fmt.Sprint(a.CredentialsRef.Kind,
							a.CredentialsRef.Namespace, a.CredentialsRef.Name, a.CredentialsRef.APIVersion), fmt.Sprint("Secret", l.Name, "aws-1", "v1")),
							acceptance.Equal("annotations", fmt.Sprint(len(a.Annotations)), "0"))
					}, acceptance.NoCredential),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(acceptance.AccountOne, tfjsonpath.New("class"), knownvalue.StringExact("free")),
					statecheck.ExpectKnownValue(acceptance.AccountOne, tfjsonpath.New("clusters"), knownvalue.Int64Exact(0)),
					statecheck.ExpectKnownValue(acceptance.AccountOne, tfjsonpath.New("dirty"), knownvalue.Bool(false)),
					statecheck.ExpectKnownValue(acceptance.AccountOne, tfjsonpath.New("global_account"), knownvalue.Null()),
					statecheck.ExpectKnownValue(acceptance.AccountOne, tfjsonpath.New("credentials_ref"), knownvalue.ObjectExact(map[string]knownvalue.Check{
						"kind": knownvalue.StringExact("Secret"), "namespace": knownvalue.StringExact(l.Name), "name": knownvalue.StringExact("aws-1"),
						"id": knownvalue.StringExact(l.Name + "/aws-1"),
					})),
				},
			},
			{ // flags are labels that say true, or none
				Config:           l.Provider() + acceptance.AccountOf(`eu_access = true`, `internal = true`, `labels = { team = "b" }`),
				ConfigPlanChecks: wantAction(plancheck.ResourceActionUpdate),
				Check: resource.ComposeAggregateTestCheckFunc(sameObject,
					labels(map[string]string{"hyperscalerType": "aws", "euAccess": "true", "internal": "true", "team": "b"}),
					resource.TestCheckResourceAttr(acceptance.AccountOne, "class", "internal")),
			},
			{
				Config:           l.Provider() + acceptance.AccountOf(`shared = true`),
				ConfigPlanChecks: wantAction(plancheck.ResourceActionUpdate),
				Check: resource.ComposeAggregateTestCheckFunc(sameObject, labels(map[string]string{"hyperscalerType": "aws", "shared": "true"}),
					resource.TestCheckResourceAttr(acceptance.AccountOne, "class", "shared")),
			},
			{ // another type is another account: no tenant holds it
				Config:           l.Provider() + acceptance.AccountOf(`hyperscaler_type = "aws_cf-eu11"`),
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
			return acceptance.Equal("the account is there", fmt.Sprint(l.There(t)), "false")
		},
	})
}
