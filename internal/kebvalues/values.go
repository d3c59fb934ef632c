// Package kebvalues says what the Helm values of the Kyma Environment Broker (KEB) mean for this provider: the rule set, the limits of
// accounts, and the plans that are on. It reads values of any age: the list hap.rule, and the four properties that came before it.
//
// Sources: the chart resources/keb of the broker and what its code makes of it (common/hyperscaler/rules, common/hyperscaler/multiaccount);
// ADR 001, ADR 003, ADR 006.
package kebvalues

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/rules"
	"github.com/hap-project/terraform-provider-hap/internal/words"
)

// Values are what the values of the broker say about accounts.
type Values struct {
	Rule         []string      // hap.rule; nil = not there
	Legacy       *rules.Legacy // the four properties; nil = none of them is there
	MultiAccount *MultiAccount // hap.multiHyperscalerAccount; nil = not there
	// EnablePlans are the plans of enablePlans in their order; nil = not there.
	EnablePlans []string
}

// MultiAccount is hap.multiHyperscalerAccount.
type MultiAccount struct {
	AllowedGlobalAccounts []string       // "*" = all; empty = the feature is off
	Limits                map[string]int // clusters by hyperscaler, with the key default; 0 = the default
	MinBindingsForGuard   int            // 0 = off
}

// Config is what the values mean for the provider.
type Config struct {
	RuleSet      rules.Source
	MultiAccount *MultiAccount // what the broker goes by: each limit is at least 1, and the default is there; nil = the values have none
	Plans        []string      // the plans that are on; nil = the values do not say
	Notes        []string      // what a person should know of the way from the values to this
}

// noLimit is the number of clusters that the broker takes for "no limit".
const noLimit = 999999

// Hyperscalers are those whose limit the code of the broker reads. Its chart has a key gdch besides, which the code ignores.
func Hyperscalers() []string { return []string{"alicloud", "aws", "azure", "gcp", "openstack"} }

// LimitKeys are the keys of limits that the chart has.
func LimitKeys() []string { return append([]string{defaultLimit, "gdch"}, Hyperscalers()...) }

const defaultLimit = "default"

// Configure says what values mean. The syntax is that of the rules; empty = it is recognised.
//
// Errors: [*rules.SyntaxError] where the rules do not show their syntax; [ErrNoRules].
func (v Values) Configure(syntax rules.Syntax) (Config, error) {
	var c Config
	if err := v.rules(&c, syntax); err != nil {
		return Config{}, err
	}
	v.plans(&c)
	v.multiAccount(&c)
	return c, nil
}

// ErrNoRules says that values have neither a rule nor one of the properties that came before it.
var ErrNoRules = fmt.Errorf("there are no rules: neither the list rule nor one of %s", strings.Join(LegacyKeys(), ", "))

// LegacyKeys are the names of the four properties, as the chart had them.
func LegacyKeys() []string {
	return []string{"platformRegionRule", "clusterRegionRule", "sharedRule", "euAccessRule"}
}

func (v Values) rules(c *Config, syntax rules.Syntax) (err error) {
	switch {
	case len(v.Rule) > 0:
		if syntax == "" {
			if syntax, err = rules.SyntaxOf(v.Rule); err != nil {
				return err
			}
		}
		c.RuleSet.Entries, c.RuleSet.Syntax = v.Rule, syntax
		if v.Legacy != nil && *v.Legacy != (rules.Legacy{}) { // older charts have them, empty
			c.note("The values have rule and the properties that came before it: rule counts, and %s are left out.",
				strings.Join(LegacyKeys(), ", "))
		}
	case v.Legacy != nil:
		c.RuleSet.Legacy = v.Legacy
	default:
		return ErrNoRules
	}
	return nil
}

func (c *Config) note(format string, args ...any) {
	c.Notes = append(c.Notes, fmt.Sprintf(format, args...))
}

// plans takes the plans that are on as those that must have a rule: the broker does not start where one has none.
func (v Values) plans(c *Config) {
	if v.EnablePlans != nil {
		c.Plans = []string{}
	}
	for _, plan := range v.EnablePlans {
		if !slices.Contains(c.Plans, plan) {
			c.Plans = append(c.Plans, plan)
		}
	}
	known := rules.DefaultPlans()
	var unknown []string
	for _, plan := range c.Plans {
		if _, ok := known[plan]; ok {
			c.RuleSet.RequiredPlans = append(c.RuleSet.RequiredPlans, plan)
		} else {
			unknown = append(unknown, plan)
		}
	}
	if len(unknown) > 0 {
		c.note("enablePlans has %s, of which no hyperscaler is known: required_plans is without. Add plans = { <plan> = [<hyperscaler>] } to "+
			"the rule set where such a plan needs an account.", words.List(unknown))
	}
}

func (v Values) multiAccount(c *Config) {
	if v.MultiAccount == nil {
		return
	}
	m := *v.MultiAccount
	m.Limits = maps.Clone(m.Limits)
	if m.Limits == nil {
		m.Limits = map[string]int{}
	}
	if m.Limits[defaultLimit] == 0 {
		m.Limits[defaultLimit] = noLimit
		c.note("limits has no default, or 0: the broker takes %d then, which is no limit, and so does multi_account.", noLimit)
	}
	for _, key := range slices.Sorted(maps.Keys(m.Limits)) {
		switch {
		case key != defaultLimit && !slices.Contains(Hyperscalers(), key):
			c.note("limits.%s is left out: the code of the broker ignores it, and its accounts have the default, %d.", key, m.Limits[defaultLimit])
			delete(m.Limits, key)
		case m.Limits[key] == 0:
			c.note("limits.%s is left out: 0 means the default, %d.", key, m.Limits[defaultLimit])
			delete(m.Limits, key)
		}
	}
	if len(m.AllowedGlobalAccounts) == 0 {
		c.note("allowedGlobalAccounts is empty: each Global Account has one account of a pool, and the limits do not count.")
	}
	c.MultiAccount = &m
}
