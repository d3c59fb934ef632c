package adr_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
)

// A request that asks for something else keeps a Cluster that serves that as well, and no other.
func TestOutgrown(t *testing.T) {
	t.Parallel()
	c := shared("core", "aws", "platform workload", "core-", "x-")
	own := dedicated(shared("own", "aws-workerless", "", ""))
	for name, test := range map[string]struct {
		request adr.Request
		of      adr.Cluster
		why     string // empty: it serves it
	}{
		"one purpose of two":                        {asked("platform"), c, ""},
		"another order":                             {asked("workload platform"), c, ""},
		"a purpose twice":                           {asked("platform platform"), c, ""},
		"a purpose that it lacks":                   {asked("platform onboarding"), c, "it lacks the purpose onboarding"},
		"a trait that it has":                       {asked("platform", wantsTraits(onAWS)), c, ""},
		"an optional trait that it lacks":           {asked("platform", wantsTraits(onGCP+"?")), c, ""},
		"a trait that it lacks":                     {asked("platform", wantsTraits(onGCP)), c, onGCP},
		"its version":                               {asked("platform", wantsVersion("1.20")), c, ""},
		"another version":                           {asked("platform", wantsVersion("1.19")), c, "it runs Kubernetes 1.20.3, and 1.19 is asked for"},
		"another prefix":                            {asked("platform", wantsPrefix("other-")), c, ""},
		"a prefix that another request has":         {asked("platform", wantsPrefix("core-")), c, ""},
		"not shared any more":                       {asked("platform", wantsDedicated(true)), c, "it is shared, and the request is dedicated"},
		"not shared any more, by a purpose":         {asked("platform mcp"), c, "it is shared, and the request is dedicated"},
		"another purpose of a dedicated one":        {asked("mcp onboarding"), own, ""},
		"not dedicated any more":                    {asked("onboarding"), own, "it is dedicated, and the request is for a shared one"},
		"a trait that a dedicated one lacks":        {asked("mcp", wantsTraits(compute)), own, compute},
		"a profile that is not there any more":      {asked("platform"), shared("core", "gone", "platform"), `its profile "gone" is not deployed`},
		"a shared one without a prefix for another": {asked("platform"), shared("core", "aws", "platform", ""), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			why, err := adr.Outgrown(test.request, proposedLandscape(test.of), test.of.Ref)
			if err != nil || (why == "") != (test.why == "") || !strings.Contains(why, test.why) {
				t.Errorf("%q, %v; want %q", why, err, test.why)
			}
		})
	}
	if _, err := adr.Outgrown(asked("nowhere"), proposedLandscape(c), c.Ref); !errors.As(err, new(*adr.UnknownPurposeError)) {
		t.Errorf("an unknown purpose: %v", err)
	}
	if why, err := adr.Outgrown(asked("platform"), proposedLandscape(), c.Ref); err == nil {
		t.Errorf("a Cluster that is not there: %q", why)
	}
}
