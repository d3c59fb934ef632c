package claim_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
)

// binding_name asks for another binding of the claim's own cloud account, which lacks the label of its hyperscaler type: that is an error, and
// no replacement. A replacement would mark the cloud account dirty, and end nowhere.
func TestAccClaim_bindingNameOfAnUnlabelledBinding(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	l.Account(t, testbed.AccountSpec{Name: "aws-2", Secret: l.GetAccount(t, "aws-1").CredentialsRef.Name})
	of := func(name string) string {
		return l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("one", "ga-1", fmt.Sprintf("binding_name = %q", name))
	}
	var before string
	untouched := func(*terraform.State) error {
		return acceptance.Equal("version of aws-1", l.GetAccount(t, "aws-1").ResourceVersion, before)
	}
	inprocess.Test(t, resource.TestCase{ProtoV6ProviderFactories: acceptance.Factories, Steps: []resource.TestStep{
		{Config: of("aws-1"), Check: func(*terraform.State) error {
			before = l.GetAccount(t, "aws-1").ResourceVersion
			return nil
		}},
		{Config: of("aws-2"), ExpectError: acceptance.ErrorLike(diagnose.SummaryNoMove, "account aws-2, which it is to go to, has the same "+
			"credentials and cannot take it: it lacks the label of the hyperscaler type", "Nothing was written")},
		{Config: of("aws-1"), Check: untouched},
	}})
}

// A claim whose old binding is gone stays in the state while its cloud account has other bindings, although it is not known which of them it is
// to go to. Once there is one it goes there, in place.
func TestAccClaim_severalBindingsInPlaceOfTheOldOne(t *testing.T) {
	t.Parallel()
	l := olderAndNewer(t)
	config := acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1")
	inprocess.Test(t, resource.TestCase{ProtoV6ProviderFactories: acceptance.Factories, Steps: []resource.TestStep{
		{Config: l.Provider(l.Block) + config},
		{
			PreConfig: func() {
				for _, name := range []string{"aws-1", "aws-2"} {
					l.Account(t, testbed.AccountSpec{Name: name, Secret: "aws-1", HyperscalerType: "aws", Tenant: "ga-1"})
				}
				l.DeleteObject(t, testbed.SecretBinding, "aws-1")
			},
			Config: l.Provider() + config, ExpectError: acceptance.ErrorLike(diagnose.SummaryNoMove,
				"several accounts of the pool refer to its credentials: aws-1, aws-2"),
		},
		{
			PreConfig: func() { l.DeleteAccount(t, "aws-2") },
			Config:    l.Provider() + config,
			Check: func(*terraform.State) error {
				return errors.Join(acceptance.Equal("records on aws-1", fmt.Sprint(l.Records(t, "aws-1")), "1"),
					acceptance.Equal("dirty", l.GetAccount(t, "aws-1").Labels["dirty"], ""))
			},
		},
	}})
}

// olderAndNewer is a landscape whose pool was one of SecretBindings, and a user who may write bindings of both kinds.
func olderAndNewer(t *testing.T) acceptance.OlderLandscape {
	t.Helper()
	l := acceptance.NewOlderLandscape(t, testbed.SecretBinding, acceptance.Labellings["camel"], testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	other := strings.Replace(string(testbed.DocumentedRoleOf(t, testbed.SecretBinding)), "name: hap-provider", "name: other", 1)
	l.Kubeconfig = l.ServiceAccount(t, "both", []byte(string(testbed.DocumentedRole(t))+"\n---\n"+other)).Kubeconfig(t)
	return l
}

// A claim that names its old binding, in a pool of another kind since, is moved once it names the new one. Until then the plan says what
// there is, and is none that Terraform takes for a bug.
func TestAccClaim_namesItsOldBinding(t *testing.T) {
	t.Parallel()
	l := olderAndNewer(t)
	claim := func(binding string) string {
		return acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1", fmt.Sprintf("binding_name = %q", binding))
	}
	inprocess.Test(t, resource.TestCase{ProtoV6ProviderFactories: acceptance.Factories, Steps: []resource.TestStep{
		{Config: l.Provider(l.Block) + claim("aws-1")},
		{
			PreConfig: func() {
				l.Account(t, testbed.AccountSpec{Name: "aws-1-cb", Secret: "aws-1", HyperscalerType: "aws", Tenant: "ga-1"})
			},
			Config: l.Provider() + claim("aws-1"), ExpectError: acceptance.ErrorLike(diagnose.SummaryNoMove,
				"account aws-1, which it is to go to, does not refer to the same credentials, or does not exist; others that do: aws-1-cb"),
		},
		{
			Config: l.Provider() + claim("aws-1-cb"),
			Check: func(*terraform.State) error {
				return errors.Join(acceptance.Equal("records on aws-1-cb", fmt.Sprint(l.Records(t, "aws-1-cb")), "1"),
					acceptance.Equal("dirty", l.GetAccount(t, "aws-1-cb").Labels["dirty"], ""))
			},
		},
	}})
}

// A claim whose state is lost is imported by the new binding of its cloud account, also where that lacks the label of the Global Account: the
// apply after the import writes it, and takes the record along.
func TestAccClaim_importedByABindingWithoutALabel(t *testing.T) {
	t.Parallel()
	l := olderAndNewer(t)
	required := "terraform {\n  required_providers {\n    hap = { source = \"hap-project/hap\" }\n  }\n}\n"
	config := acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1")
	lost, c := cli.New(t), cli.New(t)
	run := func(c *cli.CLI, exit int, words string, arguments ...string) {
		t.Helper()
		result := c.Run(t, append(arguments, "-no-color")...)
		said := strings.Join(strings.Fields(strings.ReplaceAll(result.Output, "│", " ")), " ")
		if result.ExitCode != exit || !strings.Contains(said, words) {
			t.Fatalf("%q ends with %d and does not say %q:\n%s", arguments, result.ExitCode, words, result.Output)
		}
	}
	lost.Write(t, required+l.Provider(l.Block)+config)
	run(lost, 0, "Apply complete", "apply", "-auto-approve")
	l.Account(t, testbed.AccountSpec{Name: "aws-1", Secret: "aws-1", HyperscalerType: "aws"})

	c.Write(t, required+l.Provider()+config)
	run(c, 1, "Else import the claim as ga-1/aws-1/blue", "apply", "-auto-approve")
	c.Write(t, required+l.Provider()+config+"import {\n  to = hap_credentials_binding_claim.blue\n  id = \"ga-1/aws-1/blue\"\n}\n")
	run(c, 0, "1 imported", "apply", "-auto-approve")
	if a := l.GetAccount(t, "aws-1"); a.Labels["tenantName"] != "ga-1" || l.Records(t, "aws-1") != 1 {
		t.Errorf("the new binding has the labels %v, and %d records", a.Labels, l.Records(t, "aws-1"))
	}
	run(c, 0, "No changes", "plan")
	run(c, 0, "Destroy complete", "destroy", "-auto-approve")
	if a := l.GetAccount(t, "aws-1"); a.Labels["dirty"] != "true" || l.Records(t, "aws-1") != 0 {
		t.Errorf("after the release it has the labels %v, and %d records", a.Labels, l.Records(t, "aws-1"))
	}
}

// A claim that was imported by another binding, and is destroyed before an apply, moves there first. Where the release is refused then, the
// error says that the claim was moved, and the next run goes on from there.
func TestAccClaim_importedAndRefused(t *testing.T) {
	t.Parallel()
	l := olderAndNewer(t)
	required := "terraform {\n  required_providers {\n    hap = { source = \"hap-project/hap\" }\n  }\n}\n"
	config := acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1", `on_destroy = "return_to_pool"`)
	lost, c := cli.New(t), cli.New(t)
	run := func(c *cli.CLI, exit int, words string, arguments ...string) {
		t.Helper()
		result := c.Run(t, append(arguments, "-no-color")...)
		said := strings.Join(strings.Fields(strings.ReplaceAll(result.Output, "│", " ")), " ")
		if result.ExitCode != exit || !strings.Contains(said, words) || strings.Contains(said, "Nothing was written") {
			t.Fatalf("%q ends with %d and does not say %q:\n%s", arguments, result.ExitCode, words, result.Output)
		}
	}
	lost.Write(t, required+l.Provider(l.Block)+config)
	run(lost, 0, "Apply complete", "apply", "-auto-approve")
	l.Account(t, testbed.AccountSpec{Name: "aws-1", Secret: "aws-1", HyperscalerType: "aws"})

	c.Write(t, required+l.Provider()+config)
	run(c, 0, "Import successful", "import", "hap_credentials_binding_claim.blue", "ga-1/aws-1/blue")
	for range 2 {
		run(c, 1, "The record of the claim is on account aws-1 now", "destroy", "-auto-approve")
		if a := l.GetAccount(t, "aws-1"); a.Labels["tenantName"] != "ga-1" || a.Labels["dirty"] != "" || l.Records(t, "aws-1") != 1 {
			t.Errorf("the new binding has the labels %v, and %d records", a.Labels, l.Records(t, "aws-1"))
		}
	}
	c.Write(t, required+l.Provider()+strings.Replace(config, "return_to_pool", "mark_dirty", 1))
	run(c, 0, "Apply complete", "apply", "-auto-approve")
	run(c, 0, "Destroy complete", "destroy", "-auto-approve")
	if a := l.GetAccount(t, "aws-1"); a.Labels["dirty"] != "true" || l.Records(t, "aws-1") != 0 {
		t.Errorf("after the release it has the labels %v, and %d records", a.Labels, l.Records(t, "aws-1"))
	}
}
