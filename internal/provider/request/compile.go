package request

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

// maxCompiled bounds how many rule sets are kept compiled. A configuration has one, or one for each of its modules.
const maxCompiled = 16

// compiled keeps the rule sets that this process compiled last: all claims of a configuration bring the same one, each of them
// several times, and a set of a thousand entries takes milliseconds.
var compiled compiledSets

type compiledSets struct {
	mu   sync.Mutex
	last []compiledSet // the newest at the end
}

// compiledSet is a rule set and what came of it. It is never changed.
type compiledSet struct {
	src      rules.Source
	set      *rules.Set
	problems rules.Problems
}

// compile compiles a rule set, or finds what came of the same content before.
func (c *compiledSets) compile(src rules.Source) (*rules.Set, rules.Problems) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.last {
		if reflect.DeepEqual(c.last[i].src, src) {
			return c.last[i].set, c.last[i].problems
		}
	}
	set, problems := rules.Compile(src)
	if len(c.last) == maxCompiled {
		c.last = slices.Delete(c.last, 0, 1)
	}
	c.last = append(c.last, compiledSet{src, set, problems})
	return set, problems
}

// compileFor compiles the rule set of an object that uses one. Warnings about the rules belong to the rule set's own
// resource and are not repeated here; errors are in one diagnostic, because the set was written elsewhere.
func compileFor(src rules.Source) (*rules.Set, diag.Diagnostics) {
	var diags diag.Diagnostics
	set, problems := compiled.compile(src)
	if set != nil {
		return set, nil
	}
	diags.AddAttributeError(RuleSetPath, diagnose.SummaryInvalidRuleSet, diagnose.InvalidSet(problems)+misspelt(src))
	return nil, diags
}

// misspelt says what may have become of the rules of an object without any; empty = it has rules.
func misspelt(src rules.Source) string {
	if len(src.Entries) > 0 || src.Legacy != nil {
		return ""
	}
	return "\n\nIf rule_set has rules, look for a misspelt name: Terraform silently drops an attribute that it does not know inside " +
		"rule_set = { }. The names are " + strings.Join(slices.Sorted(maps.Keys(RuleSetDescriptions)), ", ") + "."
}
