package history

import (
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

// AllowClusters lets the checker know which clients of ours may make, change and delete Shoots (hap_shoot), and have kubeconfigs issued
// for them. Without it no client may.
func (h *History) AllowClusters(clients func(client string) bool) { h.clusters = clients }

// ofCluster reports whether a write of ours is about a Shoot, by a client that may do that.
func (c *checker) ofCluster(e *fault.Exchange) bool {
	return c.history.clusters != nil && c.history.clusters(e.Client) && (e.Resource == "shoots" || strings.HasPrefix(e.Resource, "shoots/"))
}

// judgeCluster asks of a write of a Shoot whether it could meet another Shoot of the name, or make one by what should change one: each
// but the first has a precondition (I7).
func (c *checker) judgeCluster(e *fault.Exchange) {
	if e.Verb != "create" && e.UID == "" && e.Version == "" {
		c.blame(violation(I7, e.Name, number(e.Result), "request %d: %s of a Shoot without a precondition", e.Number, e.Verb), e.Client)
	}
}
