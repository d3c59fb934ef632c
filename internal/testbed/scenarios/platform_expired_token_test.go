package scenarios

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

// Tokens end while an apply and a destroy wait: a program that prints tokens is run again, also where the token ends between a list and
// its watch. Both succeed without a warning.
func TestPlatformTokenExpiresWhileWaiting(t *testing.T) {
	t.Parallel()
	s := newPlatformStage(t, fault.ProxyOptions{})
	runs := filepath.Join(t.TempDir(), "runs")
	program := writeProgram(t, "echo run >> "+runs+"\necho '"+execCredential("v1", s.user.Config.BearerToken)+"'")
	to := rest.CopyConfig(s.user.Config)
	s.proxy.Through(to)
	c := s.configure(t)
	c.writeWith(t, fmt.Sprintf("platform = {\n    host = %q\n    cluster_ca_certificate = %q\n    namespace = %q\n    exec = { command = %q }\n  }",
		to.Host, to.CAData, s.namespace, program), platformRequest("blue", "mcp"), platformAccess("in", "blue", "list"))
	ran := func() int {
		content, _ := os.ReadFile(runs)
		return strings.Count(string(content), "run")
	}
	// At each first watch of a kind the token of now has ended.
	for _, command := range [][]string{applying, destroying} {
		ended := map[string]int{}
		lift := s.proxy.Spoil(fault.Rule{Fault: fault.Unauthorized(), When: func(x fault.Exchange) bool {
			if _, known := ended[x.Resource]; x.Verb == "watch" && !known {
				ended[x.Resource] = ran()
			}
			before, known := ended[x.Resource]
			return known && ran() <= before
		}})
		s.mayLose(t, command[0] == "destroy")
		if result := c.succeeds(t, command...); strings.Contains(result.Output, "Warning: Request") {
			t.Errorf("%v was not waited for:\n%s", command, result.Output)
		}
		lift()
		if len(ended) < 2 {
			t.Errorf("%v: %v was watched: the test tests nothing", command, ended)
		}
		c.wantStanding(t)
	}
	s.wantNothing(t, "destroyed")
}
