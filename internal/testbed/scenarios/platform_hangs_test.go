package scenarios

import (
	"fmt"
	"slices"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

// triesOfHangs is how often a command is run until nothing is left to do: what depends on an object that was not made hangs in the second run.
const triesOfHangs = 5

// The writes of a request, an access and a configuration get no answer until the time of the operation is over, before the commit or after it.
// Plain runs of the same command make, change and destroy all of them: once, and with nothing left behind.
func TestPlatformWritesHang(t *testing.T) {
	t.Parallel()
	s := newPlatformStage(t, fault.ProxyOptions{})
	c := s.configure(t)
	hangs := []fault.Fault{fault.HangBefore(), fault.HangAfter()}
	objects := func(region, verb string) (resources []string) {
		hasty := `timeouts = { create = "15s", update = "10s", delete = "10s" }`
		for i := range hangs {
			name := fmt.Sprintf("r%d", i)
			resources = append(resources, platformRequest(name, []string{"mcp", "workload"}[i], fmt.Sprintf("labels = { step = %q }", region), hasty),
				platformAccess(fmt.Sprintf("a%d", i), name, verb, hasty), s.providerConfig(fmt.Sprintf("c%d", i), region, hasty))
		}
		return resources
	}
	uids := map[string]string{}
	for _, step := range []struct {
		verb    string
		command []string
		want    []string // nil = as before
	}{
		{"create", applying, objects("region-1", "list")}, {"patch", applying, objects("region-2", "get")}, {"delete", destroying, nil},
	} {
		if step.want != nil {
			c.write(t, step.want...)
		}
		planned := []string{"plan", "-detailed-exitcode"}
		if step.verb == "delete" {
			s.mayLose(t, true)
			planned = append(planned, "-destroy")
		}
		for i, f := range hangs {
			for of, name := range map[platformKind]string{
				requestKind: fmt.Sprintf("r%d", i), accessKind: fmt.Sprintf("a%d", i), configKind: fmt.Sprintf("c%d-%s", i, s.namespace),
			} {
				s.proxy.Spoil(fault.Rule{Verb: step.verb, Resource: of.resource, Name: name, Nth: 1, Fault: f})
			}
		}
		begun := len(s.proxy.Log())
		for try := 1; ; try++ {
			result := c.Run(t, step.command...)
			if result.ExitCode == 0 && c.Run(t, planned...).ExitCode == 0 {
				break
			}
			if try == triesOfHangs {
				t.Fatalf("%s does not come to its end:\n%s", step.verb, result.Output)
			}
		}
		s.proxy.Lift()
		met := slices.DeleteFunc(s.proxy.Log()[begun:], func(x fault.Exchange) bool { return x.Fault == "" })
		if want := 3 * len(hangs); len(met) != want {
			t.Errorf("%s: %d writes hung, want %d", step.verb, len(met), want)
		}
		for address, uid := range c.wantStanding(t) {
			if before := uids[address]; before != "" && before != uid {
				t.Errorf("%s was made anew", address)
			}
			uids[address] = uid
		}
	}
	if len(uids) != 3*len(hangs) {
		t.Errorf("there were %d objects, want %d", len(uids), 3*len(hangs))
	}
	s.wantNothing(t, "destroyed")
}
