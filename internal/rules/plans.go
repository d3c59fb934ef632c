package rules

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// Plans maps the name of a plan to the hyperscalers that it runs on, at least one. Where there are several, a request
// must say which. In a [Source] a nil list takes the plan out of the built-in table.
type Plans map[string][]string

// DefaultPlans returns a fresh copy of the built-in table, the plans of KEB.
func DefaultPlans() Plans {
	return Plans{
		"aws":                    {"aws"},
		"build-runtime-aws":      {"aws"},
		"preview":                {"aws"},
		"azure":                  {"azure"},
		"azure_lite":             {"azure"},
		"build-runtime-azure":    {"azure"},
		"gcp":                    {"gcp"},
		"build-runtime-gcp":      {"gcp"},
		"sap-converged-cloud":    {"openstack"},
		"alicloud":               {"alicloud"},
		"build-runtime-alicloud": {"alicloud"},
		"gdch":                   {"gdch"},
		"trial":                  {"aws", "azure"},
		"free":                   {"aws", "azure"},
	}
}

// The broker's page writes openstack(...) for the plan sap-converged-cloud in an example (ADR 001).
const (
	openstackAlias  = "openstack"
	openstackTarget = "sap-converged-cloud"
)

// plan is one plan with its entries.
type plan struct {
	name         string
	hyperscalers []string // without duplicates, in the order of the table
	index        index
}

// planTable finds plans by name and by alias.
type planTable struct {
	byName map[string]*plan
	names  []string        // sorted, without the alias
	hints  []string        // sorted, with the alias
	out    map[string]bool // the built-in plans that the set takes out
}

// maxNamed is how many plans or regions a message lists.
const maxNamed = 30

// unknown says of a name that it is no plan, and how to make it one.
func (t planTable) unknown(name string) string {
	text := fmt.Sprintf("%q is not in the plans table", shorten(name))
	switch {
	case t.out[name]:
		return text + fmt.Sprintf(": plans takes it out (%s = null). Remove that, or the entry.", name)
	case len(t.names) == 0:
		return text + ", which is empty: plans takes all plans out."
	}
	text += "." + DidYouMean(name, t.hints) + " " + t.known()
	if account.CheckLabelValue(name) == nil {
		text += fmt.Sprintf(" To add it, write plans = { %q = [\"<hyperscaler>\"] }; the built-in plans stay.", name)
	}
	return text
}

// known lists the plans for a message.
func (t planTable) known() string { return "Known plans: " + some(t.names) + "." }

// some lists names for a message, the first ones of many.
func some(names []string) string {
	text := strings.Join(names[:min(maxNamed, len(names))], ", ")
	if more := len(names) - maxNamed; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// mergedPlans merges the plans of a set over the built-in table and reports those that take out what is not there.
func (c *compiler) mergedPlans(own Plans) (merged Plans, out map[string]bool) {
	merged, out = DefaultPlans(), make(map[string]bool)
	builtIn := slices.Sorted(maps.Keys(merged))
	for _, name := range slices.Sorted(maps.Keys(own)) {
		switch _, known := merged[name]; {
		case own[name] != nil:
			merged[name] = own[name]
		case known:
			delete(merged, name)
			out[name] = true
		case name == openstackAlias:
			c.reportSource("plans", name, fmt.Sprintf("No plan to take out: %q is another name of the plan %s. Write %s = null.",
				name, openstackTarget, openstackTarget))
		default:
			c.reportSource("plans", name, fmt.Sprintf("No plan to take out: %q = null, and the built-in table has no such plan.%s "+
				"Write the hyperscalers that it runs on, such as [\"aws\"], or remove it.", shorten(name), DidYouMean(name, builtIn)))
		}
	}
	return merged, out
}

// readPlans builds the set's table. A faulty plan is reported and stays in the table, so that its entries are not
// reported as unknown as well.
func (c *compiler) readPlans(own Plans) {
	plans, out := c.mergedPlans(own)
	if len(plans) == 0 {
		c.reportSource("plans", "", "No plans: plans takes all plans of the built-in table out and adds none. "+
			"Leave in the plans that the entries name.")
	}
	c.named = make(map[*plan]bool)
	table := planTable{byName: make(map[string]*plan, len(plans)+1), names: slices.Sorted(maps.Keys(plans)), out: out}
	for _, name := range table.names {
		if err := account.CheckLabelValue(name); err != nil {
			c.reportSource("plans", name, fmt.Sprintf("Invalid plan name: %q can be no plan: %v.", shorten(name), err))
		}
		switch n := len(plans[name]); {
		case n == 0:
			c.reportSource("plans", name, fmt.Sprintf(
				"No hyperscaler: plan %q has none. Write the hyperscalers that it runs on, such as [\"aws\"], or null to take the plan out.",
				shorten(name)))
		case n > MaxHyperscalers:
			c.reportSource("plans", name, fmt.Sprintf("Too many hyperscalers: plan %q has %d, and a plan has %d at most. Remove some.",
				shorten(name), n, MaxHyperscalers))
			plans[name] = nil
		}
		table.byName[name] = &plan{name: name, hyperscalers: c.readHyperscalers(name, plans[name])}
	}
	if target := table.byName[openstackTarget]; target != nil && table.byName[openstackAlias] == nil {
		table.byName[openstackAlias] = target
	}
	table.hints = slices.Sorted(maps.Keys(table.byName))
	c.set.plans = table
}

// readHyperscalers returns the valid hyperscalers of a plan and reports the others.
func (c *compiler) readHyperscalers(plan string, names []string) []string {
	valid := make([]string, 0, len(names))
	for _, name := range names {
		err := account.CheckLabelValue(name)
		if err == nil && strings.Contains(name, "_") {
			err = fmt.Errorf("\"_\" separates it from the regions in the hyperscaler type")
		}
		if err != nil {
			c.reportSource("plans", plan, fmt.Sprintf(
				"Invalid hyperscaler: %q of plan %q can be no hyperscaler: %v.", shorten(name), shorten(plan), err))
			continue
		}
		if !slices.Contains(valid, name) {
			valid = append(valid, name)
		}
	}
	return valid
}

// runsOn returns the plan's hyperscalers for a message: "aws or azure".
func (p *plan) runsOn() string {
	return strings.Join(p.hyperscalers, " or ")
}

// OwnPlan is a plan of a set that the broker runs on other hyperscalers, or does not know.
type OwnPlan struct {
	Name         string
	Hyperscalers []string // of the set
	Broker       []string // of the broker's table; none where it does not know the plan
}

// OwnPlans returns, by name, the plans with entries whose requests the broker leads elsewhere with the rule file of the set. The
// file has no word for the hyperscalers of a plan: the broker goes by a table of its own, [DefaultPlans]. A plan with fewer
// hyperscalers than there, or with further ones, is none of them: where the set has a pool for a request of the broker, it is the
// broker's.
func (s *Set) OwnPlans() []OwnPlan {
	var own []OwnPlan
	table := DefaultPlans()
	within := func(some, all []string) bool {
		return !slices.ContainsFunc(some, func(hyperscaler string) bool { return !slices.Contains(all, hyperscaler) })
	}
	for _, name := range s.plans.names {
		p := s.plans.byName[name]
		broker, known := table[name]
		if len(p.index.entries) > 0 && (!known || !within(broker, p.hyperscalers) && !within(p.hyperscalers, broker)) {
			own = append(own, OwnPlan{name, slices.Clone(p.hyperscalers), broker})
		}
	}
	return own
}
