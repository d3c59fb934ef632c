package rules

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
)

// Plans maps the name of a plan to the hyperscalers that it runs on, at least one. Where there are several, a request
// must say which.
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

// DefaultEUAccessPlatformRegions returns a fresh copy of the platform regions that have EU access unless a set says
// otherwise (seed 001, Examples).
func DefaultEUAccessPlatformRegions() []string {
	return []string{"cf-eu11", "cf-ch20"}
}

// Seed 002 writes openstack(...) for the plan sap-converged-cloud in its own example.
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
	names  []string // sorted, without the alias
	hints  []string // sorted, with the alias
}

// unknown says of a name that it is no plan.
func (t planTable) unknown(name string) string {
	if len(t.names) == 0 {
		return fmt.Sprintf("%q is not in the plans table, which is empty.", name)
	}
	return fmt.Sprintf("%q is not in the plans table.%s Known plans: %s.",
		name, DidYouMean(name, t.hints), strings.Join(t.names, ", "))
}

// readPlans builds the set's table. A faulty plan is reported and stays in the table, so that its entries are not
// reported as unknown as well.
func (c *compiler) readPlans(plans Plans) {
	if plans == nil {
		plans = DefaultPlans()
	}
	if len(plans) == 0 {
		c.reportSource("plans", "", "No plans: the plans table is empty. "+
			"Add the plans that the entries name, or leave plans out for the built-in table.")
	}
	c.named = make(map[*plan]bool)
	table := planTable{byName: make(map[string]*plan, len(plans)+1), names: slices.Sorted(maps.Keys(plans))}
	for _, name := range table.names {
		if err := pool.CheckLabelValue(name); err != nil {
			c.reportSource("plans", name, fmt.Sprintf("Invalid plan name: %q can be no plan: %v.", name, err))
		}
		if len(plans[name]) == 0 {
			c.reportSource("plans", name, fmt.Sprintf(
				"No hyperscaler: plan %q has none. Write the hyperscalers that it runs on, such as [\"aws\"].", name))
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
		err := pool.CheckLabelValue(name)
		if err == nil && strings.Contains(name, "_") {
			err = fmt.Errorf("\"_\" separates it from the regions in the hyperscaler type")
		}
		if err != nil {
			c.reportSource("plans", plan, fmt.Sprintf(
				"Invalid hyperscaler: %q of plan %q can be no hyperscaler: %v.", name, plan, err))
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
