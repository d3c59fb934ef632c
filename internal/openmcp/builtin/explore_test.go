//go:build !race

package builtin

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/apiserver"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/explore"
)

// The protocol of the built-in scheduler on the explorer: see the package explore. Its world is an API server in memory, whose answers the
// package apiserver compares with those of kube-apiserver. The race detector would take hours.

// scenario is a platform cluster and the parties that work on it at once.
type scenario struct {
	name      string
	bound     explore.Bound
	readsFail bool // reads fail, too
	parties   func(s *stage) []*explore.Actor
	check     func(s *stage)    // beside the promises, when all parties have ended; nil = nothing
	offered   *apiserver.Server // with what a cluster provider offers; as begun, it is the same in each run of the scenario
	begun     []beginning       // what earlier runs have made
}

// beginning is the world before the parties begin: a request with what an earlier run has made of it.
type beginning struct {
	server             *apiserver.Server
	requests, clusters map[string]*unstructured.Unstructured
	uids               []string
	state              stateOf
}

// stage is one run of a scenario by one schedule.
type stage struct {
	*explore.Stage
	truth

	server    *apiserver.Server
	platforms map[*explore.Actor]*Scheduler
	numbers   map[*explore.Actor]int // of our operations
	readsFail bool
	scenario  *scenario
	before    int // how many earlier runs there were

	changed   chan struct{}  // wakes the operator
	done      chan struct{}  // closed when all operations of ours have ended
	finishing bool           // the next runs are under way
	running   int            // operations of ours that have not ended
	parties   map[string]int // how many parties may write a request, by its name
}

func (sc *scenario) play(_ *testing.T, run *explore.Stage) {
	s := &stage{
		Stage: run, truth: newTruth(), platforms: map[*explore.Actor]*Scheduler{}, parties: map[string]int{},
		numbers:   map[*explore.Actor]int{},
		readsFail: sc.readsFail, scenario: sc, changed: make(chan struct{}, 1), done: make(chan struct{}),
	}
	if sc.offered == nil {
		s.server = apiserver.New(apiserver.OpenMCP()...)
		s.offer()
		sc.offered = s.server
	}
	s.server = sc.offered.Clone()
	s.server.Written = s.note
	parties := sc.parties(s)
	s.Observe, s.World = s.checkLog, s.world
	ended := s.Play(parties...)
	if sc.check != nil && ended {
		sc.check(s)
	}
	if ended && !s.Broken() && s.NewEnd(s.end()) {
		s.finish()
	}
	time.Sleep(time.Minute) // for the watches that outlast what waited for them
}

// offer has a cluster provider offer one profile.
func (s *stage) offer() {
	s.others(http.MethodPost, "clusterprofiles", fields{
		"metadata": fields{"name": "small"}, "spec": fields{"providerRef": fields{"name": "gardener"},
			"providerConfigRef": fields{"name": "small"}, "supportedVersions": []any{fields{"version": "1.33.1"}}}})
}

// fields are those of an object, or of a part of it.
type fields = map[string]any

// others writes as another party does: no precondition, and no fault.
func (s *stage) others(method, path string, body fields) {
	group, kinds := "clusters.openmcp.cloud/v1alpha1/", map[string]string{
		"clusterprofiles": api.KindProfile, "clusters": api.KindCluster, "clusterrequests": api.KindRequest,
	}
	if !strings.HasPrefix(path, "clusterprofiles") {
		group += "namespaces/" + namespace + "/"
	}
	if method == http.MethodPost {
		body["apiVersion"], body["kind"] = "clusters.openmcp.cloud/v1alpha1", kinds[path]
	}
	text, err := json.Marshal(body)
	if err != nil {
		panic(err)
	}
	req, err := http.NewRequestWithContext(context.Background(), method, "https://memory.invalid/apis/"+group+path, http.NoBody)
	if err != nil {
		panic(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if method == http.MethodPatch {
		req.Header.Set("Content-Type", "application/merge-patch+json")
	}
	if method == http.MethodDelete {
		text = nil
	}
	answer := s.server.Answer(req, text)
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode == http.StatusBadRequest || answer.StatusCode == http.StatusUnprocessableEntity && method == http.MethodPost {
		panic(fmt.Sprintf("%s %s: %s", method, path, answer.Status))
	}
}

func explored() []explore.Scenario {
	all := scenarios()
	explored := make([]explore.Scenario, len(all))
	for i := range all {
		explored[i] = explore.Scenario{Name: all[i].name, Bound: all[i].bound, Play: all[i].play, Costly: true}
	}
	return explored
}

func TestExplore(t *testing.T) { //nolint:paralleltest // it has one processor
	explore.Run(t, "scheduler", "../../../EXPLORED.md", explored())
}

// A schedule that comes to a state which another has come to before is not played further.
func TestExplore_knownStates(t *testing.T) { //nolint:paralleltest // it has one processor
	explore.Compare(t, explored())
}
