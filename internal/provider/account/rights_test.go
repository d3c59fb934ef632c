package account_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
)

// The Role of examples/rbac/role-supply.yaml suffices in a Garden that checks references as in production, and a verb less does
// not: the error names it, and nothing is written without it.
func TestAccAccount_roleIsTheLeast(t *testing.T) {
	t.Parallel()
	acceptance.NeedsGarden(t)
	ns := testbed.SharedStrict(t).NewNamespace(t)
	ns.Secret(t, "aws-1", nil)
	role := string(testbed.RoleExample(t, "role-supply.yaml"))
	as := func(name, role string) acceptance.Landscape {
		user := ns.ServiceAccount(t, name, []byte(role))
		return acceptance.Landscape{Namespace: ns, User: user, Kubeconfig: user.Kubeconfig(t)}
	}
	whole := as("whole", role)
	folder := acceptance.NewFolder(t, whole)
	write := func(attributes ...string) {
		acceptance.WriteFile(t, folder, "main.tf", acceptance.Requiring+whole.Provider()+acceptance.AccountOf(attributes...))
	}
	// What is written under a resource until the next rule, without one verb of it.
	without := func(resource, verb string) string {
		start := strings.Index(role, "resources: ["+resource+"]")
		if start < 0 {
			t.Fatalf("the Role has no rule for %s", resource)
		}
		rest := role[start:]
		for _, spelt := range []string{"      - " + verb + "\n", "      - " + verb + " "} {
			if at := strings.Index(rest, spelt); at >= 0 && resource != "secrets" {
				return role[:start] + rest[:at] + strings.Replace(rest[at:], verb, "watch", 1)
			}
		}
		return role[:start] + strings.Replace(rest, "["+verb+"]", "[watch]", 1)
	}
	number := 0
	refused := func(step string, arguments []string, rule, verb, object string) {
		t.Helper()
		number++
		less := as(fmt.Sprintf("less-%d", number), without(rule, verb))
		content := acceptance.Requiring + less.Provider() + acceptance.AccountOf(attributesOf(step)...)
		acceptance.WriteFile(t, folder, "main.tf", content)
		before := fmt.Sprint(whole.Versions(t))
		result := folder.Run(t, arguments...)
		summary, does := diagnose.SummaryForbidden, verb
		switch {
		case step == "identity" || rule == "secrets" && step == "create":
			summary = diagnose.SummaryNoCredentials
		case rule == "secrets": // Gardener refuses the patch
			does = "patch"
		}
		if result.ExitCode == 0 || !acceptance.ErrorLike(summary, "not allowed to "+does+" "+object, ns.Name).MatchString(result.Output) {
			t.Errorf("%s without %s on %s: exit code %d:\n%s", step, verb, rule, result.ExitCode, result.Output)
		}
		if after := fmt.Sprint(whole.Versions(t)); after != before {
			t.Errorf("%s without %s on %s: accounts were %s, and are %s", step, verb, rule, before, after)
		}
	}
	apply, destroy := []string{"apply", "-auto-approve"}, []string{"destroy", "-auto-approve", "-refresh=false"}
	refused("create", apply, "credentialsbindings", "get", "credentialsbindings")
	refused("create", apply, "credentialsbindings", "list", "credentialsbindings")
	refused("create", apply, "credentialsbindings", "create", "credentialsbindings")
	refused("create", apply, "shoots", "list", "shoots")
	refused("create", apply, "secrets", "get", "secrets")
	refused("identity", apply, "workloadidentities", "get", "workloadidentities")
	write()
	acceptance.Run(t, folder, apply...)
	refused("update", apply, "credentialsbindings", "patch", "credentialsbindings")
	refused("update", apply, "secrets", "get", "credentialsbindings")
	write(attributesOf("update")...)
	acceptance.Run(t, folder, apply...)
	refused("destroy", destroy, "credentialsbindings", "delete", "credentialsbindings")
	refused("destroy", destroy, "shoots", "list", "shoots")
	write()
	acceptance.Run(t, folder, "destroy", "-auto-approve")
}

// attributesOf are what a step of the Role's test configures.
func attributesOf(step string) []string {
	return map[string][]string{
		"update": {`labels = { team = "a" }`}, "identity": {`credentials_ref = { kind = "WorkloadIdentity", name = "w" }`},
	}[step]
}
