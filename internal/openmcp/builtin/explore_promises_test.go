//go:build !race

package builtin

import (
	"context"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing/synctest"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/apiserver"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/explore"
)

// author is one operation: an actor, and which life of it.
type author struct {
	by   *explore.Actor
	life int
	late bool // what was on its way arrives
}

func authorOf(a *explore.Actor) author {
	if a == nil {
		return author{}
	}
	return author{by: a, life: a.Life}
}

// entry is one write that has changed an object.
type entry struct {
	apiserver.Change

	who  author
	late error // how the operation had ended by then; nil = it had not, or well
}

// truth is what is known of a run beside what the parties see of it.
type truth struct {
	states []*stateOf
	of     map[*explore.Actor]*stateOf // the request that an operation is for
	over   map[author]error            // how operations ended
	names  map[string]string           // of requests, by uid
	uids   []string                    // of requests, in their order

	lateGrants map[string]author // who has granted what to a request that was gone, by uid
	granters   map[string]author // who of us has granted a request its last Cluster, by uid
	doubled    map[string]bool   // requests for which the creation of a Cluster has come late, by uid
	log        []entry
	requests   map[string]*unstructured.Unstructured // by uid, as they are at the entry that is checked
	clusters   map[string]*unstructured.Unstructured
}

func newTruth() truth {
	return truth{lateGrants: map[string]author{}, granters: map[string]author{}, doubled: map[string]bool{}, of: map[*explore.Actor]*stateOf{}, over: map[author]error{}, names: map[string]string{},
		requests: map[string]*unstructured.Unstructured{}, clusters: map[string]*unstructured.Unstructured{}}
}

// note is called after each write.
func (s *stage) note(ctx context.Context, c apiserver.Change) {
	who, _ := ctx.Value(authorKey{}).(author)
	_, err := s.endOf(who)
	s.log = append(s.log, entry{c, who, err})
	if c.After != nil && c.Before == nil && c.After.GetKind() == api.KindRequest {
		uid := string(c.After.GetUID())
		s.names[uid], s.uids = c.After.GetName(), append(s.uids, uid)
	}
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// checkLog checks what came to the log since the last time, entry by entry.
func (s *stage) checkLog() {
	log := s.log
	s.log = nil
	for _, e := range log {
		of := e.After
		if of == nil {
			of = e.Before
		}
		switch of.GetKind() {
		case api.KindRequest:
			s.checkRequest(e)
			s.noteLeft(e)
			keep(s.requests, e)
		case api.KindCluster:
			s.checkDeletion(e)
			s.checkOwn(e)
			s.noteStrays(e)
			keep(s.clusters, e)
			s.checkHolders()
		}
		if e.late != nil && !inDoubt(e.late) && e.Before != nil { // the next run finds what was made

			s.Break("%s ended with an error that says nothing of a write which may still come, and it came to %s: %v", e.who.by.Name,
				of.GetName(), e.late)
		}
	}
}

// noteStrays notes the grants that come after the end of their requests. No precondition keeps them away.
func (s *stage) noteStrays(e entry) {
	if e.After == nil || e.who.by == nil {
		return
	}
	for _, uid := range tenantsOf(e.After) {
		if e.who.late && e.Before == nil {
			s.doubled[uid] = true
		}
		if e.Before == nil || !slices.Contains(tenantsOf(e.Before), uid) {
			s.granters[uid] = e.who
		}
		if s.requests[uid] == nil && (e.Before == nil || !slices.Contains(tenantsOf(e.Before), uid)) {
			s.lateGrants[uid] = e.who
		}
	}
}

// noteLeft notes the grants that came between a withdrawal from the Cluster and the end of the request. No precondition keeps these away
// either.
func (s *stage) noteLeft(e entry) {
	if e.After != nil {
		return
	}
	uid := string(e.Before.GetUID())
	for _, c := range s.clusters {
		if who, ours := s.granters[uid]; ours && slices.Contains(tenantsOf(c), uid) {
			s.lateGrants[uid] = who
		}
	}
}

// isStray reports whether a grant was there after its request was gone, and no living process has sent it. Its Cluster stays.
func (s *stage) isStray(uid string) bool {
	who, is := s.lateGrants[uid]
	return is && (who.late || who.by.Life > who.life)
}

// endOf reports whether the operation of a write has ended, and with which error.
func (s *stage) endOf(who author) (ended bool, err error) {
	s.Noting(func() { err, ended = s.over[author{by: who.by, life: who.life}] })
	return ended, err
}

// isGivenBack reports whether the operator has a request that we have granted a Cluster, and the process that has done so is at work, has
// died, or has said that it could not give the Cluster back.
func (s *stage) isGivenBack(uid string) bool {
	who, is := s.granters[uid]
	ended, err := s.endOf(who)
	r := s.requests[uid]
	return is && r != nil && slices.Contains(r.GetFinalizers(), api.RequestFinalizer) &&
		(!ended || who.by.Life > who.life || errors.As(err, new(*SecondClusterError)))
}

// isTakenBack reports whether a grant was there after its request was gone, and the operation that has sent it goes on: after its grant it
// reads the request, and takes the grant back.
func (s *stage) isTakenBack(uid string) bool {
	who, is := s.lateGrants[uid]
	ended, _ := s.endOf(who)
	return is && !ended
}

func keep(all map[string]*unstructured.Unstructured, e entry) {
	if e.After == nil {
		delete(all, string(e.Before.GetUID()))
		return
	}
	all[string(e.After.GetUID())] = e.After
}

// inDoubt reports whether an error says that a write may have taken effect, or may yet.
func inDoubt(err error) bool {
	return api.Reason(err) == kube.UnknownOutcome || errors.As(err, new(*UndecidedError)) || errors.As(err, new(*api.WaitError))
}

// checkRequest: nothing of the operator's is overwritten. The status of a request that the operator has taken, and that another run has had
// it leave alone, is not the operator's.
func (s *stage) checkRequest(e entry) {
	if e.who.by == nil || e.Before == nil || !slices.Contains(e.Before.GetFinalizers(), api.RequestFinalizer) || e.After == nil {
		return
	}
	before, after := e.Before.Object["status"], e.After.Object["status"]
	switch {
	case !slices.Contains(e.After.GetFinalizers(), api.RequestFinalizer):
		s.Break("%s takes the operator's finalizer off request %s", e.who.by.Name, e.After.GetName())
	case slices.Contains(e.After.GetFinalizers(), builtinFinalizer) && !slices.Contains(e.Before.GetFinalizers(), builtinFinalizer):
		s.Break("%s takes request %s from the operator", e.who.by.Name, e.After.GetName())
	case !reflect.DeepEqual(before, after) && e.Before.GetAnnotations()[api.OperationAnnotation] != api.OperationIgnore:
		s.Break("%s changes the status of request %s, which the operator serves", e.who.by.Name, e.After.GetName())
	}
}

// lives reports whether the request of a uid is there, and is not being deleted.
func (s *stage) lives(uid string) bool {
	r := s.requests[uid]
	return r != nil && r.GetDeletionTimestamp() == nil
}

// isOwn reports whether a uid is that of the request which an operation of ours is for, in any life of it.
func (s *stage) isOwn(who author, uid string) bool {
	return s.of[who.by] != nil && s.names[uid] == s.of[who.by].want.Name
}

// checkDeletion checks that we never delete a Cluster which is protected, or which an existing request holds, or was granted; the next runs
// included. A request that the operator has granted another Cluster has no workload on this one.
func (s *stage) checkDeletion(e entry) {
	begins := e.Before != nil && e.Before.GetDeletionTimestamp() == nil && (e.After == nil || e.After.GetDeletionTimestamp() != nil)
	if !begins || e.who.by == nil && !s.finishing {
		return
	}
	who := "a next run"
	if e.who.by != nil {
		who = e.who.by.Name
	}
	if kube.IsProtected(e.Before.GetAnnotations()) {
		s.Break("%s deletes Cluster %s, which is protected", who, e.Before.GetName())
	}
	for _, uid := range slices.Concat(tenantsOf(e.Before), slices.Collect(maps.Keys(recordsOf(e.Before)))) {
		if s.lives(uid) && !s.servedElsewhere(uid, e.Before.GetName()) {
			s.Break("%s deletes Cluster %s, and request %s lives there", who, e.Before.GetName(), s.names[uid])
		}
	}
}

// servedElsewhere reports whether the operator has granted a request another Cluster than this one: its workload runs there.
func (s *stage) servedElsewhere(uid, cluster string) bool {
	named, has, _ := unstructured.NestedString(s.requests[uid].Object, "status", "cluster", "name")
	return has && named != cluster && slices.Contains(s.requests[uid].GetFinalizers(), api.RequestFinalizer)
}

// checkOwn: a write of ours to a Cluster changes what is of its own request, and nothing of others but what requests have left that are
// gone.
func (s *stage) checkOwn(e entry) {
	if e.who.by == nil || e.Before == nil || e.After == nil {
		return
	}
	had, has := e.Before.GetFinalizers(), e.After.GetFinalizers()
	for _, f := range slices.Concat(had, has) {
		uid, isTenant := strings.CutPrefix(f, api.TenantFinalizer)
		if slices.Contains(had, f) != slices.Contains(has, f) && !(isTenant && (s.isOwn(e.who, uid) || s.requests[uid] == nil)) {
			s.Break("%s changes the finalizer %s of Cluster %s", e.who.by.Name, s.named(f), e.After.GetName())
		}
	}
	was, is := e.Before.GetAnnotations(), e.After.GetAnnotations()
	for _, key := range slices.Concat(slices.Collect(maps.Keys(was)), slices.Collect(maps.Keys(is))) {
		uid, isGrant := strings.CutPrefix(key, api.GrantAnnotation)
		if was[key] != is[key] && !(isGrant && (s.isOwn(e.who, uid) || s.requests[uid] == nil)) {
			s.Break("%s changes the annotation %s of Cluster %s", e.who.by.Name, s.named(key), e.After.GetName())
		}
	}
	if !reflect.DeepEqual(e.Before.Object["spec"], e.After.Object["spec"]) || !reflect.DeepEqual(e.Before.GetLabels(), e.After.GetLabels()) {
		s.Break("%s changes Cluster %s itself", e.who.by.Name, e.After.GetName())
	}
}

func tenantsOf(c *unstructured.Unstructured) (uids []string) {
	for _, f := range c.GetFinalizers() {
		if uid, ok := strings.CutPrefix(f, api.TenantFinalizer); ok {
			uids = append(uids, uid)
		}
	}
	return uids
}

// recordsOf are the prefixes granted on a Cluster, by the uid of the request.
func recordsOf(c *unstructured.Unstructured) map[string]string {
	records := map[string]string{}
	for key, text := range c.GetAnnotations() {
		if uid, ok := strings.CutPrefix(key, api.GrantAnnotation); ok {
			_, prefix, _ := strings.Cut(text, `"prefix":"`)
			prefix, _, _ = strings.Cut(prefix, `"`)
			records[uid] = prefix
		}
	}
	return records
}

// checkHolders checks that no request has two Clusters, unless a creation came late, which has no precondition; and that no two prefixes of
// one Cluster collide.
func (s *stage) checkHolders() {
	holds := map[string]string{}
	for _, c := range s.clusters {
		for _, uid := range tenantsOf(c) {
			if other, twice := holds[uid]; twice && !s.doubled[uid] && !s.isGivenBack(uid) {
				s.Break("request %s holds two Clusters, %s and %s", s.names[uid], other, c.GetName())
			}
			holds[uid] = c.GetName()
		}
		records := recordsOf(c)
		for uid, prefix := range records {
			for other, theirs := range records {
				if uid != other && prefix != "" && theirs != "" && adr.PrefixesCollide(prefix, theirs) {
					s.Break("the prefixes %s and %s are granted on Cluster %s", prefix, theirs, c.GetName())
				}
			}
		}
	}
}

// checkGranted checks that a request which a run reports as granted holds its Cluster, and that its status says so; or it is being deleted.
func (s *stage) checkGranted(c *stateOf) {
	s.checkLog()
	if !s.lives(c.uid) {
		return
	}
	for _, cluster := range s.clusters {
		if slices.Contains(tenantsOf(cluster), c.uid) {
			return
		}
	}
	s.Break("request %s is granted, and holds no Cluster", c.want.Name)
}

// checkGone checks that nothing is left of a request which a run reports as gone. Where another party has deleted it, it may still be in
// deletion.
func (s *stage) checkGone(c *stateOf, why error) {
	s.checkLog()
	if s.lives(c.uid) || why == nil && s.requests[c.uid] != nil {
		s.Break("request %s is reported as gone, and is there (%v)", c.want.Name, why)
	}
	if s.requests[c.uid] != nil {
		return
	}
	for _, cluster := range s.clusters {
		_, recorded := recordsOf(cluster)[c.uid] // the operator leaves the record
		if !s.isStray(c.uid) && !s.isTakenBack(c.uid) && (recorded && !c.over || slices.Contains(tenantsOf(cluster), c.uid)) {
			s.Break("request %s is reported as gone, and is on Cluster %s (%v)", c.want.Name, cluster.GetName(), why)
		}
	}
}

// finish makes the next run of each request, without any fault, and checks what has come of all; then it ends all.
func (s *stage) finish() {
	s.Calm()
	ctx, cancel := context.WithTimeout(kube.Steady(context.Background()), patient)
	defer cancel()
	s.finishing, s.done = true, make(chan struct{})
	operated := make(chan struct{})
	go func() { s.operate(&explore.Actor{}); close(operated) }()
	for _, c := range s.states {
		s.nextRun(ctx, c)
	}
	synctest.Wait() // a handover ends when the operator has taken the request, which it grants then
	s.checkAll()
	for _, c := range s.states {
		s.withdraw(ctx, c)
	}
	s.checkLog()
	close(s.done)
	<-operated
	s.checkLog()
	if !s.Broken() {
		s.checkNothingLeft()
	}
}

// nextRun is the next run of a request.
func (s *stage) nextRun(ctx context.Context, c *stateOf) {
	if c.ending || c.tainted {
		s.withdraw(ctx, c)
	}
	if c.ending || s.Broken() {
		return
	}
	p := s.newPlatform(nil)
	live, err := p.objects.Requests.Get(ctx, c.want.Ref)
	switch {
	case api.IsGone(err), err == nil && string(live.UID) != c.uid:
		c.made = false
	case err == nil && live.DeletionTimestamp != nil:
		s.withdraw(ctx, c)
	}
	switch {
	case !c.made:
		if err = s.make(ctx, nil, p, c); errors.As(err, new(*EndsClusterError)) { // the user takes it into a state, which ends it
			c.made, c.uid = true, string(live.UID)
			s.withdraw(ctx, c)
			err = s.make(ctx, nil, p, c)
		}
	case c.over:
		err = s.handOver(ctx, p, c)
	default:
		err = s.settle(ctx, p, c)
	}
	s.Tell(nil, "the next run of "+c.want.Name+" is done")
	switch {
	case s.parties[everyRequest] > 0 && !c.over && errors.As(err, new(*OperatorRunsError)),
		s.doubled[c.uid] && errors.As(err, new(*adr.InputError)): // it holds two Clusters, and a person has to take one away
		c.refused = true
	case err != nil || !c.made:
		s.Break("the next run of %s ends with: %v", c.want.Name, err)
	}
}

// withdraw ends a request, as far as a state knows it.
func (s *stage) withdraw(ctx context.Context, c *stateOf) {
	if !c.made || c.ended || s.Broken() {
		return
	}
	err := s.newPlatform(nil).Withdraw(ctx, c.want.Ref, c.uid, quiet)
	if errors.As(err, new(*kube.ProtectedError)) { // a person takes the protection away, as the message says
		s.Tell(nil, "the next withdrawal of "+c.want.Name+" is refused")
		s.protect(false)
		err = s.newPlatform(nil).Withdraw(ctx, c.want.Ref, c.uid, quiet)
	}
	if err != nil {
		s.Break("the next withdrawal of %s ends with: %v", c.want.Name, err)
	}
	s.Tell(nil, "the next withdrawal of "+c.want.Name+" is done")
	c.made, c.tainted, c.ended = false, false, c.ending
	s.checkGone(c, nil)
}

// checkAll checks, after the next runs, that each request holds the Cluster that its status names, and that each request which holds a
// Cluster exists.
func (s *stage) checkAll() {
	s.checkLog()
	if s.Broken() {
		return
	}
	s.checkHolders()
	for _, c := range s.clusters {
		for _, uid := range tenantsOf(c) {
			if s.requests[uid] == nil && !s.isStray(uid) {
				s.Break("Cluster %s is held by request %s, which is gone", c.GetName(), s.names[uid])
			}
		}
		for uid := range recordsOf(c) {
			if s.requests[uid] != nil && !slices.Contains(tenantsOf(c), uid) {
				s.Break("Cluster %s has lost the finalizer of request %s, which lives", c.GetName(), s.names[uid])
			}
		}
	}
	for _, c := range s.states {
		if c.ended || c.refused {
			continue
		}
		r := s.requests[c.uid]
		if r == nil {
			s.Break("request %s is not there", c.want.Name)
			continue
		}
		named, _, _ := unstructured.NestedString(r.Object, "status", "cluster", "name")
		if phase, _ := phaseOf(r); phase != api.Granted || !s.holdsNamed(c.uid, named) {
			s.Break("request %s is %s, and does not hold its Cluster %q", c.want.Name, phase, named)
		}
		if served := slices.Contains(r.GetFinalizers(), api.RequestFinalizer); served != c.over {
			s.Break("the operator serves request %s: %t", c.want.Name, served)
		}
	}
}

func (s *stage) holdsNamed(uid, name string) bool {
	for _, c := range s.clusters {
		if c.GetName() == name && slices.Contains(tenantsOf(c), uid) {
			return true
		}
	}
	return false
}

// checkNothingLeft checks that no request is left when all have ended, and no Cluster that goes with its last request. A Cluster stays that
// a grant without a request holds.
func (s *stage) checkNothingLeft() {
	for _, r := range s.requests {
		s.Break("request %s is left, and no state knows it", r.GetName())
	}
	for _, c := range s.clusters {
		if c.GetLabels()[api.DeletedWithoutRequests] == "true" && !slices.ContainsFunc(tenantsOf(c), s.isStray) {
			s.Break("Cluster %s is left: %s", c.GetName(), s.objectsNow("clusters", c.GetName()))
		}
	}
}

func phaseOf(o *unstructured.Unstructured) (string, bool) {
	phase, found, _ := unstructured.NestedString(o.Object, "status", "phase")
	return phase, found
}
