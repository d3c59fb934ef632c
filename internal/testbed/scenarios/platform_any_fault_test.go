package scenarios

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

// platformFault is what becomes of each first write of one object.
type platformFault struct {
	fault.Fault
	hangs bool // until the time of its operation is over
}

var platformFaults = []platformFault{
	{Fault: fault.TooManyRequests(time.Second)}, {Fault: fault.InternalError()}, {Fault: fault.Unavailable(0)},
	{Fault: fault.CutBefore()}, {Fault: fault.CutAfter()}, {Fault: fault.CutWithin()}, {Fault: fault.LoseAfter(http.StatusBadGateway)},
	{Fault: fault.CommitLate(500 * time.Millisecond)}, {Fault: fault.HangBefore(), hangs: true}, {Fault: fault.HangAfter(), hangs: true},
}

// readEvery is how many reads of a command's first run one fault comes on: the random seed says which of them it hits.
const readEvery = 4

// Whatever fault hits the write of a request, an access or a configuration, and the reads beside, plain runs of the same command make,
// change and destroy all of them: once, and with nothing left behind. HAP_ROUNDS has it played more often, by HTTP/1.1 every other time.
func TestPlatformAnyFaultAtAnyRequest(t *testing.T) {
	t.Parallel()
	acceptance(t)
	seed := randomSeed(t)
	for round := range uint64(rounds(t)) { //nolint:gosec // a small number
		options := fault.ProxyOptions{HTTP1: (seed+round)%2 == 1, Seed: seed + round}
		t.Run(fmt.Sprintf("round %d, HTTP/1 %t", round+1, options.HTTP1), func(t *testing.T) {
			t.Parallel()
			s := newPlatformStage(t, options)
			c := s.configure(t)
			c.write(t, s.unlucky("1", "list")...)
			random := rand.New(rand.NewPCG(options.Seed, 0)) //nolint:gosec // no secret depends on it
			c.weathers(t, random, applying, "create")
			uids := c.wantStanding(t)
			if want := 3 * len(platformFaults); len(uids) != want {
				t.Errorf("the state has %d objects, want %d", len(uids), want)
			}

			c.write(t, s.unlucky("2", "get")...)
			c.weathers(t, random, applying, "patch")
			for address, uid := range c.wantStanding(t) {
				if uids[address] != uid {
					t.Errorf("%s was made anew", address)
				}
			}

			s.mayLose(t, true)
			c.weathers(t, random, destroying, "delete")
			s.wantNothing(t, "destroyed")
		})
	}
}

// unlucky are a request, an access and a configuration for each fault.
func (s platformStage) unlucky(step, verb string) (resources []string) {
	for i, f := range platformFaults {
		name, purpose, times := fmt.Sprintf("r%d", i), []string{"mcp", "workload"}[i%2], ""
		if f.hangs {
			times = `timeouts = { create = "3s", update = "3s", delete = "3s" }`
		}
		resources = append(resources, platformRequest(name, purpose, `labels = { step = "`+step+`" }`, times),
			platformAccess(fmt.Sprintf("a%d", i), name, verb, times), s.providerConfig(fmt.Sprintf("c%d", i), "region-"+step, times))
	}
	return resources
}

// settleTries is how often a command is run until nothing is left to do. What depends on an object that was not made meets its faults in the
// second run.
const settleTries = 6

// weathers runs a command whose first writes are all spoilt, and in the first run some of its reads, until nothing is left to do.
func (c platformConfiguration) weathers(t *testing.T, random *rand.Rand, command []string, verb string) {
	t.Helper()
	s := c.stage
	for i, f := range platformFaults {
		for of, name := range map[platformKind]string{
			requestKind: fmt.Sprintf("r%d", i), accessKind: fmt.Sprintf("a%d", i), configKind: fmt.Sprintf("c%d-%s", i, s.namespace),
		} {
			s.proxy.Spoil(fault.Rule{Verb: verb, Resource: of.resource, Name: name, Nth: 1, Fault: f.Fault})
		}
	}
	var calm []func()
	for i, f := range []fault.Fault{
		fault.TooManyRequests(time.Second), fault.InternalError(), fault.Unavailable(0), fault.CutBefore(), fault.CutWithin(),
	} {
		calm = append(calm, s.proxy.Spoil(fault.Rule{
			Nth: 1 + i*readEvery + random.IntN(readEvery), Fault: f, When: func(x fault.Exchange) bool { return !x.Writes() },
		}))
	}
	begun, planned := len(s.proxy.Log()), []string{"plan", "-detailed-exitcode"}
	if verb == "delete" {
		planned = append(planned, "-destroy")
	}
	for try := 1; ; try++ {
		result := c.Run(t, command...)
		for _, lift := range calm {
			lift()
		}
		if result.ExitCode == 0 && c.Run(t, planned...).ExitCode == 0 {
			break
		}
		if try == settleTries {
			t.Fatalf("%s does not come to its end:\n%s", strings.Join(command, " "), result.Output)
		}
	}
	s.proxy.Lift()
	met, reads := map[string]bool{}, 0
	for _, x := range s.proxy.Log()[begun:] {
		switch {
		case x.Fault == "":
		case x.Verb == verb:
			met[x.Resource+" "+x.Fault] = true
		case !x.Writes():
			reads++
		}
	}
	if want := 3 * len(platformFaults); len(met) != want || reads == 0 {
		t.Errorf("%s: %d faults were met, want %d, and %d of reads: %v", strings.Join(command, " "), len(met), want, reads, met)
	}
}
