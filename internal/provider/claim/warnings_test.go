package claim

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/provider/backend"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
)

// F33: a claim on an internal account says that its destroy neither marks nor frees it.
func TestClaimWarnings_internal(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		account pool.Account
		warned  bool
	}{
		"internal":             {pool.Account{Name: "aws-1", Internal: true}, true},
		"ordinary":             {pool.Account{Name: "aws-1"}, false},
		"internal, and shared": {pool.Account{Name: "aws-1", Internal: true, Shared: true}, false},
	} {
		var diags diag.Diagnostics
		warnClaim(&diags, pool.Claim{Identity: pool.Identity{GlobalAccount: "ga-1"}, Account: test.account})
		if !test.warned {
			if len(diags) > 0 {
				t.Errorf("%s: %v", name, diags)
			}
			continue
		}
		if len(diags) != 1 || diags[0].Severity() != diag.SeverityWarning || diags[0].Summary() != diagnose.SummaryInternal {
			t.Fatalf("%s: %v", name, diags)
		}
		for _, part := range []string{"aws-1", "ga-1", "neither marks nor frees"} {
			if !strings.Contains(diags[0].Detail(), part) {
				t.Errorf("%s: the detail lacks %q: %s", name, part, diags[0].Detail())
			}
		}
	}
}

// F32: the refreshes of a run say once, for each Global Account and pool, that it holds several accounts and may have one.
func TestClaimWarnings_severalAccounts(t *testing.T) {
	t.Parallel()
	r, aws, gcp := &claimResource{backend: backend.New(backend.Settings{})}, pool.Target{HyperscalerType: "aws"},
		pool.Target{HyperscalerType: "gcp"}
	several := pool.Status{Held: []string{"aws-1", "aws-2"}}
	for i, of := range []struct {
		status        pool.Status
		globalAccount string
		target        pool.Target
		told          bool
	}{
		{several, "ga-1", aws, true}, {several, "ga-1", aws, false}, {pool.Status{Held: []string{"aws-1"}}, "ga-3", aws, false},
		{several, "ga-2", aws, true}, {several, "ga-1", gcp, true},
	} {
		var diags diag.Diagnostics // of one claim: those that are alike are dropped within it alone
		r.warnSeveral(&diags, of.status, of.globalAccount, of.target)
		if len(diags) > 0 != of.told {
			t.Fatalf("refresh %d: %v", i+1, diags)
		}
		if of.told && (!strings.Contains(diags[0].Detail(), of.globalAccount) || !strings.Contains(diags[0].Detail(), "aws-1, aws-2")) {
			t.Errorf("refresh %d: %s", i+1, diags[0].Detail())
		}
	}
}
