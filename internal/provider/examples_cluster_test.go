package provider

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
)

const (
	exampleCluster = `resource "hap_shoot" "blue"`
	clusterGuide   = "guides/from-nothing-to-a-cluster"
)

// clusters reports whether an example makes clusters, for which it needs a gardenlet and a further Role.
func (e example) clusters() bool {
	return strings.Contains(e.text(), "hap_shoot.") || hasCluster(e.text())
}

func hasCluster(text string) bool { return strings.Contains(text, `resource "hap_shoot"`) }

// landscape has what an example needs to be there, and what is to be run when it is destroyed. The guide to a cluster begins with
// an empty pool, which a configuration of its own fills and empties.
func (e example) landscape(t *testing.T) (_ acceptance.Landscape, after func()) {
	t.Helper()
	after = func() {}
	if e.name == clusterGuide {
		l := acceptance.NewClusterLandscape(t).Landscape
		filler := example{clusterGuide + "/pool", map[string]string{"main.tf": exampleFile(t, clusterGuide+"/pool/main.tf")}}.applied(t, l)
		return l, func() {
			acceptance.Run(t, filler, "destroy", "-auto-approve")
			if left := l.ListAccounts(t); len(left) > 0 {
				t.Errorf("%d accounts are left", len(left))
			}
		}
	}
	l := exampleLandscape(t)
	if e.onPlatform() {
		return e.withPlatform(t, l), after
	}
	if e.clusters() {
		l = acceptance.WithGardenlet(t, l, nil).Landscape
	}
	if e.name == "guides/getting-started" {
		l.Account(t, testbed.AccountSpec{Name: "try-hap", HyperscalerType: "aws"})
	}
	if name := "resources/hap_shoot/resource.tf"; strings.HasPrefix(e.name, "resources/hap_shoot/import") {
		example{name, map[string]string{"resource.tf": exampleFile(t, name)}}.applied(t, l)
	}
	return l, after
}

// applied applies an example beside the one under test.
func (e example) applied(t *testing.T, l acceptance.Landscape) *cli.CLI {
	t.Helper()
	cli := e.cli(t, l)
	e.write(t, cli, l)
	acceptance.Run(t, cli, "apply", "-auto-approve")
	return cli
}

// expectCluster sees what the guide promises: who got which account, the cluster on it, and the namespace inside.
func (e example) expectCluster(t *testing.T, l acceptance.Landscape, state cli.State) {
	t.Helper()
	if e.name != clusterGuide {
		return
	}
	shoots := l.ListShoots(t)
	if len(shoots) != 1 {
		t.Fatalf("there are %d clusters", len(shoots))
	}
	told, _ := state.Outputs["cluster"].(map[string]any)
	for what, pair := range map[string][2]any{
		"tenant of the account":            {l.Tenant(t, "aws-account-51"), "ga-initech"},
		"account of the cluster":           {shoots[0].Account, "aws-account-51"},
		"label of the namespace":           {l.Garden().NamespaceLabels(t, l.Inside())["team"], "initech"},
		"tenant that the output names":     {told["tenant"], "ga-initech"},
		"account that the output names":    {told["account"], "aws-account-51"},
		"cluster that the output names":    {told["cluster"], l.Name + "/blue"},
		"version that the output names":    {told["kubernetes"], shoots[0].Version},
		"API server that the output names": {told["api_server"], shoots[0].URL},
		"namespace that the output names":  {told["namespace"], l.Inside()},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s: %v, want %v", what, pair[0], pair[1])
		}
	}
}

var protectedBlock = regexp.MustCompile(`(?m)^resource "(hap_shoot|hap_cluster|hap_cluster_request)" "(.*)" \{$`)

// unprotect does what a user does before a destroy: what is protected is not destroyed. It alone is applied: while a cluster has a change,
// the providers that work inside have no connection at plan.
func (e example) unprotect(t *testing.T, cli *cli.CLI) {
	t.Helper()
	cli.Setenv("TF_VAR_deletion_protection", "false")
	apply := []string{"apply", "-auto-approve"}
	for _, name := range slices.AppendSeq([]string{"beside.tf"}, maps.Keys(e.files)) {
		text, err := os.ReadFile(filepath.Join(cli.Folder, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range protectedBlock.FindAllStringSubmatch(string(text), -1) {
			apply = append(apply, "-target="+found[1]+"."+found[2])
		}
		if !strings.Contains(string(text), "deletion_protection") {
			acceptance.WriteFile(t, cli, name, protectedBlock.ReplaceAllString(string(text), "$0\n  deletion_protection = false"))
		}
	}
	if len(apply) > 2 {
		acceptance.Run(t, cli, apply...)
	}
}

// expectNoCluster sees that no cluster of a configuration is left, and nothing of what it made inside.
func expectNoCluster(t *testing.T, l acceptance.Landscape) {
	t.Helper()
	for _, shoot := range l.ListShoots(t) {
		if shoot.Annotations["hap-project.io/shoot-configuration"] != "" {
			t.Errorf("Shoot %s is left", shoot.Name)
		}
	}
	if l.Garden().NamespaceLabels(t, l.Inside()) != nil {
		t.Errorf("the namespace %s is left", l.Inside())
	}
}
