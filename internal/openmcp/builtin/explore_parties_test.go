//go:build !race

package builtin

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/explore"
)

// stateOf is what a Terraform state knows of one request.
type stateOf struct {
	want    Wanted
	made    bool // the state has the request
	tainted bool // and the next run makes it anew
	uid     string
	ending  bool // the user wants it to end
	ended   bool
	over    bool // the user wants the operator to serve it
	refused bool // the built-in scheduler does not serve it, because the operator runs
}

// request is a request that no run has made yet.
func (s *stage) request(name string, changes ...func(*Wanted)) *stateOf {
	c := &stateOf{want: Wanted{Ref: api.Ref{Namespace: namespace, Name: name}, ADR: &ADRRequest{
		Purposes: []string{"work"}, Definitions: map[string]adr.Purpose{"work": {}},
	}}}
	for _, change := range changes {
		change(&c.want)
	}
	s.states = append(s.states, c)
	return c
}

func dedicated(w *Wanted) { yes := true; w.ADR.Dedicated = &yes }

// samePrefix proposes the prefix that others propose, too.
func samePrefix(w *Wanted) { w.ADR.Prefix = "same-" }

// earlier is a request that an earlier run has made. What it comes to is the same in each run of the scenario, and made once.
func (s *stage) earlier(name string, begin func(ctx context.Context, c *stateOf) error, changes ...func(*Wanted)) *stateOf {
	c := s.request(name, changes...)
	i := s.before
	s.before++
	if i == len(s.scenario.begun) {
		if err := begin(kube.Steady(context.Background()), c); err != nil || !c.made {
			panic(fmt.Sprintf("making %s: %v", name, err))
		}
		s.checkLog()
		s.scenario.begun = append(s.scenario.begun,
			beginning{s.server.Clone(), maps.Clone(s.requests), maps.Clone(s.clusters), slices.Clone(s.uids), *c})
		return c
	}
	b := s.scenario.begun[i]
	s.server = b.server.Clone()
	s.server.Written = s.note
	s.log, s.requests, s.clusters, s.uids = nil, maps.Clone(b.requests), maps.Clone(b.clusters), slices.Clone(b.uids)
	*c = b.state
	for _, uid := range s.uids[len(s.names):] {
		s.names[uid] = name
	}
	return c
}

// held is a request that holds a Cluster.
func (s *stage) held(name string) *stateOf {
	return s.earlier(name, func(ctx context.Context, c *stateOf) error { return s.make(ctx, nil, s.newPlatform(nil), c) })
}

// asked is a first request that holds nothing: the answer to its grant was lost.
func (s *stage) asked(changes ...func(*Wanted)) *stateOf {
	return s.earlier("first", func(ctx context.Context, c *stateOf) error {
		made, _, err := s.newPlatform(nil).Make(ctx, c.want)
		if err == nil {
			c.made, c.uid = true, string(made.UID)
		}
		return err
	}, changes...)
}

// statusLost is a request that holds a Cluster, and whose status does not say so: its run was cut short.
func (s *stage) statusLost(name string) *stateOf {
	return s.earlier(name, func(ctx context.Context, c *stateOf) error {
		p := s.newPlatform(nil)
		made, _, err := p.Make(ctx, c.want)
		if err != nil {
			return err
		}
		c.made, c.uid = true, string(made.UID)
		_, _, err = p.grant(ctx, made, *c.want.ADR, time.Now())
		return err
	})
}

// byOperator is a request that the operator serves from its beginning.
func byOperator(w *Wanted) { w.ADR, w.Purpose = nil, "work" }

// patient is how long an operation has time.
const patient = 10 * time.Minute

func quiet(string) {}

// ours is an operation of a process of ours.
func (s *stage) ours(name string, c *stateOf, do func(ctx context.Context, a *explore.Actor, p *Scheduler)) *explore.Actor {
	a := &explore.Actor{Name: name}
	a.Run = func(a *explore.Actor) {
		ctx, cancel := context.WithTimeout(kube.Steady(a.Context()), patient)
		defer cancel()
		a.Learns(c.sum()) // the operation begins with what the state says of its request by then
		do(ctx, a, s.platforms[a])
		if s.running--; s.running == 0 {
			close(s.done)
		}
	}
	s.running++
	s.of[a], s.numbers[a] = c, s.running
	s.parties[c.want.Name]++
	explore.NewProcess(func() { s.platforms[a] = s.newPlatform(a) }, a)
	return a
}

// creates makes a request and waits until it is granted, as the provider's create does.
func (s *stage) creates(c *stateOf) *explore.Actor {
	return s.ours("run of "+c.want.Name, c, func(ctx context.Context, a *explore.Actor, p *Scheduler) {
		_ = s.make(ctx, a, p, c)
	})
}

// make is the provider's create.
func (s *stage) make(ctx context.Context, a *explore.Actor, p *Scheduler, c *stateOf) error {
	made, _, err := p.Make(ctx, c.want)
	if err != nil {
		s.finished(a, err, api.Reason(err))
		return err
	}
	waits := ctx
	if !Serves(made) {
		waits = explore.Aside(ctx)
	}
	_, err = p.AwaitGranted(waits, made, quiet)
	var granted *api.ClusterRequest
	giveErr := error(nil)
	switch {
	case err == nil, api.IsGone(err), errors.As(err, new(*UndecidedError)), errors.As(err, new(*DeniedError)):
	default:
		granted, giveErr = p.GiveUp(ctx, made)
	}
	if a != nil && a.Dead() {
		return err
	}
	c.uid = string(made.UID)
	c.refused = errors.As(err, new(*OperatorRunsError))
	switch {
	case err == nil:
		c.made = true
		s.checkGranted(c)
	case granted != nil:
		c.made, err = true, nil
		s.checkGranted(c)
	case errors.As(err, new(*UndecidedError)), giveErr != nil && !errors.As(giveErr, new(*api.WaitError)): // the provider warns
		c.made, err = true, nil
		s.finished(a, err, "stays, and it is not known whether it is granted")
		return nil
	case api.IsGone(err):
		s.checkGone(c, err)
	case errors.As(err, new(*DeniedError)), giveErr != nil:
		c.made, c.tainted = true, true
	default:
		s.checkGone(c, err)
	}
	s.finished(a, err, "")
	return err
}

// settles has an existing request granted, as the provider's update does.
func (s *stage) settles(c *stateOf) *explore.Actor {
	return s.ours("second run of "+c.want.Name, c, func(ctx context.Context, a *explore.Actor, p *Scheduler) {
		err := s.settle(ctx, p, c)
		if a.Dead() {
			return
		}
		if err == nil {
			s.checkGranted(c)
		}
		s.finished(a, err, "")
	})
}

func (s *stage) settle(ctx context.Context, p *Scheduler, c *stateOf) error {
	live, err := p.objects.Requests.Get(ctx, c.want.Ref)
	if err == nil && string(live.UID) != c.uid {
		err = &api.GoneError{Kind: api.KindRequest, Ref: c.want.Ref, UID: c.uid}
	}
	if err == nil {
		live, err = p.TakeBack(ctx, live)
	}
	if err == nil {
		if !Serves(live) {
			ctx = explore.Aside(ctx)
		}
		_, err = p.AwaitGranted(ctx, live, quiet)
	}
	return err
}

// withdraws ends a request, as the provider's delete does.
func (s *stage) withdraws(c *stateOf) *explore.Actor {
	c.ending = true
	return s.ours("withdrawal of "+c.want.Name, c, func(ctx context.Context, a *explore.Actor, p *Scheduler) {
		err := p.Withdraw(ctx, c.want.Ref, c.uid, quiet)
		if a.Dead() {
			return
		}
		s.finished(a, err, "")
		if err == nil {
			c.ended = true
			s.checkGone(c, nil)
		}
	})
}

// handsOver gives a request to the operator, as the provider's update does.
func (s *stage) handsOver(c *stateOf) *explore.Actor {
	c.over = true
	return s.ours("handover of "+c.want.Name, c, func(ctx context.Context, a *explore.Actor, p *Scheduler) {
		err := s.handOver(ctx, p, c)
		if !a.Dead() {
			s.finished(a, err, "")
		}
	})
}

func (s *stage) handOver(ctx context.Context, p *Scheduler, c *stateOf) error {
	live, err := p.objects.Requests.Get(ctx, c.want.Ref)
	if err != nil || HandedOver(live) {
		return err
	}
	_, err = p.HandOver(ctx, live)
	return err
}

// finished notes the end of an operation.
func (s *stage) finished(a *explore.Actor, err error, what any) {
	if a == nil {
		return
	}
	if err != nil {
		s.Tell(a, fmt.Sprintf("ends with: %v", err))
	} else {
		s.Tell(a, fmt.Sprintf("ends well %v", what))
	}
	s.Noting(func() { s.over[authorOf(a)] = err })
}

func text(words string) func() string { return func() string { return words } }

// person is another party that does one thing.
func (s *stage) person(what string, do func()) *explore.Actor {
	return &explore.Actor{Name: "a person", Run: func(a *explore.Actor) {
		a.Call(explore.Call{What: text(what)})
		do()
	}}
}

// protects is a person, or the apply of another state, who protects each Cluster.
func (s *stage) protects() *explore.Actor {
	return s.person("protects each Cluster", func() { s.protect(true) })
}

// protect protects each Cluster, or takes the protection away.
func (s *stage) protect(on bool) {
	for _, c := range s.server.Objects("clusters") {
		s.others(http.MethodPatch, "clusters/"+c.GetName(), fields{"metadata": fields{"annotations": kube.Protected(on)}})
	}
}

// deletes is a person who deletes a request by hand.
func (s *stage) deletes(c *stateOf) *explore.Actor {
	s.parties[c.want.Name]++
	return s.person("deletes the request "+c.want.Name, func() { s.others(http.MethodDelete, "clusterrequests/"+c.want.Name, nil) })
}

// provider is the cluster provider, which writes the status of a Cluster.
func (s *stage) provider(phases ...string) *explore.Actor {
	return &explore.Actor{Name: "cluster provider", Run: func(a *explore.Actor) {
		for _, phase := range phases {
			a.Call(explore.Call{What: text("says that each Cluster is " + phase)})
			for _, c := range s.server.Objects("clusters") {
				s.others(http.MethodPatch, "clusters/"+c.GetName()+"/status", fields{"status": fields{"phase": phase}})
			}
		}
	}}
}

// operator is the openmcp-operator: its scheduler reconciles whenever something has changed, by what it has read before the explorer lets
// it go on, and changes metadata without a precondition, as it does in truth.
func (s *stage) operator() *explore.Actor {
	s.parties[everyRequest]++
	return &explore.Actor{Name: "operator", Run: s.operate}
}

func (s *stage) operate(a *explore.Actor) {
	for {
		a.Forgets() // it decides by what it reads, anew each time
		if what, do := s.reconcile(); do != nil {
			a.Learns(explore.Sum(s.server.Sum()))
			a.Call(explore.Call{What: text(what)})
			do()
			continue
		}
		a.Idle = true
		select {
		case <-s.changed: // before the end, where both have come: a select would take either
		default:
			select {
			case <-s.changed:
			case <-s.done:
				return
			case <-s.Over:
				return
			}
		}
		a.Idle = false
	}
}

// reconcile is the next write of the operator; nil = there is nothing to do.
func (s *stage) reconcile() (what string, do func()) {
	for _, r := range s.server.Objects("clusterrequests") {
		if r.GetAnnotations()[api.OperationAnnotation] == api.OperationIgnore {
			continue
		}
		if what, do = s.reconcileOne(r); do != nil {
			return what + " " + r.GetName(), do
		}
	}
	return "", nil
}

func (s *stage) reconcileOne(r *unstructured.Unstructured) (what string, do func()) {
	own := api.TenantFinalizer + string(r.GetUID())
	seen := slices.Contains(r.GetFinalizers(), api.RequestFinalizer)
	switch {
	case r.GetDeletionTimestamp() != nil && !seen:
		return "", nil
	case r.GetDeletionTimestamp() != nil:
		return s.operatorFrees(r, own)
	case !seen:
		return "takes", func() { s.finalizers("clusterrequests/"+r.GetName(), append(r.GetFinalizers(), api.RequestFinalizer)) }
	}
	ref, has, _ := unstructured.NestedString(r.Object, "status", "cluster", "name")
	purpose, _, _ := unstructured.NestedString(r.Object, "spec", "purpose")
	var shared *unstructured.Unstructured
	for _, c := range s.server.Objects("clusters") {
		holds := slices.Contains(c.GetFinalizers(), own)
		purposes, _, _ := unstructured.NestedStringSlice(c.Object, "spec", "purposes")
		switch {
		case has && c.GetName() == ref && holds:
			return "", nil
		case has && c.GetName() == ref:
			return "adds its finalizer again for", s.joins(c, own)
		case has, !slices.Contains(purposes, purpose):
		case holds:
			return "writes the grant into the status of", func() {
				s.others(http.MethodPatch, "clusterrequests/"+r.GetName()+"/status", fields{"status": fields{"phase": api.Granted,
					"observedGeneration": r.GetGeneration(), "cluster": fields{"namespace": namespace, "name": c.GetName()}}})
			}
		case c.GetDeletionTimestamp() == nil:
			shared = c
		}
	}
	if shared != nil {
		return "grants " + shared.GetName() + " to", s.joins(shared, own)
	}
	if !has {
		ref = purpose
	}
	return "makes a Cluster for", func() {
		s.others(http.MethodPost, "clusters", fields{
			"metadata": fields{"name": ref, "finalizers": []any{own}, "labels": fields{api.DeletedWithoutRequests: "true"}},
			"spec":     fields{"profile": "small", "tenancy": api.Shared, "purposes": []any{purpose}},
		})
	}
}

func (s *stage) joins(c *unstructured.Unstructured, own string) func() {
	return func() { s.finalizers("clusters/"+c.GetName(), append(c.GetFinalizers(), own)) }
}

// operatorFrees takes a request off its Clusters, then lets it go.
func (s *stage) operatorFrees(r *unstructured.Unstructured, own string) (what string, do func()) {
	without := func(o *unstructured.Unstructured, finalizer string) []string {
		return slices.DeleteFunc(o.GetFinalizers(), func(f string) bool { return f == finalizer })
	}
	for _, c := range s.server.Objects("clusters") {
		if !slices.Contains(c.GetFinalizers(), own) {
			continue
		}
		return "frees " + c.GetName() + " of", func() {
			left := without(c, own)
			s.finalizers("clusters/"+c.GetName(), left)
			holds := func(f string) bool { return strings.HasPrefix(f, api.TenantFinalizer) }
			if c.GetLabels()[api.DeletedWithoutRequests] == "true" && !slices.ContainsFunc(left, holds) {
				s.others(http.MethodDelete, "clusters/"+c.GetName(), nil)
			}
		}
	}
	return "lets go of", func() { s.finalizers("clusterrequests/"+r.GetName(), without(r, api.RequestFinalizer)) }
}

// finalizers writes a list of finalizers as it was read, without a precondition.
func (s *stage) finalizers(path string, list []string) {
	s.others(http.MethodPatch, path, fields{"metadata": fields{"finalizers": list}})
}
