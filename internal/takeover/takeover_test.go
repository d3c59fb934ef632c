package takeover

import (
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/hap-project/terraform-provider-hap/internal/overview"
	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

var update = flag.Bool("update", false, "write the golden files anew")

var today = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

const namespace = "garden-hap"

// survey returns the overview of these accounts, whose objects have a provider type each.
func survey(of overview.Filter, accounts ...account.Account) overview.Overview {
	var facts overview.Facts
	pointers := make([]*account.Account, len(accounts))
	for i := range accounts {
		a := &accounts[i]
		a.UID = a.Name
		pointers[i] = a
		object := account.Object{Account: *a, Typed: true}
		object.Credentials = &account.Credentials{
			ProviderType: a.Target().Hyperscaler(), Ref: account.CredentialsRef{APIVersion: "v1", Kind: "Secret", Namespace: namespace, Name: a.Name + "-key"},
		}
		facts.Objects = append(facts.Objects, object)
	}
	policy := account.Policy{AllowedGlobalAccounts: []string{"*"}, Limits: map[string]int{account.DefaultLimit: 10}}
	return overview.Survey(pool.Inventory{Namespace: namespace, Accounts: pointers, Policy: policy}, facts, of, today)
}

// config is the text alone, with the claims that are recorded.
func config(o overview.Overview, by ...Terms) string {
	terms := append(by, Terms{})[0]
	terms.Recorded = true
	text, _ := Config(o, terms)
	return text
}

// bearing returns the records of claims by their keys.
func bearing(records ...account.Record) map[string]account.Record {
	all := map[string]account.Record{}
	for _, r := range records {
		r.ClaimedAt = today.Add(-48 * time.Hour)
		all[r.Identity(namespace).Key()] = r
	}
	return all
}

func record(ga, pools, name string, details account.Details) account.Record {
	return account.Record{Name: name, GlobalAccount: ga, Pool: pools, Details: details}
}

func plan(plan, platformRegion string) account.Request {
	return account.Request{Plan: plan, PlatformRegion: platformRegion}
}

// landscape is a pool in which everything occurs.
func landscape() []account.Account {
	return []account.Account{
		{Name: "aws-1", HyperscalerType: "aws", Tenant: "ga-1", Records: bearing(
			record("ga-1", "aws", "blue", account.Details{Request: plan("aws", "cf-us10"), Owner: `team "a" ${x}`, Lease: "24h", ClusterName: "c1"}),
			record("ga-1", "aws", "red", account.Details{Request: plan("preview", ""), Lease: "720h", ReleaseMode: account.ReturnToPool}),
			record("ga-1", "aws", "old", account.Details{Request: plan("aws", ""), Lease: "1h", ReleaseMode: account.Keep}),
		)},
		{Name: "aws-2", HyperscalerType: "aws", Tenant: "ga-1"}, // the broker's
		{Name: "aws-3", HyperscalerType: "aws", Internal: true, Labels: map[string]string{"team": "a", "example.com/x": "%{if}", "tenant-name": "ga-9"},
			Misread: []account.Misread{{Key: "tenant-name", Value: "ga-9", Says: account.ClassHeld, Others: true}}}, // a configuration never writes it
		{Name: "aws-4", HyperscalerType: "aws", Tenant: "ga-2", Dirty: account.Dirtied},
		{Name: "aws-5", HyperscalerType: "aws", Dirty: account.Quarantined, Quarantine: "misuse\nof all"},
		{Name: "aws-6", HyperscalerType: "aws", Terminating: true},
		{Name: "eu.1", HyperscalerType: "aws_cf-eu11", EUAccess: true, Tenant: "ga-2", Records: bearing(
			record("ga-2", "aws_cf-eu11,euAccess", "default", account.Details{Request: plan("aws", "cf-eu11"), Lease: "47h"}))},
		{Name: "1gcp", HyperscalerType: "gcp_cf-sa30", Tenant: "ga-2"},
		{Name: "trial", HyperscalerType: "aws", Shared: true},
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s is not up to date (go test ./internal/takeover -update); got:\n%s", path, got)
	}
	if _, diags := hclsyntax.ParseConfig([]byte(got), name, hcl.InitialPos); diags.HasErrors() {
		t.Errorf("%s: %v", name, diags)
	}
}

func TestConfig(t *testing.T) {
	t.Parallel()
	accounts := landscape()
	text := config(survey(overview.Filter{}, accounts...))
	golden(t, "all.tf", text)
	slices.Reverse(accounts)
	if again := config(survey(overview.Filter{}, accounts...)); again != text {
		t.Errorf("the order of the accounts matters:\n%s", again)
	}
}

func TestConfigOfAPart(t *testing.T) {
	t.Parallel()
	of := overview.Filter{HyperscalerType: "aws", GlobalAccount: "ga-1"}
	text := config(survey(of, landscape()...))
	got := regexp.MustCompile(`(?m)^  id = .*$`).FindAllString(text, -1)
	want := []string{
		`  id = "aws-1"`, `  id = "aws-2"`, `  id = "ga-1/aws-1/blue"`, `  id = "ga-1/aws-1/old"`, `  id = "ga-1/aws-1/red"`,
		`  id = "ga-1/aws-2/aws-2"`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A janitor gets the expired claims and nothing else. They end as they were recorded to end.
func TestConfigOfExpiredClaims(t *testing.T) {
	t.Parallel()
	golden(t, "expired.tf", config(survey(overview.Filter{ExpiredClaims: true}, landscape()...)))
	if text := config(survey(overview.Filter{ExpiredClaims: true}, account.Account{Name: "a", HyperscalerType: "aws"})); text != "" {
		t.Errorf("nothing is expired, and the configuration is %q", text)
	}
}

// With a rule set the claims go by it, each with a request that leads to its pool.
func TestConfigByARuleSet(t *testing.T) {
	t.Parallel()
	source := rules.Source{
		Entries: []string{"aws", "aws(PR=cf-eu11,euAccess)", "gcp(PR=*)"}, EUAccessPlatformRegions: []string{"cf-eu11"},
		RequiredPlans: []string{"aws"}, Plans: rules.Plans{"aws": {"aws"}, "gcp": {"gcp"}},
	}
	set, problems := rules.Compile(source)
	if set == nil {
		t.Fatal(problems)
	}
	golden(t, "by-rules.tf", config(survey(overview.Filter{}, landscape()...), Terms{Rules: set, Source: source}))
}

// The rules that are made lead each claim to the pool of its account.
func TestMadeRulesLeadWhereTheClaimsAre(t *testing.T) {
	t.Parallel()
	var claims []claim
	for _, c := range []struct {
		request rules.Request
		target  account.Target
	}{
		{rules.Request{Plan: "aws", PlatformRegion: "cf-us10"}, account.Target{HyperscalerType: "aws"}},
		{rules.Request{Plan: "aws", PlatformRegion: "cf-eu11"}, account.Target{HyperscalerType: "aws_cf-eu11", EUAccess: true}},
		{rules.Request{Plan: "aws"}, account.Target{HyperscalerType: "aws"}},
		{rules.Request{Plan: "aws", PlatformRegion: "cf-us10", HyperscalerRegion: "us-east-1"}, account.Target{HyperscalerType: "aws_us-east-1"}},
		{rules.Request{Plan: "gcp", PlatformRegion: "a", HyperscalerRegion: "b"}, account.Target{HyperscalerType: "gcp_a_b"}},
		{rules.Request{Plan: "trial", Hyperscaler: "aws"}, account.Target{HyperscalerType: "aws"}},
		{rules.Request{Plan: "trial", Hyperscaler: "azure"}, account.Target{HyperscalerType: "azure"}},
		{rules.Request{Plan: "our-own"}, account.Target{HyperscalerType: "cloud9"}},
		{rules.Request{}, account.Target{HyperscalerType: "openstack_eu-de-1"}},
		{rules.Request{}, account.Target{HyperscalerType: "azure", EUAccess: true}},
	} {
		claims = append(claims, claim{request: c.request, target: c.target})
	}
	set, source := made(claims)
	if set == nil {
		t.Fatalf("no rules are made: %+v", source)
	}
	for _, c := range claims {
		r := c.request
		if r.Plan == "" {
			r, _ = set.RequestFor(c.target)
		}
		m, err := set.Match(r)
		if err != nil || m.Target() != c.target {
			t.Errorf("%+v leads to %v (%v), want %v; rules %q", r, m, err, c.target, source.Entries)
		}
	}
}

// A valid claim is taken over whether a rule leads to it or not: the one that is recorded with its request, the one without,
// and what is held without a claim.
func TestConfigOfClaimsWithoutARule(t *testing.T) {
	t.Parallel()
	odd := account.Request{Plan: "odd (plan", PlatformRegion: "x"}
	o := survey(overview.Filter{},
		account.Account{Name: "a", HyperscalerType: "aws", Tenant: "ga-1", Records: bearing(
			record("ga-1", "aws", "asked", account.Details{Request: odd, Owner: "team"}), record("ga-1", "aws", "silent", account.Details{}))},
		account.Account{Name: "b", HyperscalerType: "aws", Tenant: "ga-1"})
	given := rules.Source{Entries: []string{"gcp"}}
	set, _ := rules.Compile(given)
	golden(t, "without-rules.tf", config(o, Terms{Rules: set, Source: given}))
	// Where no rules can be made of the claims there are rules all the same.
	o = survey(overview.Filter{}, account.Account{Name: "a", HyperscalerType: "aws", Tenant: "ga-1",
		Records: bearing(record("ga-1", "aws", "asked", account.Details{Request: odd}))})
	text := config(o)
	for _, want := range []string{`rules = ["aws"]`, `id = "ga-1/a/asked"`, `= "odd (plan"`, "# No rule leads the request of claim ga-1/a/asked"} {
		if strings.Count(text, want) != 1 {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestLeftOut(t *testing.T) {
	t.Parallel()
	same := record("ga-1", "aws", "blue", account.Details{Request: plan("aws", "")})
	o := survey(overview.Filter{}, account.Account{Name: "a", HyperscalerType: "aws", Tenant: "ga-1", Records: bearing(same)},
		account.Account{Name: "b", HyperscalerType: "aws", Tenant: "ga-1", Records: bearing(same)}, account.Account{Name: "c"})
	o.Accounts[0].Credentials = nil
	text := config(o)
	for _, want := range []string{
		"# Account a has changed while it was read.\n", "# Account c has no hyperscaler type.\n",
		"# Claim ga-1/b/blue is left out: another account bears the same claim.\n", `id = "ga-1/a/blue"`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// What hap_account rejects is never written: a comment names the account and says why.
func TestWhatCannotBeConfigured(t *testing.T) {
	t.Parallel()
	reason := func(n int) func(*account.Account) {
		return func(a *account.Account) { a.Dirty, a.Quarantine = account.Quarantined, strings.Repeat("x", n) }
	}
	kind := func(kind string) func(*overview.Account) {
		return func(a *overview.Account) { a.Credentials.Ref.Kind = kind }
	}
	for name, test := range map[string]struct {
		account func(*account.Account)
		object  func(*overview.Account)
		why     string // "" = it is written
	}{
		"a Secret":           {nil, kind("Secret"), ""},
		"a WorkloadIdentity": {nil, kind("WorkloadIdentity"), ""},
		"an InternalSecret":  {nil, kind("InternalSecret"), "has credentials of kind InternalSecret, which hap_account does not take"},
		"a reason":           {reason(account.MaxReason), nil, ""},
		"a reason too long":  {reason(account.MaxReason + 1), nil, "is quarantined for a reason of more than 1024 bytes, which hap_account does not take"},
		"its label is gone":  {func(a *account.Account) { a.Quarantine = strings.Repeat("x", 2000) }, nil, ""},
	} {
		a := account.Account{Name: "a", HyperscalerType: "aws"}
		if test.account != nil {
			test.account(&a)
		}
		o := survey(overview.Filter{}, a)
		if test.object != nil {
			test.object(&o.Accounts[0])
		}
		text := config(o)
		if written := strings.Contains(text, `resource "hap_account"`) && strings.Contains(text, "import {"); written != (test.why == "") {
			t.Errorf("%s: written is %t:\n%s", name, written, text)
		}
		if test.why != "" && text != "# Account a "+test.why+".\n\n" {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// The quotas of an account are written with it, in one order.
func TestQuotasAreWritten(t *testing.T) {
	t.Parallel()
	o := survey(overview.Filter{}, account.Account{Name: "a", HyperscalerType: "aws"})
	o.Accounts[0].Credentials.Quotas = []account.QuotaRef{{Namespace: "garden", Name: "two"}, {Namespace: "garden", Name: "one"}}
	want := `  quotas           = [{ namespace = "garden", name = "one" }, { namespace = "garden", name = "two" }]`
	if text := config(o); !strings.Contains(text, want+"\n") {
		t.Errorf("no %s in\n%s", want, text)
	}
}

// An object that does not say its provider type is taken over with the one that its pool is named by, also a SecretBinding whose
// Secret has another name.
func TestProviderTypeThatIsNotNoted(t *testing.T) {
	t.Parallel()
	o := survey(overview.Filter{}, account.Account{Name: "a", HyperscalerType: "gcp_cf-sa30"})
	o.Accounts[0].Credentials.ProviderType = ""
	if text := config(o); !strings.Contains(text, `  provider_type    = "gcp"`) {
		t.Errorf("got\n%s", text)
	}
}

// A text is the same text in the configuration, whatever is in it.
func TestQuoted(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "plain", `"`, `\`, `\"`, "${x}", "%{ if }", "$${x}", "$", "%", "a$", "${", "%%{", "$\n{", "two\nlines\r\n\ttab", "\x00\x1b[31m",
		"ünïcode 世界 \U0001F600", "\u2028", "\U000E0001", "#{x}", "<<EOT",
	} {
		expression, diags := hclsyntax.ParseExpression([]byte(quoted(text)), "", hcl.InitialPos)
		if diags.HasErrors() {
			t.Errorf("%q as %s: %v", text, quoted(text), diags)
			continue
		}
		value, diags := expression.Value(nil)
		if diags.HasErrors() || value.AsString() != text {
			t.Errorf("%q as %s: %#v, %v", text, quoted(text), value, diags)
		}
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	n := names{}
	var got []string
	for _, parts := range [][]string{{"aws-1", "blue"}, {"aws-1_blue"}, {"1"}, {"-a"}, {"a.b", "ü x"}, {""}, {"a_b", "__x"}} {
		got = append(got, n.of(parts...))
	}
	want := []string{"aws-1_blue", "aws-1_blue_2", "_1", "_-a", "a_b___x", "_", "a_b___x_2"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Ten thousand accounts are no work.
func TestConfigOfALargePool(t *testing.T) {
	t.Parallel()
	accounts := make([]account.Account, 10_000)
	for i := range accounts {
		name := "a" + strings.Repeat("x", i%3) + string(rune('a'+i%26)) + time.Duration(i).String()
		accounts[i] = account.Account{Name: name, HyperscalerType: "aws", Tenant: "ga-1"}
	}
	began := time.Now()
	text := config(survey(overview.Filter{}, accounts...))
	if n := strings.Count(text, "\nimport {"); n != 20_000 || time.Since(began) > time.Minute {
		t.Errorf("%d imports in %s", n, time.Since(began))
	}
}

// What an import would not find, or a configuration could not say, is named in a comment: one such account must not cost all others.
// A claim that is recorded is in the state of the configuration that has made it: its blocks come where they are asked for, and where a
// janitor asks for what has expired.
func TestConfig_recordedClaims(t *testing.T) {
	t.Parallel()
	accounts := landscape()
	text, decisions := Config(survey(overview.Filter{}, accounts...), Terms{})
	for name, want := range map[string]bool{"aws-1_blue": false, "aws-1_red": false, "eu_1_default": false, "aws-2_held": true, "_1gcp_held": true} {
		if is := strings.Contains(text, `"`+claimType+`" "`+name+`"`); is != want {
			t.Errorf("claim %s is written: %t, want %t", name, is, want)
		}
	}
	for _, want := range []string{
		`Claim ga-1/aws-1/blue is left out: it is recorded for owner "team \"a\" $${x}", so a configuration has made it.`,
		"Claim ga-2/eu.1/default is left out: it is recorded, so a configuration has made it.", "recorded_claims = true",
	} {
		if !strings.Contains(strings.Join(strings.Fields(strings.ReplaceAll(text, "\n#", "")), " "), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	for _, d := range decisions { // it is nothing to decide in each run of a pipeline
		if d.Kind == KindLeftOut && d.Account != "aws-6" {
			t.Errorf("a decision about %s: %s", d.Account, d.Found)
		}
	}
	if !strings.Contains(text, `resource "hap_account" "aws-1"`) {
		t.Error("the account of the recorded claims is not written")
	}
	if janitor, _ := Config(survey(overview.Filter{ExpiredClaims: true}, accounts...), Terms{}); !strings.Contains(janitor, `"aws-1_old"`) {
		t.Errorf("no expired claim in\n%s", janitor)
	}
}

func TestConfigLeavesOutWhatCannotBeTakenOver(t *testing.T) {
	t.Parallel()
	copied := record("ga-1", "aws", "copied", account.Details{Request: plan("aws", "")})
	moved := func(pools string) map[string]account.Record {
		return bearing(record("ga-1", pools, "default", account.Details{Request: plan("aws", "")}))
	}
	text := config(survey(overview.Filter{},
		account.Account{Name: "a", HyperscalerType: "aws", Tenant: "ga-1",
			Records: map[string]account.Record{account.AnnotationPrefix + "of-another-namespace": copied}},
		account.Account{Name: "b", HyperscalerType: "aws", Tenant: "ga-1", Records: moved("aws")},
		account.Account{Name: "c", HyperscalerType: "aws", Tenant: "ga-1", Records: moved("gcp")}, // relabelled since
		account.Account{Name: "s", HyperscalerType: "aws", Shared: true, Dirty: account.Quarantined, Quarantine: "why"},
	))
	for _, want := range []string{
		"# Claim ga-1/a/copied is left out: its record lies under a key that is not its own.\n",
		"# Account s is shared and quarantined, which cannot be configured together.\n", `id = "ga-1/b/default"`, `id = "ga-1/c/default"`, `id = "a"`,
	} {
		if strings.Count(text, want) != 1 {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	for _, wrong := range []string{`id = "ga-1/a/copied"`, `id = "s"`, "another account bears"} {
		if strings.Contains(text, wrong) {
			t.Errorf("%q in\n%s", wrong, text)
		}
	}
}

// What the resource of a claim refuses is never written: a comment says what is left out, and why.
func TestConfigOfOddRecords(t *testing.T) {
	t.Parallel()
	const block, left = `resource "hap_credentials_binding_claim"`, " is left out: "
	long := strings.Repeat("ü", account.MaxOwner)
	for name, test := range map[string]struct {
		record        account.Record
		written, said string // "" = nothing is said
	}{
		"a lease":                  {record("ga-1", "aws", "x", account.Details{Lease: "720h"}), `lease          = "720h"`, ""},
		"the longest lease":        {record("ga-1", "aws", "x", account.Details{Lease: "87600h"}), `lease          = "87600h"`, ""},
		"a lease of days":          {record("ga-1", "aws", "x", account.Details{Lease: "30 days"}), block, `lease of claim ga-1/a/x is left out: "30 days" is no`},
		"a lease of nothing":       {record("ga-1", "aws", "x", account.Details{Lease: "0s"}), block, `"0s" is no duration from 1s to 87600h`},
		"a lease below zero":       {record("ga-1", "aws", "x", account.Details{Lease: "-1h"}), block, `"-1h" is no duration`},
		"a lease too long":         {record("ga-1", "aws", "x", account.Details{Lease: "87601h"}), block, `"87601h" is no duration`},
		"a lease of several lines": {record("ga-1", "aws", "x", account.Details{Lease: "1h\n}\nresource \"a\" \"b\" {"}), block, `"1h\n}\nresource \"a\" \"b\" {" is no duration`},
		"a lease without end":      {record("ga-1", "aws", "x", account.Details{Lease: account.Lease(long)}), block, strings.Repeat("ü", 100) + `…" is no duration`},
		"an owner":                 {record("ga-1", "aws", "x", account.Details{Owner: long[:account.MaxOwner]}), `owner          = "ü`, ""},
		"an owner too long":        {record("ga-1", "aws", "x", account.Details{Owner: long}), block, "owner of claim ga-1/a/x" + left + "it has more than 1024 bytes"},
		"a name with a slash":      {record("ga-1", "aws", "x/y", account.Details{}), "", "Claim ga-1/a/x/y" + left + "hap_credentials_binding_claim does not take its name"},
		"a name of two lines":      {record("ga-1", "aws", "x\ny", account.Details{}), "", "Claim ga-1/a/x y" + left},
		"no name":                  {record("ga-1", "aws", "", account.Details{}), "", "Claim ga-1/a/" + left},
		"a name too long":          {record("ga-1", "aws", strings.Repeat("x", account.MaxClaimName+1), account.Details{}), "", "a name has 1 to 253 bytes"},
	} {
		text := config(survey(overview.Filter{}, account.Account{Name: "a", HyperscalerType: "aws", Tenant: "ga-1", Records: bearing(test.record)}))
		if test.written == "" && strings.Contains(text, block) || !strings.Contains(text, test.written) {
			t.Errorf("%s: want %q in\n%s", name, test.written, text)
		}
		if strings.Contains(text, left) != (test.said != "") || !strings.Contains(text, test.said) {
			t.Errorf("%s: want the comment %q in\n%s", name, test.said, text)
		}
		if test.said != "" && test.written != "" && regexp.MustCompile(`(?m)^  (lease|owner) `).MatchString(text) {
			t.Errorf("%s: it is written in\n%s", name, text)
		}
		if _, diags := hclsyntax.ParseConfig([]byte(text), name, hcl.InitialPos); diags.HasErrors() {
			t.Errorf("%s: %v in\n%s", name, diags, text)
		}
	}
}

// Everything that is recorded of a claim beside its identity comes into the configuration: an attribute that is forgotten here would be
// taken off the account by the first apply.
func TestClaimHasEveryRecordedDetail(t *testing.T) {
	t.Parallel()
	var details account.Details
	fields := reflect.ValueOf(&details).Elem()
	var wanted []string
	for i := range fields.NumField() {
		if fields.Field(i).Kind() == reflect.String {
			value := "the-" + fields.Type().Field(i).Name
			if fields.Type().Field(i).Name == "Lease" { // any other text is no lease
				value = "25h"
			}
			wanted = append(wanted, value)
			fields.Field(i).SetString(value)
		}
	}
	var text strings.Builder
	c := claim{globalAccount: "ga-1", account: "aws-1", name: "blue", request: rules.Request{Plan: "aws"}, details: details, onDestroy: details.ReleaseMode}
	set, _ := rules.Compile(rules.Source{Entries: []string{"aws"}})
	w := writer{by: Terms{Rules: set, RuleSet: localRuleSet}, used: map[string]names{claimType: {}}, written: map[string][]string{}}
	w.claim(c)
	text.WriteString(w.text.String())
	for _, value := range wanted {
		if !strings.Contains(text.String(), `"`+value+`"`) {
			t.Errorf("%s is missing in\n%s", value, text.String())
		}
	}
	if len(wanted) < 4 {
		t.Errorf("only %q were looked for", wanted)
	}
}
