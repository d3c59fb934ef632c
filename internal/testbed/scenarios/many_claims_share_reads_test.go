package scenarios

import (
	"maps"
	"strings"
	"testing"
	"time"
)

// manyClaims are n claims of as many Global Accounts.
const manyClaims = `resource "hap_credentials_binding_claim" "many" {
  count          = 100
  rule_set       = local.rules
  global_account = "ga-${count.index}"
  plan           = "aws"
}
`

// What many claims in one pool cost the API: a write each, and what all share. A plan that changes nothing costs what
// they share alone. A destroy costs two writes each.
func TestManyClaimsShareTheirReads(t *testing.T) {
	t.Parallel()
	const claims = 100
	s := newCounted(t, awsAccounts(claims+10)...)
	s.database.Insert(t, append(rows(3, "ga-1", "aws-1"), rows(2, "ga-2", "")...)...)
	c := s.configure(t)
	c.write(t, s.by("both", ""), manyClaims)

	began := time.Now()
	c.apply(t)
	asked := s.requests()
	patches, others := asked["patch"], total(asked)-asked["patch"]
	// A free account is taken by a list of at most 2 s, which is one request for each kind of binding: a slow apply lists more often, but
	// never for each claim.
	if most := 10 + 2*int(time.Since(began)/(2*time.Second)); patches != claims || others > most {
		t.Errorf("an apply of %d claims took %d PATCH and %d other requests, want at most %d: %v", claims, patches, others, most, asked)
	}
	if n := len(s.holders(t)); n != claims {
		t.Errorf("%d accounts are held, want %d", n, claims)
	}
	queries := len(s.wire.Queries())

	before := s.versions(t)
	wantMessage(t, c.succeeds(t, "plan", "-detailed-exitcode").Output, "No changes.")
	again := s.requests()
	if n := total(again) - total(asked); n > 10 || again["patch"] != claims {
		t.Errorf("a plan that changes nothing took %d requests: %v, before %v", n, again, asked)
	}
	if got := countQueries(s.wire.Queries()[queries:]); got != 1 {
		t.Errorf("a plan that changes nothing took %d queries, want 1: %q", got, s.wire.Queries()[queries:])
	}
	if !maps.Equal(before, s.versions(t)) {
		t.Error("a plan has written")
	}

	asked, began = s.requests(), time.Now()
	c.destroy(t)
	again = s.requests()
	patches, others = again["patch"]-asked["patch"], total(again)-again["patch"]-total(asked)+asked["patch"]
	// A release is a fence and a mark. After the fences one list of Shoots serves all releases that run at once, ten as a rule.
	if most := 10 + claims/5 + 3*int(time.Since(began)/(2*time.Second)); patches != 2*claims || others > most {
		t.Errorf("a destroy of %d claims took %d PATCH and %d other requests, want at most %d: %v", claims, patches, others, most, again)
	}
	t.Logf("a destroy of %d claims took %d PATCH and %d other requests", claims, patches, others)
	if n := len(s.holders(t)); n != claims { // a dirty account keeps its tenant until it is wiped
		t.Errorf("%d accounts are held, want %d", n, claims)
	}
}

// requests counts our requests by verb.
func (s stage) requests() map[string]int {
	asked := map[string]int{}
	for _, x := range s.proxy.Log() {
		if isUs(x.Client) {
			asked[x.Verb]++
		}
	}
	return asked
}

func total(asked map[string]int) int {
	n := 0
	for _, of := range asked {
		n += of
	}
	return n
}

// countQueries counts those that read the table; BEGIN and COMMIT are none.
func countQueries(all []string) (n int) {
	for _, q := range all {
		if strings.Contains(strings.ToLower(q), "as live") {
			n++
		}
	}
	return n
}
