package provider

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
)

// claimed is the annotation of a claim under its own key.
func (l landscape) claimed(t *testing.T, record account.Record) map[string]string {
	t.Helper()
	record.Version = account.RecordVersion
	text, err := json.Marshal(record)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]string{record.Identity(l.Name).Key(): string(text)}
}

// folder is a folder in which the configuration of a landscape is applied.
func (l landscape) folder(t *testing.T) *cli.CLI {
	t.Helper()
	return cli.New(t, "HOME="+t.TempDir())
}

// configure replaces the main file of a folder. The settings are further ones of the provider.
func (l landscape) configure(t *testing.T, c *cli.CLI, config string, settings ...string) {
	t.Helper()
	settings = append(settings, "multi_account = {\n allowed_global_accounts = [\"*\"]\n limits = { default = 9 }\n}")
	writeExample(t, c, "main.tf", "terraform {\n  required_providers {\n    hap = { source = \"hap-project/hap\" }\n  }\n}\n"+
		l.provider(settings...)+config)
}

// importConfig writes the configuration that takes a landscape over into a folder, and leaves nothing else there.
func (l landscape) importConfig(t *testing.T, c *cli.CLI, filter string, settings ...string) string {
	t.Helper()
	l.configure(t, c, fmt.Sprintf("data \"hap_pool_status\" \"now\" {\n%s\n}\noutput \"config\" { value = "+
		"data.hap_pool_status.now.import_config }\n", filter), settings...)
	run(t, c, "apply", "-auto-approve")
	text := run(t, c, "output", "-raw", "config").Stdout
	l.configure(t, c, "", settings...)
	run(t, c, "apply", "-auto-approve") // the output goes
	writeExample(t, c, "import.tf", text)
	run(t, c, "fmt", "-check", "-diff", "import.tf")
	return text
}

// takenOver applies what takes a landscape over, and plans again: there is nothing left to do.
func (l landscape) takenOver(t *testing.T, c *cli.CLI, resources int) {
	t.Helper()
	applied := run(t, c, "apply", "-auto-approve").Output
	if want := fmt.Sprintf("%d imported", resources); !strings.Contains(applied, want) || !strings.Contains(applied, " 0 added") ||
		!strings.Contains(applied, " 0 destroyed") {
		t.Errorf("no %q in\n%s", want, applied)
	}
	if again := c.Run(t, "plan", "-detailed-exitcode"); again.ExitCode != 0 {
		t.Errorf("the plan after it is not empty (exit code %d):\n%s", again.ExitCode, again.Output)
	}
}

// A landscape that exists is taken over: every account, and every claim under its own name. Accounts that the broker has claimed
// get a claim each.
func TestAccPoolStatusImportConfig(t *testing.T) {
	t.Parallel()
	l := newLandscape(t)
	recorded := account.Record{Name: "blue", GlobalAccount: "ga-1", Pool: "aws", ClaimedAt: time.Now().Add(-time.Hour).Truncate(time.Second),
		Details: account.Details{
			Owner: "team \"${a}\" %{b} \\", ClusterName: "c1", Lease: "720h", ReleaseMode: account.MarkDirty,
			Request: account.Request{Plan: "aws", PlatformRegion: "cf-us10"},
		}}
	quarantined := map[string]string{account.QuarantineAnnotation: "misuse \"${1}\"\nof all"}
	l.Accounts(t,
		testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Tenant: "ga-1", Annotations: l.claimed(t, recorded)},
		testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws", Tenant: "ga-1"},
		testbed.AccountSpec{Name: "aws-3", HyperscalerType: "aws", Tenant: "ga-1"},
		testbed.AccountSpec{Name: "aws-4", HyperscalerType: "aws", Labels: map[string]string{"team": "a", "example.com/stage": ""}},
		testbed.AccountSpec{Name: "aws-5", HyperscalerType: "aws", Labels: map[string]string{"dirty": "quarantine"}, Annotations: quarantined},
		testbed.AccountSpec{Name: "aws-6", HyperscalerType: "aws", Tenant: "ga-1", Dirty: true},
		testbed.AccountSpec{Name: "1.gcp", HyperscalerType: "gcp_cf-sa30", Tenant: "ga-2"},
		testbed.AccountSpec{Name: "azure-eu", HyperscalerType: "azure", EUAccess: true, Tenant: "ga-2"},
		testbed.AccountSpec{Name: "trial", HyperscalerType: "aws", Shared: true},
		testbed.AccountSpec{Name: "internal", HyperscalerType: "aws", Internal: true})
	c := l.folder(t)
	l.importConfig(t, c, "")
	l.takenOver(t, c, 10+5)
	got := l.recorded(t, "aws-1", "blue")
	want := recorded.Details
	want.ReleaseMode = account.Keep
	if got == nil || got.Details != want || !got.ClaimedAt.Equal(recorded.ClaimedAt) {
		t.Errorf("blue is recorded as %+v, want %+v", got, want)
	}
	for account, plan := range map[string]account.Request{
		"aws-2": {Plan: "aws"}, "1.gcp": {Plan: "gcp", PlatformRegion: "cf-sa30"}, "azure-eu": {Plan: "azure"},
	} {
		if r := l.recorded(t, account, account); r == nil || r.Request != plan {
			t.Errorf("the claim on %s is recorded as %+v, want %+v", account, r, plan)
		}
	}
	if dirty := l.GetAccount(t, "aws-6"); l.records(t, "aws-6") != 0 || dirty.Labels["dirty"] != "true" {
		t.Errorf("aws-6, which waits for the clean-up job: %v", dirty.Labels)
	}
	// A part, by rules that are given.
	part := l.folder(t)
	text := l.importConfig(t, part, `global_account = "ga-2"
		rule_set = { rules = ["gcp(PR=cf-sa30)", "azure(euAccess=*)"], eu_access_platform_regions = ["cf-eu11"] }`)
	l.takenOver(t, part, 2+2)
	if !strings.Contains(text, `rules                      = ["gcp(PR=cf-sa30)", "azure(euAccess=*)"]`) || strings.Contains(text, "ga-1") {
		t.Errorf("the configuration of ga-2 is\n%s", text)
	}
}

// Claims that no rule leads to any more are taken over with all others: with the request that is recorded, or an empty one.
func TestAccPoolStatusImportConfig_rulesAreGone(t *testing.T) {
	t.Parallel()
	l := newLandscape(t)
	record := func(name string, request account.Request) account.Record {
		return account.Record{Name: name, GlobalAccount: "ga-1", Pool: "aws", ClaimedAt: time.Now().Add(-time.Hour).Truncate(time.Second),
			Details: account.Details{Owner: "team", ReleaseMode: account.MarkDirty, Request: request}}
	}
	asked := account.Request{Plan: "odd (plan", PlatformRegion: "cf-us10", HyperscalerRegion: "us-east-1", Hyperscaler: "aws"}
	l.Accounts(t,
		testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Tenant: "ga-1", Annotations: l.claimed(t, record("asked", asked))},
		testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws", Tenant: "ga-1", Annotations: l.claimed(t, record("silent", account.Request{}))},
		testbed.AccountSpec{Name: "aws-3", HyperscalerType: "aws", Tenant: "ga-1"})
	given := l.folder(t)
	l.importConfig(t, given, `rule_set = { rules = ["gcp"] }`)
	l.takenOver(t, given, 3+3)
	for accountName, want := range map[string]account.Record{
		"aws-1": record("asked", asked), "aws-2": record("silent", account.Request{}), "aws-3": record("aws-3", account.Request{}),
	} {
		got := l.recorded(t, accountName, want.Name)
		if got == nil || got.Request != want.Request || got.ReleaseMode != account.Keep {
			t.Errorf("the claim on %s is recorded as %+v, want the request %+v", accountName, got, want.Request)
		}
	}
	// The rules that are made of the claims lead to all but the first.
	made := l.folder(t)
	l.importConfig(t, made, "")
	l.takenOver(t, made, 3+3)
}

// Older landscapes are taken over as they are: accounts that are SecretBindings or Secrets, under the keys of their labels.
func TestAccPoolStatusImportConfig_olderLandscapes(t *testing.T) {
	t.Parallel()
	for name, kind := range map[string]string{"SecretBindings": testbed.SecretBinding, "Secrets": testbed.Secret} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newOlderLandscape(t, kind, labellings["own"],
				testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"},
				testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws", Tenant: "ga-2"},
				testbed.AccountSpec{Name: "aws-all", HyperscalerType: "aws", Shared: true})
			before := l.ownLabels(t, "aws-2")
			c := l.folder(t)
			l.importConfig(t, c, "", l.block)
			l.takenOver(t, c, 3+1)
			if after := l.ownLabels(t, "aws-2"); !maps.Equal(after, before) || l.recordsOn(t, "aws-2") != 1 {
				t.Errorf("aws-2 has the labels %v (before: %v) and %d records", after, before, l.recordsOn(t, "aws-2"))
			}
			for _, free := range []string{"aws-1", "aws-all"} {
				if n := l.recordsOn(t, free); n != 0 {
					t.Errorf("%s has %d records", free, n)
				}
			}
		})
	}
}

// A janitor: the claims of dead pipelines are told with their owner, taken over and destroyed. Others stay.
func TestAccPoolStatusImportConfig_janitor(t *testing.T) {
	t.Parallel()
	l := newLandscape(t)
	record := func(name string, lease account.Lease, owner string) account.Record {
		return account.Record{Name: name, GlobalAccount: "ga-1", Pool: "aws", ClaimedAt: time.Now().Add(-2 * time.Hour), Details: account.Details{
			Owner: owner, Lease: lease, Request: account.Request{Plan: "aws"}}}
	}
	l.Accounts(t,
		testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Tenant: "ga-1", Annotations: l.claimed(t, record("dead", "1h", "pipeline-7"))},
		testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws", Tenant: "ga-1", Annotations: l.claimed(t, record("alive", "3h", "pipeline-8"))},
		testbed.AccountSpec{Name: "aws-3", HyperscalerType: "aws", Tenant: "ga-1"})
	c := l.folder(t)
	text := l.importConfig(t, c, "expired_claims = true")
	if strings.Count(text, "resource ") != 1 || !strings.Contains(text, `owner          = "pipeline-7"`) {
		t.Errorf("the configuration of the expired claims is\n%s", text)
	}
	l.takenOver(t, c, 1)
	run(t, c, "destroy", "-auto-approve")
	for account, want := range map[string]string{"aws-1": "true 0", "aws-2": " 1", "aws-3": " 0"} {
		if got := fmt.Sprintf("%s %d", l.GetAccount(t, account).Labels["dirty"], l.records(t, account)); got != want {
			t.Errorf("%s has the label dirty and records %q, want %q", account, got, want)
		}
	}
}

// A pool of a hundred accounts, every tenth of them held, is taken over in one apply; with HAP_WHOLE=1, as in make test-all, one of a
// thousand.
func TestAccPoolStatusImportConfig_large(t *testing.T) {
	t.Parallel()
	l := newLandscape(t)
	c := l.folder(t)
	if !atLeast(t, c, 0, never) {
		t.Skip("OpenTofu alone: Terraform has a query")
	}
	accounts := 100
	if os.Getenv(wholeVariable) != "" {
		accounts = 1000
	}
	var specs []testbed.AccountSpec
	for i := range accounts {
		spec := testbed.AccountSpec{Name: fmt.Sprintf("aws-%04d", i), HyperscalerType: "aws"}
		if i%10 == 0 {
			spec.Tenant = fmt.Sprintf("ga-%d", i%200)
		}
		specs = append(specs, spec)
	}
	l.Accounts(t, specs...)
	text := l.importConfig(t, c, "")
	began := time.Now()
	l.takenOver(t, c, accounts+accounts/10)
	t.Logf("taken over and planned again in %s; the configuration has %d kB", time.Since(began).Round(time.Second), len(text)/1000)
	if _, err := os.Stat(filepath.Join(c.Folder, "terraform.tfstate")); err != nil {
		t.Error(err)
	}
}
