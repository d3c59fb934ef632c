package rules_test

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

// The alphabet of the sets whose rule files the broker reads: cf-eu11 has EU access by default, "a" in some sets.
var (
	filePlans     = only(rules.Plans{"gcp": {"gcp"}, "sap-converged-cloud": {"openstack"}, "trial": {"aws", "azure"}})
	filePlatforms = []string{"cf-eu11", "cf-sa30", "a"}
	fileRegions   = []string{"eu-de-1", "b", "cf-eu11"}
)

// randomSource makes a valid rule set of any syntax.
func randomSource(r *rand.Rand) rules.Source {
	access := pick(r, nil, nil, []string{}, []string{"a", "cf-eu11"}, []string{"unnamed"})
	src := rules.Source{Plans: filePlans, EUAccessPlatformRegions: access}
	if r.IntN(4) == 0 {
		l := randomLegacy(r).legacy(r)
		src.Legacy = &l
		return src
	}
	src.Syntax = pick(r, append(rules.Syntaxes(), attribute)...)
	for range 1 + r.IntN(9) {
		s := randomSpec(r, src.Syntax)
		s.plan = pick(r, "gcp", "gcp", "trial", "sap-converged-cloud")
		if s.pr != "" && s.pr != "*" {
			s.pr = pick(r, filePlatforms...)
		}
		if s.cr != "" && s.cr != "*" {
			s.cr = pick(r, fileRegions...)
		}
		s.finish(r, src.Syntax)
		src.Entries = append(src.Entries, s.text)
	}
	for { // drop what is wrong until the set is valid
		set, problems := rules.Compile(src)
		if set != nil {
			return src
		}
		i := slices.IndexFunc(problems, func(p rules.Problem) bool { return p.Severity == rules.SeverityError })
		src.Entries = slices.Delete(src.Entries, problems[i].Entries[0]-1, problems[i].Entries[0])
	}
}

// brokerRequests returns every request over the alphabet that the broker can get: it knows both regions and the hyperscaler.
func brokerRequests() []rules.Request {
	var all []rules.Request
	for plan, hyperscalers := range filePlans {
		for _, hyperscaler := range hyperscalers {
			for _, platform := range unique(slices.Concat(filePlatforms, legacyRegions, []string{"unnamed", "other"})) {
				for _, region := range unique(slices.Concat(fileRegions, legacyRegions, []string{"other"})) {
					all = append(all, request(plan, platform, region, hyperscaler))
				}
			}
		}
	}
	return all
}

// ruleFileEntries reads a rule file.
func ruleFileEntries(t *testing.T, file string) []string {
	t.Helper()
	lines, found := strings.CutPrefix(file, "rule:\n")
	if !found {
		t.Fatalf("no rule file: %q", file)
	}
	var entries []string
	for line := range strings.Lines(lines) {
		quoted, item := strings.CutPrefix(line, "  - ")
		entry, err := strconv.Unquote(strings.TrimSuffix(quoted, "\n"))
		if !item || err != nil {
			t.Fatalf("no list of strings: %q", file)
		}
		entries = append(entries, entry)
	}
	return entries
}

// brokerAnswer returns the pool that the broker finds with a rule file, or "error".
func brokerAnswer(keb kebSet, r rules.Request) string {
	if rule := keb.match(r); rule != nil {
		return rule.target(r)
	}
	return "error"
}

// The broker accepts the rule file of a set in any syntax, and finds for every request the pool that the set has for it.
func TestBrokerReadsTheRuleFileAlike(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	t.Logf("random seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	all := brokerRequests()
	const sets = 1500
	asked, found, refused, differ := 0, 0, 0, 0
	for range sets {
		src := randomSource(r)
		set, _ := rules.Compile(src)
		entries := ruleFileEntries(t, set.RuleFile())
		keb := kebLoad(entries, filePlans)
		_, problems := rules.Compile(rules.Source{Syntax: arrow, Entries: entries, Plans: filePlans})
		if keb.verdict != "valid" || len(butEUAccess(problems)) > 0 {
			if refused++; refused == 1 {
				t.Errorf("%+v: for the broker %q is %s: %v", src, entries, keb.verdict, problems)
			}
			continue
		}
		for _, q := range all {
			asked++
			want := answer(set, q)
			if want != "error" {
				found++
			}
			if got := brokerAnswer(keb, q); got != want {
				if differ++; differ == 1 {
					t.Errorf("%+v: with %q the broker leads %v to %s, want %s", src, entries, q, got, want)
				}
			}
		}
	}
	if refused > 0 || differ > 0 {
		t.Errorf("of %d sets %d have a file that is not valid; of %d requests to the others it leads %d elsewhere", sets, refused, asked, differ)
	}
	if found < sets*len(all)/4 || asked-found < sets {
		t.Errorf("too little was tried: %d requests, %d with a pool", asked, found)
	}
}

// What the broker makes of the file of a set in the attribute syntax, whose entries it would read in another way.
func TestBrokerWithTheRuleFileOfAttributeSyntax(t *testing.T) {
	t.Parallel()
	example, _ := brokerSources(t)
	tests := []struct {
		name    string
		entries []string
		want    map[rules.Request]string
	}{
		{"a region of its own", []string{"gcp", "gcp(PR=cf-sa30)"}, map[rules.Request]string{
			request("gcp", "cf-sa30", "us-central1", "gcp"): "gcp_cf-sa30",
			request("gcp", "cf-eu10", "us-central1", "gcp"): "gcp",
			request("aws", "cf-sa30", "us-east-1", "aws"):   "error",
		}},
		{"the broker's initial configuration", example.Entries, map[rules.Request]string{
			request("azure", "cf-ch20", "switzerlandnorth", "azure"):          "azure,euAccess",
			request("azure", "cf-eu20", "westeurope", "azure"):                "azure",
			request("aws", "cf-eu11", "eu-central-1", "aws"):                  "aws,euAccess",
			request("trial", "cf-us10", "us-east-1", "aws"):                   "aws,shared",
			request("trial", "cf-us10", "eastus", "azure"):                    "azure,shared",
			request("gcp", "cf-sa30", "southamerica-east1", "gcp"):            "gcp_cf-sa30",
			request("gcp", "cf-jp30", "asia-northeast1", "gcp"):               "gcp",
			request("sap-converged-cloud", "cf-eu20", "eu-de-1", "openstack"): "openstack_eu-de-1,shared",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := ruleFileEntries(t, compile(t, attribute, tt.entries...).RuleFile())
			keb := kebLoad(file, rules.DefaultPlans())
			if keb.verdict != "valid" {
				t.Fatalf("for the broker %q is %s", file, keb.verdict)
			}
			for r, want := range tt.want {
				if got := brokerAnswer(keb, r); got != want {
					t.Errorf("with %q the broker leads %v to %s, want %s", file, r, got, want)
				}
			}
		})
	}
}
