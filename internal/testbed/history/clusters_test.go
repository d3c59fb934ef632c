package history

import (
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

// Shoots are written only by clients that may, and each write but the one that makes a Shoot has a precondition. A dry run is none.
func TestClusterWrites(t *testing.T) {
	t.Parallel()
	write := func(verb, resource string, change func(*fault.Exchange)) fault.Exchange {
		x := fault.Exchange{Client: ours, Verb: verb, Resource: resource, Namespace: "garden-story", Name: "blue", Code: 200}
		if change != nil {
			change(&x)
		}
		return x
	}
	violated := []string{"I7 blue " + ours}
	for name, test := range map[string]struct {
		write     fault.Exchange
		forbidden []string // where it may write no Shoots
		unallowed []string // where it may
	}{
		"a Shoot is made":          {write: write("create", "shoots", nil), forbidden: violated},
		"a kubeconfig is issued":   {write: write("create", "shoots/adminkubeconfig", nil), forbidden: violated},
		"changed with its UID":     {write: write("patch", "shoots", func(x *fault.Exchange) { x.UID = "u" }), forbidden: violated},
		"changed with its version": {write: write("patch", "shoots", func(x *fault.Exchange) { x.Version = "7" }), forbidden: violated},
		"changed, whichever":       {write: write("patch", "shoots", nil), forbidden: violated, unallowed: violated},
		"deleted, whichever":       {write: write("delete", "shoots", nil), forbidden: violated, unallowed: violated},
		"another resource":         {write: write("create", "secrets", nil), forbidden: violated, unallowed: violated},
		"a dry run":                {write: write("patch", "shoots", func(x *fault.Exchange) { x.DryRun = true })},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for allowed, want := range map[bool][]string{false: test.forbidden, true: test.unallowed} {
				s := newStory(t)
				if allowed {
					s.h.AllowClusters(isOurs)
				}
				s.log = []fault.Exchange{test.write}
				s.wantBroken(want...)
			}
		})
	}
}
