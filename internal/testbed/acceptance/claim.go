package acceptance

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
)

// RulesAWS leads plan aws to pool aws, and gcp to gcp.
const RulesAWS = `
resource "hap_rule_set" "r" {
  rules = ["aws", "gcp", "gcp(PR=cf-sa30)", "azure(euAccess=*)", "trial(shared)", "openstack(CR=*,shared)"]
  pool_check = "off"
}
`

// ClaimOf writes a claim of a Global Account on plan aws; extra attributes go into it.
func ClaimOf(label, ga string, extra ...string) string {
	return fmt.Sprintf(`
resource "hap_credentials_binding_claim" %q {
  rule_set       = hap_rule_set.r
  global_account = %q
  name           = %q
  %s
}
`, label, ga, label, strings.Join(withPlan(extra), "\n  "))
}

// withPlan adds plan aws where the attributes name none.
func withPlan(attributes []string) []string {
	for _, a := range attributes {
		if strings.HasPrefix(strings.TrimSpace(a), "plan ") {
			return attributes
		}
	}
	return append([]string{`plan = "aws"`}, attributes...)
}

// RulesOf writes a rule set of these entries, which are JSON.
func RulesOf(entries string) string {
	return fmt.Sprintf("resource \"hap_rule_set\" \"r\" {\n rules = [%s]\n pool_check = \"off\"\n}\n", entries)
}

// Text is the value of a label or an annotation in a patch.
func Text(s string) *string { return &s }

// Recorded returns the claim record of that name on an account; nil where there is none.
func (l Landscape) Recorded(t *testing.T, accountName, name string) *account.Record {
	t.Helper()
	for key, text := range l.GetAccount(t, accountName).Annotations {
		var record account.Record
		if strings.HasPrefix(key, account.AnnotationPrefix) && json.Unmarshal([]byte(text), &record) == nil && record.Name == name {
			return &record
		}
	}
	return nil
}

// ClaimBlue is the address of the claim blue.
const ClaimBlue = "hap_credentials_binding_claim.blue"

// AccountWith is an account of pool aws that ga-1 holds.
func AccountWith(name string) testbed.AccountSpec {
	return testbed.AccountSpec{Name: name, HyperscalerType: "aws", Tenant: "ga-1"}
}

// SelectionNext is the address of the selection that [SelectionBlock] writes.
const SelectionNext = "data.hap_binding_selection.next"

// SelectionBlock asks which account the next cluster of ga-1 on plan aws goes to.
func SelectionBlock(extra ...string) string {
	text := ""
	for _, line := range withPlan(extra) {
		text += "  " + line + "\n"
	}
	return fmt.Sprintf("\ndata \"hap_binding_selection\" \"next\" {\n  rule_set = hap_rule_set.r\n  global_account = \"ga-1\"\n%s}\n", text)
}
