package pool

import (
	"slices"
	"testing"
)

// A limit means what it means for the broker: 0 or no key is the default, and a default of 0 or none is no limit.
func TestLimitsOfThePolicy(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		limits map[string]int
		want   int // for a pool of aws
	}{
		"its own":                {map[string]int{"default": 9, "aws": 4}, 4},
		"the default":            {map[string]int{"default": 9, "gcp": 4}, 9},
		"0 is the default":       {map[string]int{"default": 9, "aws": 0}, 9},
		"no default":             {map[string]int{"gcp": 4}, 0},
		"its own, no default":    {map[string]int{"aws": 4}, 4},
		"the default is 0":       {map[string]int{"default": 0}, 0},
		"its own, default 0":     {map[string]int{"default": 0, "aws": 4}, 4},
		"0, and the default too": {map[string]int{"default": 0, "aws": 0}, 0},
		"no limits":              {nil, 0},
	} {
		policy := Policy{AllowedGlobalAccounts: []string{"*"}, Limits: test.limits}
		equal(t, name, policy.Limit("ga-1", Target{HyperscalerType: "aws_cf-eu11"}), test.want)
	}
}

// Without a limit the fullest account takes each further cluster, and the reason says so.
func TestSelectionWithoutALimit(t *testing.T) {
	t.Parallel()
	policy := Policy{AllowedGlobalAccounts: []string{"*"}}
	var counts Counts
	counts.Set("a", 1000)
	counts.Set("b", 2000)
	all := []Account{account("a", heldBy("ga-1")), account("b", heldBy("ga-1")), account("c")}
	for n, want := range map[int]string{
		1: "Global Account ga-1 already holds a in pool aws, and no limit applies.",
		2: "Of the 2 accounts that Global Account ga-1 holds in pool aws, b is the fullest one: no limit applies.",
	} {
		accounts := slices.Concat(all[:n], all[2:])
		d, err := Select(pointers(accounts), counts, queryOf(func(*Query) {}), policy)
		equal(t, "error", err, nil)
		equal(t, "action", d.Action, ActionReuse)
		equal(t, "limit", d.Limit, 0)
		equal(t, "reason", d.Reason, want)
	}
}
