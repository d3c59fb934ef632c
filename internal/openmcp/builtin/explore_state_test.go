//go:build !race

package builtin

import (
	"fmt"
	"hash/fnv"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/explore"
)

// world is a sum of all that decides what may follow, and that no party knows.
func (s *stage) world() explore.Sum {
	sum := explore.Sum(s.server.Sum()).Number(len(s.changed), s.running)
	for _, c := range s.states {
		sum = sum.With(c.sum())
	}
	var rest explore.Sum // in any order
	for uid, who := range s.lateGrants {
		rest ^= s.sumOf(who).Text("stray", uid)
	}
	for uid, who := range s.granters {
		rest ^= s.sumOf(who).Text("granter", uid)
	}
	for uid := range s.doubled {
		rest ^= explore.Sum(0).Text("doubled", uid)
	}
	for who, err := range s.over {
		rest ^= s.sumOf(who).Text(fmt.Sprint(err))
	}
	return sum.With(rest)
}

// sum is what the state says of a request.
func (c *stateOf) sum() explore.Sum {
	return explore.Sum(0).Text(c.uid).Flag(c.made, c.tainted, c.ending, c.ended, c.over, c.refused)
}

func (s *stage) sumOf(who author) explore.Sum {
	return explore.Sum(0).Number(s.numbers[who.by], who.life).Flag(who.late)
}

// end is a sum of all that the next runs depend on: what the states know, and the objects without their versions and times.
func (s *stage) end() uint64 {
	text := fnv.New64a()
	for _, c := range s.states {
		fmt.Fprintln(text, c.want.Name, c.made, c.tainted, c.uid, c.ending, c.ended, c.over)
	}
	for _, resource := range []string{"clusterrequests", "clusters"} {
		for _, o := range s.server.Objects(resource) {
			phase, _ := phaseOf(o)
			cluster, _, _ := unstructured.NestedString(o.Object, "status", "cluster", "name")
			fmt.Fprintln(text, o.GetName(), o.GetUID(), o.GetFinalizers(), slices.Sorted(maps.Keys(recordsOf(o))),
				o.GetAnnotations()[api.OperationAnnotation], o.GetAnnotations()[takenBackAnnotation], o.GetDeletionTimestamp() != nil, phase, cluster,
				o.GetAnnotations()[kube.ProtectionAnnotation])
		}
	}
	return text.Sum64()
}
