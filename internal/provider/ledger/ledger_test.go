package ledger

import (
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
)

// Two accounts of a configuration with the same credentials clash as soon as one of them is to be made, in whatever order they are
// planned. One account may be planned twice.
func TestLedger_credentialsAreDeclaredOnce(t *testing.T) {
	t.Parallel()
	ref := pool.CredentialsRef{APIVersion: "v1", Kind: "Secret", Namespace: "n", Name: "s"}
	later, other := ref, ref
	later.APIVersion, other.Name = "v2", "t"
	type declared struct {
		account string
		ref     pool.CredentialsRef
		made    bool
		clash   string
	}
	for name, steps := range map[string][]declared{
		"both are made":                {{"a", ref, true, ""}, {"b", ref, true, "a"}},
		"one stands":                   {{"a", ref, false, ""}, {"b", ref, true, "a"}},
		"one stands, and comes later":  {{"a", ref, true, ""}, {"b", ref, false, "a"}},
		"both stand":                   {{"a", ref, false, ""}, {"b", ref, false, ""}, {"c", ref, true, "a"}},
		"by another version":           {{"a", ref, true, ""}, {"b", later, true, "a"}},
		"other credentials":            {{"a", ref, true, ""}, {"b", other, true, ""}},
		"one is planned twice":         {{"a", ref, true, ""}, {"a", ref, true, ""}},
		"one stands, then is replaced": {{"a", ref, false, ""}, {"a", ref, true, ""}, {"b", ref, false, "a"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var l Ledger
			for i, step := range steps {
				if clash := l.PlanCredentials(step.account, step.ref, step.made); clash != step.clash {
					t.Errorf("step %d: %q clashes, want %q", i, clash, step.clash)
				}
			}
		})
	}
}
