//go:build !race

package builtin

import (
	"net/http"
	"slices"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/explore"
)

// Two parties are visited with two faults and two preemptions, three with one fault and two preemptions.
var (
	two   = explore.Bound{Faults: 2, Preemptions: 2}
	three = explore.Bound{Faults: 1, Preemptions: 2}
)

// scenarios are what the explorer visits.
func scenarios() []scenario {
	return slices.Concat(grantScenarios, withdrawalScenarios, handoverScenarios, operatorScenarios)
}

var grantScenarios = []scenario{
	{name: "a request", bound: two, parties: func(s *stage) []*explore.Actor {
		return []*explore.Actor{s.creates(s.request("first"))}
	}},
	{name: "a dedicated request", bound: two, parties: func(s *stage) []*explore.Actor {
		return []*explore.Actor{s.creates(s.request("first", dedicated))}
	}},
	{name: "two requests on one Cluster", bound: two, parties: func(s *stage) []*explore.Actor {
		return []*explore.Actor{s.creates(s.request("first", samePrefix)), s.creates(s.request("second", samePrefix))}
	}},
	{name: "two requests on the Cluster of another", bound: two, parties: func(s *stage) []*explore.Actor {
		s.held("other")
		return []*explore.Actor{s.creates(s.request("first", samePrefix)), s.creates(s.request("second", samePrefix))}
	}},
	{name: "two runs of one request", bound: two, parties: func(s *stage) []*explore.Actor {
		c := s.request("first")
		return []*explore.Actor{s.creates(c), s.creates(c)}
	}},
	{name: "a request and the cluster provider", bound: two, parties: func(s *stage) []*explore.Actor {
		s.held("other")
		return []*explore.Actor{s.creates(s.request("first")), s.provider("Progressing", api.Ready)}
	}},
	{name: "a request, and a person who deletes it", bound: two, parties: func(s *stage) []*explore.Actor {
		c := s.request("first")
		return []*explore.Actor{s.creates(c), s.deletes(c)}
	}},
	{name: "a request, and a person who deletes the only Cluster", bound: two, parties: func(s *stage) []*explore.Actor {
		s.held("other")
		return []*explore.Actor{s.creates(s.request("first")), s.person("deletes each Cluster", func() {
			for _, c := range s.server.Objects("clusters") {
				s.others(http.MethodDelete, "clusters/"+c.GetName(), nil)
			}
		})}
	}},
}

var withdrawalScenarios = []scenario{
	{name: "a withdrawal of the last request", bound: two, parties: func(s *stage) []*explore.Actor {
		return []*explore.Actor{s.withdraws(s.held("first"))}
	}},
	{name: "a withdrawal of the last request, and a grant", bound: two, parties: func(s *stage) []*explore.Actor {
		return []*explore.Actor{s.withdraws(s.held("first")), s.creates(s.request("second"))}
	}},
	{name: "two withdrawals from one Cluster", bound: two, parties: func(s *stage) []*explore.Actor {
		return []*explore.Actor{s.withdraws(s.held("first")), s.withdraws(s.held("second"))}
	}},
	{name: "a withdrawal beside one that stays, and a grant", bound: two, parties: func(s *stage) []*explore.Actor {
		s.held("other")
		return []*explore.Actor{s.withdraws(s.held("first")), s.creates(s.request("second"))}
	}},
	{name: "a grant and the withdrawal of one request", bound: two, parties: func(s *stage) []*explore.Actor {
		c := s.asked()
		return []*explore.Actor{s.settles(c), s.withdraws(c)}
	}},
	{name: "a grant beside another request, and its withdrawal", bound: two, parties: func(s *stage) []*explore.Actor {
		s.held("other")
		c := s.asked()
		return []*explore.Actor{s.settles(c), s.withdraws(c)}
	}},
	{name: "a withdrawal and the cluster provider", bound: two, parties: func(s *stage) []*explore.Actor {
		return []*explore.Actor{s.withdraws(s.held("first")), s.provider("Progressing", api.Ready)}
	}},
	{name: "a withdrawal of the last request, and a person who protects the Cluster", bound: two, parties: func(s *stage) []*explore.Actor {
		return []*explore.Actor{s.withdraws(s.held("first")), s.protects()}
	}},
	{name: "two withdrawals from a protected Cluster", bound: two, parties: func(s *stage) []*explore.Actor {
		first, second := s.held("first"), s.held("second")
		s.protect(true)
		return []*explore.Actor{s.withdraws(first), s.withdraws(second)}
	}},
	{name: "two withdrawals and a grant", bound: three, parties: func(s *stage) []*explore.Actor {
		return []*explore.Actor{s.withdraws(s.held("first")), s.withdraws(s.held("second")), s.creates(s.request("third"))}
	}},
}

var handoverScenarios = []scenario{
	{name: "a handover", bound: two, parties: func(s *stage) []*explore.Actor {
		return []*explore.Actor{s.handsOver(s.held("first")), s.operator()}
	}},
	{name: "a handover of a request whose status does not show its grant", bound: two, parties: func(s *stage) []*explore.Actor {
		return []*explore.Actor{s.handsOver(s.statusLost("first")), s.operator()}
	}},
	{name: "a handover of a request without a grant", bound: two, parties: func(s *stage) []*explore.Actor {
		return []*explore.Actor{s.handsOver(s.asked()), s.operator()}
	}},
	{name: "a handover, and a withdrawal from the same Cluster", bound: three, parties: func(s *stage) []*explore.Actor {
		return []*explore.Actor{s.handsOver(s.held("first")), s.withdraws(s.held("second")), s.operator()}
	}},
	{name: "a handover, and the withdrawal of the same request", bound: three, parties: func(s *stage) []*explore.Actor {
		c := s.held("first")
		return []*explore.Actor{s.handsOver(c), s.withdraws(c), s.operator()}
	}},
	{name: "a handover, and a grant of the same request", bound: three, parties: func(s *stage) []*explore.Actor {
		c := s.asked()
		return []*explore.Actor{s.handsOver(c), s.settles(c), s.operator()}
	}},
	{name: "a handover, and a grant of the same dedicated request", bound: three, parties: func(s *stage) []*explore.Actor {
		c := s.asked(dedicated)
		return []*explore.Actor{s.handsOver(c), s.settles(c), s.operator()}
	}},
	{name: "a handover, and a grant on the same Cluster", bound: three, parties: func(s *stage) []*explore.Actor {
		return []*explore.Actor{s.handsOver(s.held("first")), s.creates(s.request("second")), s.operator()}
	}},
}

var operatorScenarios = []scenario{
	{name: "a request that the operator grants", bound: two, parties: func(s *stage) []*explore.Actor {
		c := s.request("first", byOperator)
		c.over = true
		return []*explore.Actor{s.creates(c), s.operator()}
	}},
}
