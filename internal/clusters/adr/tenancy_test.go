package adr_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
)

// limited are the purposes of the landscape, of which these have a tenancy count.
func limited(counts map[string]int) map[string]adr.Purpose {
	purposes := fourPurposes()
	for name, count := range counts {
		p := purposes[name]
		p.TenancyCount = count
		purposes[name] = p
	}
	return purposes
}

// Shared clusters are scaled up: one that has as many requests as its purposes allow takes no further one, and a new one is made.
func TestScheduleTenancyCount(t *testing.T) {
	t.Parallel()
	work := shared("work", "aws", "workload platform", "kyma-", "laas-")
	left := shared("left", "aws", "workload", "kyma-", "laas-")
	left.Grants[1].Left = true
	for name, test := range map[string]struct {
		request  adr.Request
		counts   map[string]int
		clusters []adr.Cluster
		want     string
		reason   string // of the Cluster work
	}{
		"no count": {asked("workload"), nil, []adr.Cluster{work}, "reuse clusters/work", "chosen"},
		"room":     {asked("workload"), map[string]int{"workload": 3}, []adr.Cluster{work}, "reuse clusters/work", "chosen"},
		"full": {asked("workload"), map[string]int{"workload": 2}, []adr.Cluster{work}, "create aws 1.20.3",
			"it has 2 requests, and workload allows 2 at most"},
		"over full, since the count was made smaller": {asked("workload"), map[string]int{"workload": 1}, []adr.Cluster{work},
			"create aws 1.20.3", "it has 2 requests, and workload allows 1 at most"},
		"full, and another has room": {asked("workload"), map[string]int{"workload": 2},
			[]adr.Cluster{work, shared("work-2", "aws", "workload", "x-")}, "reuse clusters/work-2", "it has 2 requests"},
		"the smallest of several purposes": {asked("workload platform"), map[string]int{"workload": 9, "platform": 2}, []adr.Cluster{work},
			"create aws 1.20.3", "it has 2 requests, and platform allows 2 at most"},
		"the same of several purposes": {asked("workload platform"), map[string]int{"workload": 2, "platform": 2}, []adr.Cluster{work},
			"create aws 1.20.3", "platform and workload allow 2 at most"},
		"that of a purpose that is not asked for does not count": {asked("platform"), map[string]int{"workload": 1}, []adr.Cluster{work},
			"reuse clusters/work", "chosen"},
		"a request that does not hold it any more is no tenant": {asked("workload"), map[string]int{"workload": 2}, []adr.Cluster{left},
			"reuse clusters/left", ""},
		"a request that holds it keeps it": {adr.Request{Ref: ref("tenant-work", "r0"), Purposes: []string{"workload"}},
			map[string]int{"workload": 1}, []adr.Cluster{work}, "reuse clusters/work", "the request holds a grant on it"},
		"a dedicated request has one of its own anyway": {asked("workload", wantsDedicated(true)), map[string]int{"workload": 9},
			[]adr.Cluster{work}, "create aws 1.20.3", "the request is dedicated"},
	} {
		t.Run("Concept: Purposes/they need to be scaled up eventually/"+name, func(t *testing.T) {
			t.Parallel()
			l := proposedLandscape(test.clusters...)
			l.Purposes = limited(test.counts)
			d := schedule(t, test.request, l)
			if outcome(d) != test.want || !strings.Contains(candidate(d, "work"), test.reason) {
				t.Errorf("%s: %s; want %s. It says of the Cluster: %s", outcome(d), d.Message, test.want, candidate(d, "work"))
			}
		})
	}
}

// What request and purposes say together is the smallest count, and who says so; nothing for a Cluster that one request has alone.
func TestAggregateTenancyCount(t *testing.T) {
	t.Parallel()
	purposes := map[string]adr.Purpose{"a": {TenancyCount: 5}, "b": {TenancyCount: 2}, "c": {TenancyCount: 2}, "free": {}, "alone": {Dedicated: true}}
	for name, test := range map[string]struct {
		request adr.Request
		count   int
		by      string
	}{
		"none":                       {asked("free"), 0, ""},
		"one":                        {asked("free a"), 5, "a"},
		"the smallest":               {asked("b a free"), 2, "b"},
		"the smallest, either order": {asked("a b"), 2, "b"},
		"two that agree":             {asked("c a b"), 2, "b c"},
		"dedicated by a purpose":     {asked("a alone"), 0, ""},
		"dedicated by the request":   {asked("a", wantsDedicated(true)), 0, ""},
		"shared by the request":      {asked("a alone", wantsDedicated(false)), 5, "a"},
	} {
		got, err := adr.Aggregate(test.request, purposes, nil)
		if err != nil || got.TenancyCount != test.count || strings.Join(got.TenancyCountBy, " ") != test.by {
			t.Errorf("%s: %d by %q, %v", name, got.TenancyCount, got.TenancyCountBy, err)
		}
	}
}

// A count that says nothing is an error, where a request lists the purpose.
func TestAggregateTenancyCount_wrong(t *testing.T) {
	t.Parallel()
	for name, p := range map[string]adr.Purpose{"less than 0": {TenancyCount: -1}, "one request": {TenancyCount: 2, Dedicated: true}} {
		purposes := map[string]adr.Purpose{"a": {}, "b": p}
		_, err := adr.Aggregate(asked("a b"), purposes, nil)
		var input *adr.InputError
		if !errors.As(err, &input) || input.Field != "purposes.b.tenancy_count" || !strings.Contains(input.Message, name) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := adr.Aggregate(asked("a"), purposes, nil); err != nil {
			t.Errorf("%s: a purpose that is not listed: %v", name, err)
		}
	}
	if about := adr.Choices("scheduling"); !slices.ContainsFunc(about, func(c adr.Choice) bool { return strings.Contains(c.Text, "tenancy_count") }) {
		t.Error("no choice names the tenancy count")
	}
}
