package fault

import (
	"slices"
	"strings"
)

// Rule says which requests a [Proxy] spoils, and how. Empty fields mean any.
type Rule struct {
	Verb, Resource, Name string
	// Client is what the User-Agent begins with.
	Client string
	// When decides by all that is known of a request, for example the labels it sets. It must not call the proxy.
	When func(Exchange) bool

	// Nth picks one of the requests that all of the above is true of, counted from 1 since the rule was added. A request
	// counts even if another rule takes it.
	Nth int
	// From picks this one and all after it.
	From int
	// Chance picks each with this probability; 0 = always.
	Chance float64

	// Fault is what becomes of the request; the zero Fault keeps it from the rules that were added later.
	Fault Fault
}

// activeRule is a rule with what it has seen.
type activeRule struct {
	Rule
	seen int
}

// Spoil adds a rule and returns what takes it back. A request is judged by the first rule that picks it, in the order of
// adding; rules may come and go while requests run.
func (p *Proxy) Spoil(rule Rule) (lift func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	active := &activeRule{Rule: rule}
	p.rules = append(p.rules, active)
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.rules = slices.DeleteFunc(p.rules, func(r *activeRule) bool { return r == active })
	}
}

// Lift takes back all rules. Requests that a fault already holds stay held.
func (p *Proxy) Lift() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rules = nil
}

// judge finds the fault of a request. Every rule counts every request, so that a number means the same whatever the
// other rules are.
func (p *Proxy) judge(x Exchange) Fault {
	var fault Fault
	judged := false
	for _, rule := range p.rules {
		if !rule.matches(x) {
			continue
		}
		rule.seen++
		if !judged && rule.picks() && (rule.Chance == 0 || p.random.Float64() < rule.Chance) {
			fault, judged = rule.Fault, true
		}
	}
	return fault
}

func (r *activeRule) matches(x Exchange) bool {
	return matches(r.Verb, x.Verb) && matches(r.Resource, x.Resource) && matches(r.Name, x.Name) &&
		strings.HasPrefix(x.Client, r.Client) && r.Fault.suits(x) && (r.When == nil || r.When(x))
}

// picks decides by the number of the request.
func (r *activeRule) picks() bool {
	return (r.Nth == 0 || r.seen == r.Nth) && r.seen >= r.From
}

func matches(want, got string) bool { return want == "" || want == got }
