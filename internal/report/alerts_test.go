package report

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/hap-project/terraform-provider-hap/internal/overview"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// rule is an alert rule of Prometheus.
type rule struct {
	Alert       string            `json:"alert"`
	Expr        string            `json:"expr"`
	For         string            `json:"for"`
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
}

func alertRules(t *testing.T) []rule {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "examples", "monitoring", "alerts.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Groups []struct {
			Name  string `json:"name"`
			Rules []rule `json:"rules"`
		} `json:"groups"`
	}
	if err := yaml.UnmarshalStrict(text, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Groups) != 1 || file.Groups[0].Name == "" {
		t.Fatalf("groups: %+v", file.Groups)
	}
	return file.Groups[0].Rules
}

// What an expression is made of: a metric with its matchers, a matcher, and the labels of a clause.
var (
	metricRef = regexp.MustCompile(`\b((?:hap|keb)_[a-z_]+)(?:\{([^}]*)\})?`)
	matcher   = regexp.MustCompile(`([a-z_]+)\s*(=~|!=|=)\s*"([^"]*)"`)
	clause    = regexp.MustCompile(`\b(?:by|on|without|ignoring)\s*\(([a-z_, ]*)\)`)
	labelName = regexp.MustCompile(`[a-z_]+`)
	template  = regexp.MustCompile(`\$labels\.([a-z_]+)`)
)

// Each metric, label and value that an alert goes by is one that the metrics have. An alert on a name with a typing error would
// keep quiet for ever.
func TestAlertsGoByMetricsThatThereAre(t *testing.T) {
	t.Parallel()
	counts, accounts := world()
	samples := parsed(t, Prometheus(survey(counts, overview.Filter{}, accounts...)))
	found := map[string]bool{}
	for _, r := range alertRules(t) {
		if found[r.Alert] || r.Alert == "" || r.Labels["severity"] == "" || r.Annotations["summary"] == "" {
			t.Errorf("rule %+v", r)
		}
		found[r.Alert] = true
		labels := wantExpression(t, r.Alert, r.Expr, samples)
		for _, text := range r.Annotations {
			for _, m := range template.FindAllStringSubmatch(text, -1) {
				if !labels[m[1]] {
					t.Errorf("%s: no metric of it has the label %s", r.Alert, m[1])
				}
			}
		}
	}
	for _, want := range []string{
		"HAPPoolRunsLow", "HAPPoolMissing", "HAPPoolEmpty", "HAPAccountOverLimit", "HAPAccountStranded", "HAPFenceLeftBehind", "HAPSeveralAccounts",
	} {
		if !found[want] {
			t.Errorf("there is no alert %s", want)
		}
	}
}

// wantExpression checks that there are the metrics, series and labels of an expression, and returns the labels that its metrics have.
func wantExpression(t *testing.T, where, expr string, samples map[string][]sample) (labels map[string]bool) {
	t.Helper()
	labels = map[string]bool{}
	for _, ref := range metricRef.FindAllStringSubmatch(expr, -1) {
		of := samples[ref[1]]
		if len(of) == 0 {
			t.Errorf("%s: there is no metric %s", where, ref[1])
			continue
		}
		for label := range of[0].labels {
			labels[label] = true
		}
		for _, m := range matcher.FindAllStringSubmatch(ref[2], -1) {
			wantSeries(t, where, of, m[1], m[3], m[2] == "=~")
		}
	}
	for _, c := range clause.FindAllStringSubmatch(expr, -1) {
		for _, label := range labelName.FindAllString(c[1], -1) {
			if !labels[label] {
				t.Errorf("%s: no metric of it has the label %s", where, label)
			}
		}
	}
	return labels
}

// wantSeries checks that a matcher finds a series; each alternative of a regular expression has to. A variable of a dashboard means
// any value.
func wantSeries(t *testing.T, where string, samples []sample, label, value string, pattern bool) {
	t.Helper()
	values := []string{value}
	if pattern {
		values = strings.Split(value, "|")
	}
	for _, v := range values {
		if !slices.ContainsFunc(samples, func(s sample) bool {
			got, there := s.labels[label]
			return there && (got == v || strings.HasPrefix(v, "$"))
		}) {
			t.Errorf("%s: no series has %s=%q", where, label, v)
		}
	}
}

// Each alert links to what to do: one on problems to the entry of each of its kinds, which is there.
func TestAlertsLinkToWhatToDo(t *testing.T) {
	t.Parallel()
	const pages = "https://github.com/hap-project/terraform-provider-hap/blob/main/docs/guides/"
	for _, r := range alertRules(t) {
		page, fragment, _ := strings.Cut(strings.TrimPrefix(r.Annotations["runbook_url"], pages), "#")
		fragments := []string{fragment}
		if kinds := problemKindsOf(r.Expr); len(kinds) > 0 {
			if page != "troubleshooting.md" || fragment != "{{ $labels.kind }}" && (len(kinds) > 1 || fragment != kinds[0]) {
				t.Errorf("%s is on problems of kind %q and links to %s#%s", r.Alert, kinds, page, fragment)
			}
			fragments = kinds
		}
		text, err := os.ReadFile(filepath.Join("..", "..", "docs", "guides", page))
		if err != nil {
			t.Fatalf("%s: %v", r.Alert, err)
		}
		for _, f := range fragments {
			if !slices.Contains(anchors(string(text)), f) {
				t.Errorf("%s links to %s#%s, and there is no such heading", r.Alert, page, f)
			}
		}
	}
}

// problemKindsOf are the kinds of problems that an expression is on.
func problemKindsOf(expr string) (kinds []string) {
	for _, ref := range metricRef.FindAllStringSubmatch(expr, -1) {
		for _, m := range matcher.FindAllStringSubmatch(ref[2], -1) {
			if ref[1] == "hap_problems" && m[1] == "kind" {
				kinds = append(kinds, strings.Split(m[3], "|")...)
			}
		}
	}
	return kinds
}

var headings = regexp.MustCompile(`(?m)^#+ (.+)$`)

// anchors are what GitHub makes of the headings of a page, of letters, digits, spaces and underscores.
func anchors(page string) (all []string) {
	for _, m := range headings.FindAllStringSubmatch(page, -1) {
		all = append(all, strings.ReplaceAll(strings.ToLower(strings.NewReplacer("`", "", "'", "", ",", "").Replace(m[1])), " ", "-"))
	}
	return all
}

// Each kind of problems has an alert, except for those that are reported otherwise or that pass by themselves.
func TestProblemsWithoutAnAlert(t *testing.T) {
	t.Parallel()
	alerted := map[string]bool{"over_limit": true} // HAPAccountOverLimit goes by the places
	for _, r := range alertRules(t) {
		for _, kind := range problemKindsOf(r.Expr) {
			if alerted[kind] {
				t.Errorf("%s has two alerts", kind)
			}
			alerted[kind] = true
		}
	}
	var without []string
	for _, kind := range overview.ProblemKinds() {
		if !alerted[string(kind)] {
			without = append(without, string(kind))
		}
	}
	want := []string{"shared_held", "internal_held", "unassigned_rows", "void_claim", "unused_pool", "idle", "deleting", "dirty"}
	if !slices.Equal(without, want) {
		t.Errorf("kinds without an alert: %q, want %q", without, want)
	}
}

// The alert on a pool that runs low distinguishes the accounts for EU access from the others, and leaves shared ones out.
func TestPoolThatRunsLow(t *testing.T) {
	t.Parallel()
	rules := alertRules(t)
	r := rules[slices.IndexFunc(rules, func(r rule) bool { return r.Alert == "HAPPoolRunsLow" })]
	below := regexp.MustCompile(`^([a-z_]+) < (\d+)$`).FindStringSubmatch(strings.TrimSpace(r.Expr))
	if below == nil {
		t.Fatalf("the expression %q is none that this test can evaluate", r.Expr)
	}
	limit, err := strconv.Atoi(below[2])
	if err != nil {
		t.Fatal(err)
	}
	anAccount := func(name string, change func(*account.Account)) account.Account {
		a := account.Account{Name: name, HyperscalerType: "aws"}
		change(&a)
		return a
	}
	free := func(*account.Account) {}
	samples := parsed(t, Prometheus(survey(account.Counts{}, overview.Filter{},
		anAccount("a", free), anAccount("b", free), anAccount("c", free), anAccount("d", func(a *account.Account) { a.Shared = true }),
		anAccount("e", func(a *account.Account) { a.EUAccess, a.Tenant = true, "ga-1" }),
		anAccount("f", func(a *account.Account) { a.HyperscalerType, a.Shared = "trial", true }))))
	var low []string
	for _, s := range samples[below[1]] {
		if s.value < float64(limit) {
			low = append(low, s.labels["hyperscaler_type"]+" "+s.labels["eu_access"])
		}
	}
	if !slices.Equal(low, []string{"aws true"}) {
		t.Errorf("pools that run low: %q", low)
	}
}

// The kinds of problems that alerts go by have a series in a pool without any.
func TestAlertsHaveTheirSeriesInAHealthyPool(t *testing.T) {
	t.Parallel()
	samples := parsed(t, Prometheus(survey(account.Counts{}, overview.Filter{}, account.Account{Name: "a", HyperscalerType: "aws"})))
	for _, r := range alertRules(t) {
		for _, ref := range metricRef.FindAllStringSubmatch(r.Expr, -1) {
			if ref[1] == "hap_account_places" { // of accounts in use alone
				continue
			}
			for _, m := range matcher.FindAllStringSubmatch(ref[2], -1) {
				wantSeries(t, r.Alert, samples[ref[1]], m[1], m[3], m[2] == "=~")
			}
		}
	}
}
