package status_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
)

// kubectl runs a command in a shell, as a person pastes it.
func kubectl(t *testing.T, kubeconfig, command string) (string, error) {
	t.Helper()
	root, err := local.RepositoryRoot()
	if err != nil {
		t.Fatal(err)
	}
	run := exec.CommandContext(t.Context(), "/bin/sh", "-c", command)
	run.Env = []string{"PATH=" + filepath.Join(root, "bin", "tools"), "KUBECONFIG=" + kubeconfig, "HOME=" + t.TempDir()}
	out, err := run.CombinedOutput()
	return string(out), err
}

// said are the problems of the status in a state, each as its account, kind and command without what all commands begin with.
func said(state *terraform.State, begins string) (problems, commands []string) {
	attributes := state.RootModule().Resources[acceptance.StatusNow].Primary.Attributes
	for i := range 100 {
		at := fmt.Sprintf("problems.%d.", i)
		kind, there := attributes[at+"kind"]
		if !there {
			break
		}
		command := attributes[at+"command"]
		if command != "" {
			commands = append(commands, command)
		}
		if words := strings.SplitN(strings.TrimPrefix(command, begins), " ", 3); len(words) == 3 { // version, resource, and what follows
			command = words[1] + " " + words[2]
		}
		problems = append(problems, strings.TrimSpace(fmt.Sprintf("%s %s: %s", attributes[at+"account"], kind, command)))
	}
	slices.Sort(problems)
	return problems, commands
}

// The command of a problem ends the problem, for each kind of accounts and with the keys of the pool, and leaves each account with its
// Global Account. The command of a read is refused once the account has changed.
func TestAccPoolStatus_commands(t *testing.T) {
	t.Parallel()
	for kind, with := range map[string]struct {
		as       string
		resource string
	}{
		testbed.CredentialsBinding: {"camel", "credentialsbindings.security.gardener.cloud"},
		testbed.SecretBinding:      {"kebab", "secretbindings.core.gardener.cloud"},
		testbed.Secret:             {"own", "secrets"},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			labels := acceptance.Labellings[with.as]
			named := func(usual string) string { return acceptance.OlderLandscape{Keys: labels.Keys}.Key(usual) }
			dirty, tenant := named(testbed.LabelDirty), named(testbed.LabelTenant)
			l := acceptance.NewOlderLandscape(t, kind, labels,
				testbed.AccountSpec{Name: "busy", HyperscalerType: "aws", Tenant: "ga-1", Dirty: true},
				testbed.AccountSpec{Name: "hidden", HyperscalerType: "aws", Labels: map[string]string{dirty: "false", tenant: ""}},
				testbed.AccountSpec{Name: "late", HyperscalerType: "aws", Labels: map[string]string{tenant: ""}},
				testbed.AccountSpec{Name: "suspect", HyperscalerType: "aws", Tenant: "ga-2", Dirty: true,
					Annotations: map[string]string{account.QuarantineAnnotation: "misuse"}})
			l.PutShoot(t, "one", "busy")
			config := l.Provider(l.Block) + acceptance.StatusBlock("")
			begins := "kubectl -n " + l.Name + " label --overwrite --resource-version="
			on := with.resource + " "
			var commands []string
			wants := func(want ...string) resource.TestCheckFunc {
				return func(state *terraform.State) (err error) {
					var got []string
					if got, commands = said(state, begins); !slices.Equal(got, want) {
						err = fmt.Errorf("problems %q, want %q", got, want)
					}
					return err
				}
			}
			inprocess.Test(t, resource.TestCase{ProtoV6ProviderFactories: acceptance.Factories, Steps: []resource.TestStep{
				{Config: config, Check: wants(
					"busy dirty_in_use: "+on+"busy "+dirty+"-",
					"hidden unreachable: "+on+"hidden "+dirty+"- "+tenant+"-",
					"late unreachable: "+on+"late "+tenant+"-",
					"suspect dirty:", "suspect quarantine_lost: "+on+"suspect "+dirty+"=quarantine",
				)},
				{PreConfig: func() { runAll(t, l, tenant, commands) }, Config: config, Check: wants("late idle:")},
			}})
			for account, want := range map[string]string{"busy": "ga-1", "hidden": "", "late": "ga-9", "suspect": "ga-2"} {
				if got := l.GetObject(t, kind, account).GetLabels()[tenant]; got != want {
					t.Errorf("%s is held by %q, want %q", account, got, want)
				}
			}
		})
	}
}

// runAll runs the commands of problems; before that a Global Account takes the account "late".
func runAll(t *testing.T, l acceptance.OlderLandscape, tenantKey string, commands []string) {
	t.Helper()
	kubeconfig := l.AdminKubeconfig(t)
	l.PatchObject(t, l.Kind, "late", map[string]any{"labels": map[string]string{tenantKey: "ga-9"}})
	for _, command := range commands {
		out, err := kubectl(t, kubeconfig, command)
		stale := strings.Contains(command, " late ")
		if refused := err != nil && strings.Contains(out, "the object has been modified"); stale != refused || !stale && err != nil {
			t.Errorf("%s: %s (%v)", command, out, err)
		}
	}
}
