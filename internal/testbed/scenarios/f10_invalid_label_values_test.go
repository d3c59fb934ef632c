package scenarios

import (
	"fmt"
	"strings"
	"testing"
)

// F10: what cannot be the value of a label is refused at plan, at its attribute, and no request is sent: it would
// otherwise be cut short, or change the meaning of a selector.
func TestF10InvalidLabelValues(t *testing.T) {
	t.Parallel()
	invalid := map[string]string{
		"too_long":      strings.Repeat("a", 65),
		"slash":         "a/b",
		"trailing_dash": "ga-",
		"leading_dot":   ".ga",
		"space":         "a b",
		"outer_space":   " ga-1 ",
		"selector":      "x,shared=true",
		"negated":       "!x",
		"not_ascii":     "gä",
		"empty":         "",
	}
	s := newStage(t, twoFree()...)
	var resources []string
	for name, value := range invalid {
		resources = append(resources, claim(name, value), selecting(name, value))
	}
	c := s.configure(t, resources...)
	for _, command := range [][]string{planning, applying} {
		result := c.fails(t, command, "Invalid Global Account")
		// Several arguments of one block may share a line of the source; each of ours has its own.
		if got := strings.Count(result.Output, "Error: Invalid Global Account"); got != 2*len(invalid) {
			t.Errorf("%d errors, want one for each of %d values in a claim and in a selection:\n%s", got, len(invalid), result.Output)
		}
		for name, value := range invalid {
			for _, block := range []string{"hap_credentials_binding_claim." + name, "data.hap_binding_selection." + name} {
				wantMessage(t, result.Output, "with "+block+",",
					fmt.Sprintf("global_account = %q", value), fmt.Sprintf("Global Account %q is not a valid label value", value))
			}
		}
	}
	if log := s.proxy.Log(); len(log) > 0 {
		t.Errorf("%d requests were sent, the first: %+v", len(log), log[0])
	}
	if holders := s.holders(t); len(holders) > 0 {
		t.Errorf("accounts are held: %v", holders)
	}
}

// The same in the provider block, and where a region becomes a part of the hyperscaler type.
func TestF10InvalidLabelValuesElsewhere(t *testing.T) {
	t.Parallel()
	s := newStage(t, twoFree()...)
	c := s.configure(t)
	c.write(t, `multi_account = { allowed_global_accounts = ["ga-1", "x,shared=true"], limits = { default = 1 } }`, claim("blue", "ga-1"))
	c.fails(t, planning, "Invalid Global Account", `in provider "hap"`, `Global Account "x,shared=true" is not a valid label value`)

	for _, region := range []string{"cf/eu10", "cf-eu10,shared=true", "cf-eu10-", strings.Repeat("r", 62)} {
		c.write(t, "", strings.Replace(claim("blue", "ga-1", fmt.Sprintf("platform_region = %q", region)),
			"local.rules", `{ rules = ["aws(PR)"] }`, 1))
		result := c.Run(t, planning...)
		if result.ExitCode == 0 || !strings.Contains(result.Output, "platform_region") {
			t.Errorf("region %q should have been refused:\n%s", region, result.Output)
		}
	}
	if log := s.proxy.Log(); len(log) > 0 {
		t.Errorf("%d requests were sent, the first: %+v", len(log), log[0])
	}
}
