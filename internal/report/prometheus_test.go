package report

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/hap-project/terraform-provider-hap/internal/overview"
	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

// parsed reads the metrics as Prometheus does: by family, each sample as its labels and its value.
func parsed(t *testing.T, text string) map[string][]sample {
	t.Helper()
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	samples := map[string][]sample{}
	for name, family := range families {
		if family.GetType() != dto.MetricType_GAUGE || family.GetHelp() == "" {
			t.Errorf("%s is a %s with the help %q", name, family.GetType(), family.GetHelp())
		}
		for _, metric := range family.GetMetric() {
			labels := map[string]string{}
			for _, label := range metric.GetLabel() {
				labels[label.GetName()] = label.GetValue()
			}
			samples[name] = append(samples[name], sample{labels, metric.GetGauge().GetValue()})
		}
	}
	return samples
}

type sample struct {
	labels map[string]string
	value  float64
}

// A Shoot on a free account is a cluster, though the database alone counts and has no row of it: the account is among those in use.
func TestAnAccountWithAnUncountedShootIsInUse(t *testing.T) {
	t.Parallel()
	var shoots account.Counts
	shoots.Add("aws-1", "one")
	o := survey(account.Counts{}.ByDatabase().WithBeside(shoots), overview.Filter{}, account.Account{Name: "aws-1", HyperscalerType: "aws"})
	if got := parsed(t, Prometheus(o))["keb_shoots_per_credentials_binding"]; len(got) != 1 {
		t.Errorf("metrics of accounts in use: %v", got)
	}
	if text := Markdown(o, account.SourceDatabase); !strings.Contains(text, "## Accounts in use") {
		t.Errorf("no account in use in\n%s", text)
	}
}

func TestPrometheus(t *testing.T) {
	t.Parallel()
	counts, accounts := world()
	text := Prometheus(survey(counts, overview.Filter{}, accounts...))
	shoots := func(account, globalAccount, hyperscalerType string, n float64) sample {
		return sample{map[string]string{
			"credentials_binding": account, "global_account_id": globalAccount, "hyperscaler_type": hyperscalerType,
		}, n}
	}
	available := func(hyperscalerType, euAccess string, n float64) sample {
		return sample{map[string]string{"hyperscaler_type": hyperscalerType, "eu_access": euAccess}, n}
	}
	want := map[string][]sample{
		"keb_credentials_bindings_per_ga": {
			{map[string]string{"global_account_id": "acme"}, 3}, {map[string]string{"global_account_id": "globex"}, 1},
		},
		"keb_shoots_per_credentials_binding": {
			shoots("aws-1", "acme", "aws", 10), shoots("aws-2", "acme", "aws", 3), shoots("aws-4", "acme", "aws", 11),
			shoots("aws-eu-1", "globex", "aws_cf-eu11", 0), shoots("gcp-1", "", "gcp", 1),
			shoots("trial-1", "", "aws", 2), shoots("trial-2", "", "aws", 0),
		},
		// Shared accounts are never claimed: there is no such number.
		"keb_available_credentials_bindings": {available("aws", "false", 1), available("aws_cf-eu11", "true", 0), available("gcp", "false", 0)},
	}
	got := parsed(t, text)
	for name := range want {
		if !reflect.DeepEqual(got[name], want[name]) {
			t.Errorf("%s: got %v\nwant %v\nfrom\n%s", name, got[name], want[name], text)
		}
	}
	golden(t, "metrics.prom", text)
	slices.Reverse(accounts)
	if again := Prometheus(survey(counts, overview.Filter{}, accounts...)); again != text {
		t.Errorf("the order of the accounts matters:\n%s\nand\n%s", text, again)
	}
}

func TestPrometheusOfNothing(t *testing.T) {
	t.Parallel()
	text := Prometheus(overview.Overview{})
	if got := parsed(t, text); len(got) != 1 || len(got["hap_problems"]) != len(overview.ProblemKinds()) {
		t.Errorf("got %v", got)
	}
	for _, name := range []string{
		"keb_credentials_bindings_per_ga", "keb_shoots_per_credentials_binding", "keb_available_credentials_bindings", "hap_accounts",
		"hap_account_places", "hap_problems",
	} {
		if !strings.Contains(text, "# TYPE "+name+" gauge\n") {
			t.Errorf("no type of %s in\n%s", name, text)
		}
	}
}

// An alert needs the series of what is not there now, too: each class of each type, each kind of problems.
func TestPrometheusHasZeros(t *testing.T) {
	t.Parallel()
	counts, accounts := world()
	o := survey(counts, overview.Filter{}, accounts...)
	got := parsed(t, Prometheus(o))
	sums := map[string]float64{}
	for _, s := range got["hap_accounts"] {
		sums[s.labels["hyperscaler_type"]+" "+s.labels["eu_access"]+" "+s.labels["namespace"]] += s.value
	}
	if want := map[string]float64{"aws false garden-hap": 10, "aws_cf-eu11 true garden-hap": 1, "gcp false garden-hap": 1}; !reflect.DeepEqual(sums, want) {
		t.Errorf("accounts by type: got %v, want %v", sums, want)
	}
	if n, want := len(got["hap_accounts"]), 3*(len(account.Classes())-1); n != want {
		t.Errorf("%d series of classes, want %d", n, want)
	}
	problems := map[string]float64{}
	for _, s := range got["hap_problems"] {
		problems[s.labels["kind"]] = s.value
	}
	for _, kind := range overview.ProblemKinds() {
		n, there := problems[string(kind)]
		if want := strings.Count(Markdown(o, account.SourceGardener), "### `"+string(kind)+"`: "+kind.Title()+" ("); !there || (n > 0) != (want > 0) {
			t.Errorf("problems of kind %s: %v (%v)", kind, n, there)
		}
	}
	over := map[string]float64{}
	for _, s := range got["hap_account_places"] {
		if s.labels["account"] == "aws-2" {
			over[s.labels["kind"]] = s.value
		}
	}
	if want := map[string]float64{"clusters": 3, "reserved": 2, "limit": 10}; !reflect.DeepEqual(over, want) {
		t.Errorf("places on aws-2: got %v, want %v", over, want)
	}
}

// Each series occurs once, also where a hyperscaler type has accounts of tenants, shared ones, and both with EU access and without:
// Prometheus refuses a text that has one twice.
func TestPrometheusHasEachSeriesOnce(t *testing.T) {
	t.Parallel()
	var accounts []account.Account
	for i, flags := range [][2]bool{{false, false}, {true, false}, {false, true}, {true, true}} {
		accounts = append(accounts, account.Account{Name: fmt.Sprint("aws-", i), HyperscalerType: "aws", Shared: flags[0], EUAccess: flags[1]})
	}
	text := Prometheus(survey(account.Counts{}, overview.Filter{}, accounts...))
	seen := map[string]bool{}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		series := line[:strings.LastIndex(line, " ")]
		if seen[series] {
			t.Errorf("twice: %s", series)
		}
		seen[series] = true
	}
	got := map[string]float64{}
	for _, s := range parsed(t, text)["hap_accounts"] {
		if s.value > 0 {
			got[s.labels["eu_access"]+" "+s.labels["class"]] = s.value
		}
	}
	if want := map[string]float64{"false free": 1, "false shared": 1, "true free": 1, "true shared": 1}; !reflect.DeepEqual(got, want) {
		t.Errorf("accounts: got %v, want %v", got, want)
	}
}

// A pool that rules name and that has lost its last account keeps its series, at zero: an alert on it goes on.
func TestPrometheusOfAPoolWithoutAccounts(t *testing.T) {
	t.Parallel()
	set, problems := rules.Compile(rules.Source{Entries: []string{"aws", "gcp(euAccess=*)", "trial(shared)", "azure(PR=*)"}})
	if set == nil {
		t.Fatal(problems)
	}
	o := overview.Survey(pool.Inventory{Namespace: namespace, Accounts: []*account.Account{{Name: "aws-1", HyperscalerType: "aws"}}},
		overview.Facts{Rules: set}, overview.Filter{}, today)
	samples := parsed(t, Prometheus(o))
	available := map[string]float64{}
	for _, s := range samples["keb_available_credentials_bindings"] {
		available[s.labels["hyperscaler_type"]+" "+s.labels["eu_access"]] = s.value
	}
	if want := map[string]float64{"aws false": 1, "gcp false": 0, "gcp true": 0}; !reflect.DeepEqual(available, want) {
		t.Errorf("available: got %v, want %v", available, want)
	}
	free := map[string]float64{}
	for _, s := range samples["hap_accounts"] {
		if s.labels["class"] == "free" {
			free[s.labels["hyperscaler_type"]+" "+s.labels["eu_access"]] = s.value
		}
	}
	// The shared pools of trial are counted with the type.
	if want := map[string]float64{"aws false": 1, "azure false": 0, "gcp false": 0, "gcp true": 0}; !reflect.DeepEqual(free, want) {
		t.Errorf("free: got %v, want %v", free, want)
	}
	for _, s := range samples["hap_problems"] {
		if want := map[string]float64{"missing_pool": 5}[s.labels["kind"]]; s.value != want {
			t.Errorf("problems of kind %s: got %v, want %v", s.labels["kind"], s.value, want)
		}
	}
}

// No label of a Garden has such values. A parser that is misled would take what follows for something else.
func TestPrometheusEscapesLabels(t *testing.T) {
	t.Parallel()
	for _, name := range []string{`back\slash`, `"quoted"`, "two\nlines", `\"`, `\n`, "ünicode", "a}b,c=d", ""} {
		o := survey(account.Counts{}, overview.Filter{}, account.Account{Name: name, HyperscalerType: name, Tenant: "acme"})
		got := parsed(t, Prometheus(o))["keb_shoots_per_credentials_binding"]
		want := []sample{{map[string]string{"credentials_binding": name, "global_account_id": "acme", "hyperscaler_type": name}, 0}}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	}
}
