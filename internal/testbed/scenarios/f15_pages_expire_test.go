package scenarios

import (
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

// page is how many objects come at a time: the proxy lowers what the provider asks for.
const page = 50

// F15: the server forgets again and again where the second page of a list begins: half a list decides nothing, and the error says so.
func TestF15ExpiredPages(t *testing.T) {
	t.Parallel()
	s := newStageBehind(t, fault.ProxyOptions{PageLimit: page}, awsAccounts(page+1)...)
	s.proxy.Spoil(fault.Rule{Client: "Terraform/", Resource: "credentialsbindings", Fault: fault.ExpireToken()})
	before := s.versions(t)
	c := s.configure(t, claim("blue", "ga-1"))
	c.fails(t, applying, "Garden not reachable", "list credentialsbindings after 4 tries", "run the same command again")
	c.wantState(t)
	s.unwritten(t, before)
}
