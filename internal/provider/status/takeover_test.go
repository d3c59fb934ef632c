package status_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
)

// withRecorded has import_config write the claims that are recorded, too.
const withRecorded = "import_options = { recorded_claims = true }"

// claimed is the annotation of a claim under its own key.
func claimed(t *testing.T, l acceptance.Landscape, record account.Record) map[string]string {
	t.Helper()
	record.Version = account.RecordVersion
	text, err := json.Marshal(record)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]string{record.Identity(l.Name).Key(): string(text)}
}

// A landscape that exists is taken over: every account, and every claim under its own name. Accounts that the broker has claimed
// get a claim each.
func TestAccPoolStatusImportConfig(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t)
	recorded := account.Record{Name: "blue", GlobalAccount: "ga-1", Pool: "aws", ClaimedAt: time.Now().Add(-time.Hour).Truncate(time.Second),
		Details: account.Details{
			Owner: "team \"${a}\" %{b} \\", ClusterName: "c1", Lease: "720h", ReleaseMode: account.MarkDirty,
			Request: account.Request{Plan: "aws", PlatformRegion: "cf-us10"},
		}}
	quarantined := map[string]string{account.QuarantineAnnotation: "misuse \"${1}\"\nof all"}
	l.Accounts(t,
		testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Tenant: "ga-1", Annotations: claimed(t, l, recorded)},
		testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws", Tenant: "ga-1"},
		testbed.AccountSpec{Name: "aws-3", HyperscalerType: "aws", Tenant: "ga-1"},
		testbed.AccountSpec{Name: "aws-4", HyperscalerType: "aws", Labels: map[string]string{"team": "a", "example.com/stage": ""}},
		testbed.AccountSpec{Name: "aws-5", HyperscalerType: "aws", Labels: map[string]string{"dirty": "quarantine"}, Annotations: quarantined},
		testbed.AccountSpec{Name: "aws-6", HyperscalerType: "aws", Tenant: "ga-1", Dirty: true},
		testbed.AccountSpec{Name: "1.gcp", HyperscalerType: "gcp_cf-sa30", Tenant: "ga-2"},
		testbed.AccountSpec{Name: "azure-eu", HyperscalerType: "azure", EUAccess: true, Tenant: "ga-2"},
		testbed.AccountSpec{Name: "trial", HyperscalerType: "aws", Shared: true},
		testbed.AccountSpec{Name: "internal", HyperscalerType: "aws", Internal: true})
	before := l.Recorded(t, "aws-1", "blue")
	beside := l.Folder(t)
	l.ImportConfig(t, beside, "")
	l.TakenOver(t, beside, 10+4)
	if now := l.Recorded(t, "aws-1", "blue"); !reflect.DeepEqual(now, before) {
		t.Errorf("the claim of another configuration is recorded as %+v, and was %+v", now, before)
	}
	c := l.Folder(t)
	l.ImportConfig(t, c, withRecorded)
	l.TakenOver(t, c, 10+5)
	got := l.Recorded(t, "aws-1", "blue")
	want := recorded.Details
	want.ReleaseMode = account.Keep
	if got == nil || got.Details != want || !got.ClaimedAt.Equal(recorded.ClaimedAt) {
		t.Errorf("blue is recorded as %+v, want %+v", got, want)
	}
	for account, plan := range map[string]account.Request{
		"aws-2": {Plan: "aws"}, "1.gcp": {Plan: "gcp", PlatformRegion: "cf-sa30"}, "azure-eu": {Plan: "azure", PlatformRegion: "cf-eu11"},
	} {
		if r := l.Recorded(t, account, account); r == nil || r.Request != plan {
			t.Errorf("the claim on %s is recorded as %+v, want %+v", account, r, plan)
		}
	}
	if dirty := l.GetAccount(t, "aws-6"); l.Records(t, "aws-6") != 0 || dirty.Labels["dirty"] != "true" {
		t.Errorf("aws-6, which waits for the clean-up job: %v", dirty.Labels)
	}
	// A part, by rules that are given.
	part := l.Folder(t)
	text := l.ImportConfig(t, part, withRecorded+`
		global_account = "ga-2"
		rule_set = { rules = ["gcp(PR=cf-sa30)", "azure(euAccess=*)"], eu_access_platform_regions = ["cf-eu11"] }`)
	l.TakenOver(t, part, 2+2)
	if !strings.Contains(text, `rules                      = ["gcp(PR=cf-sa30)", "azure(euAccess=*)"]`) || strings.Contains(text, "ga-1") {
		t.Errorf("the configuration of ga-2 is\n%s", text)
	}
}

// Claims that no rule leads to any more are taken over with all others: with the request that is recorded, or an empty one.
func TestAccPoolStatusImportConfig_rulesAreGone(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t)
	record := func(name string, request account.Request) account.Record {
		return account.Record{Name: name, GlobalAccount: "ga-1", Pool: "aws", ClaimedAt: time.Now().Add(-time.Hour).Truncate(time.Second),
			Details: account.Details{Owner: "team", ReleaseMode: account.MarkDirty, Request: request}}
	}
	asked := account.Request{Plan: "odd (plan", PlatformRegion: "cf-us10", HyperscalerRegion: "us-east-1", Hyperscaler: "aws"}
	l.Accounts(t,
		testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Tenant: "ga-1", Annotations: claimed(t, l, record("asked", asked))},
		testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws", Tenant: "ga-1", Annotations: claimed(t, l, record("silent", account.Request{}))},
		testbed.AccountSpec{Name: "aws-3", HyperscalerType: "aws", Tenant: "ga-1"})
	given := l.Folder(t)
	l.ImportConfig(t, given, withRecorded+"\nrule_set = { rules = [\"gcp\"] }")
	l.TakenOver(t, given, 3+3)
	for accountName, want := range map[string]account.Record{
		"aws-1": record("asked", asked), "aws-2": record("silent", account.Request{}), "aws-3": record("aws-3", account.Request{}),
	} {
		got := l.Recorded(t, accountName, want.Name)
		if got == nil || got.Request != want.Request || got.ReleaseMode != account.Keep {
			t.Errorf("the claim on %s is recorded as %+v, want the request %+v", accountName, got, want.Request)
		}
	}
	// The rules that are made of the claims lead to all but the first.
	made := l.Folder(t)
	l.ImportConfig(t, made, withRecorded)
	l.TakenOver(t, made, 3+3)
}

// Records that say what the resource does not take cost neither the configuration nor their claims: such a lease or owner is left out, and
// the first apply takes it off the record. A claim whose name the resource does not take stays as it is.
func TestAccPoolStatusImportConfig_oddRecords(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t)
	records := map[string]string{}
	add := func(name, owner string, lease account.Lease) {
		maps.Copy(records, claimed(t, l, account.Record{Name: name, GlobalAccount: "ga-1", Pool: "aws", ClaimedAt: time.Now().Add(-time.Hour),
			Details: account.Details{Owner: owner, Lease: lease, Request: account.Request{Plan: "aws"}}}))
	}
	long := strings.Repeat("x", account.MaxOwner+1)
	add("days", "team", "30 days")
	add("zero", "team", "0s")
	add("long", long, "100000h")
	add("fine", long[1:], "87600h")
	add("a/b", "team", "720h")
	add("two\nlines", "team", "720h")
	l.Accounts(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Tenant: "ga-1", Annotations: records})
	c := l.Folder(t)
	text := l.ImportConfig(t, c, withRecorded)
	l.TakenOver(t, c, 1+4)
	for name, want := range map[string]account.Details{
		"days": {Owner: "team"}, "zero": {Owner: "team"}, "long": {}, "fine": {Owner: long[1:], Lease: "87600h"},
		"a/b": {Owner: "team", Lease: "720h"}, "two\nlines": {Owner: "team", Lease: "720h"},
	} {
		if got := l.Recorded(t, "aws-1", name); got == nil || got.Owner != want.Owner || got.Lease != want.Lease {
			t.Errorf("%s is recorded as %+v, want %+v", name, got, want)
		}
	}
	for _, want := range []string{
		`# The recorded lease of claim ga-1/aws-1/days is left out: "30 days" is no duration`, "# Claim ga-1/aws-1/a/b is left out: ",
		"# The recorded owner of claim ga-1/aws-1/long is left out: it has more than 1024 bytes.", "# Claim ga-1/aws-1/two lines is left out: ",
	} {
		if strings.Count(text, want) != 1 {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// Older landscapes are taken over as they are: accounts that are SecretBindings or Secrets, under the keys of their labels.
func TestAccPoolStatusImportConfig_olderLandscapes(t *testing.T) {
	t.Parallel()
	for name, kind := range map[string]string{"SecretBindings": testbed.SecretBinding, "Secrets": testbed.Secret} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := acceptance.NewOlderLandscape(t, kind, acceptance.Labellings["own"],
				testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"},
				testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws", Tenant: "ga-2"},
				testbed.AccountSpec{Name: "aws-all", HyperscalerType: "aws", Shared: true})
			before := l.OwnLabels(t, "aws-2")
			c := l.Folder(t)
			l.ImportConfig(t, c, "", l.Block)
			l.TakenOver(t, c, 3+1)
			if after := l.OwnLabels(t, "aws-2"); !maps.Equal(after, before) || l.RecordsOn(t, "aws-2") != 1 {
				t.Errorf("aws-2 has the labels %v (before: %v) and %d records", after, before, l.RecordsOn(t, "aws-2"))
			}
			for _, free := range []string{"aws-1", "aws-all"} {
				if n := l.RecordsOn(t, free); n != 0 {
					t.Errorf("%s has %d records", free, n)
				}
			}
		})
	}
}

// A janitor: the claims of dead pipelines are listed with their owner, taken over and destroyed. Others stay.
func TestAccPoolStatusImportConfig_janitor(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t)
	record := func(name string, lease account.Lease, owner string) account.Record {
		return account.Record{Name: name, GlobalAccount: "ga-1", Pool: "aws", ClaimedAt: time.Now().Add(-2 * time.Hour), Details: account.Details{
			Owner: owner, Lease: lease, Request: account.Request{Plan: "aws"}}}
	}
	l.Accounts(t,
		testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Tenant: "ga-1", Annotations: claimed(t, l, record("dead", "1h", "pipeline-7"))},
		testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws", Tenant: "ga-1", Annotations: claimed(t, l, record("alive", "3h", "pipeline-8"))},
		testbed.AccountSpec{Name: "aws-3", HyperscalerType: "aws", Tenant: "ga-1"})
	c := l.Folder(t)
	text := l.ImportConfig(t, c, "expired_claims = true")
	if strings.Count(text, "resource ") != 1 || !strings.Contains(text, `owner          = "pipeline-7"`) {
		t.Errorf("the configuration of the expired claims is\n%s", text)
	}
	l.TakenOver(t, c, 1)
	acceptance.Run(t, c, "destroy", "-auto-approve")
	for account, want := range map[string]string{"aws-1": "true 0", "aws-2": " 1", "aws-3": " 0"} {
		if got := fmt.Sprintf("%s %d", l.GetAccount(t, account).Labels["dirty"], l.Records(t, account)); got != want {
			t.Errorf("%s has the label dirty and records %q, want %q", account, got, want)
		}
	}
}

// A pool of a hundred accounts, every tenth of them held, is taken over in one apply; with HAP_WHOLE=1, as in make test-all, one of a
// thousand.
func TestAccPoolStatusImportConfig_large(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t)
	c := l.Folder(t)
	if !acceptance.AtLeast(t, c, 0, acceptance.Never) {
		t.Skip("OpenTofu alone: Terraform has a query")
	}
	accounts := 100
	if os.Getenv(acceptance.WholeVariable) != "" {
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
	text := l.ImportConfig(t, c, "")
	began := time.Now()
	l.TakenOver(t, c, accounts+accounts/10)
	t.Logf("taken over and planned again in %s; the configuration has %d kB", time.Since(began).Round(time.Second), len(text)/1000)
	if _, err := os.Stat(filepath.Join(c.Folder, "terraform.tfstate")); err != nil {
		t.Error(err)
	}
}
