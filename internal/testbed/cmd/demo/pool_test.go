package main

import (
	"os"
	"regexp"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

// Each pool that a rule of examples/landscape needs has an account in the demo: otherwise its apply ends with an error.
func TestPoolMeetsTheRules(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../../examples/landscape/main.tf")
	if err != nil {
		t.Fatal(err)
	}
	var entries []string
	for _, line := range regexp.MustCompile(`(?m)^    "([^"]+)",`).FindAllSubmatch(text, -1) {
		entries = append(entries, string(line[1]))
	}
	set, problems := rules.Compile(rules.Source{Entries: entries})
	if len(entries) < 6 || len(problems) > 0 {
		t.Fatalf("%d rules, %v", len(entries), problems)
	}
	for _, need := range set.Needs() {
		met := false
		for _, a := range demoAccounts {
			met = met || need.Meets(account.Target{HyperscalerType: a.HyperscalerType, Shared: a.Shared, EUAccess: a.EUAccess})
		}
		if !met {
			t.Errorf("rule %q needs an account of pool %s", need.Entry.Canonical(), need.Pool)
		}
	}
}
