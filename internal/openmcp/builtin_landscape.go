package openmcp

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/clusters"
	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
)

// PreviewADR says what the built-in scheduler does with a request, made or not, as the platform cluster is now. It writes
// nothing. A request that exists, and says the same or holds a Cluster that serves it, is judged as it is; one that says something else, or
// is being deleted, counts as gone. Of a new Cluster it has the name too.
//
// Errors: [*adr.InputError]; those of [kube.Read].
func (p *Platform) PreviewADR(ctx context.Context, w WantedRequest) (adr.Decision, error) {
	live, err := p.RequestNow(ctx, w.Ref)
	if err != nil && !IsGone(err) {
		return adr.Decision{}, err
	}
	all, err := p.Clusters(ctx)
	if err != nil {
		return adr.Decision{}, err
	}
	profiles, err := p.offered.get(ctx, p, 0)
	if err != nil {
		return adr.Decision{}, err
	}
	if live != nil && !p.keeps(ctx, live, w) {
		if all, err = p.without(ctx, all, string(live.UID)); err != nil {
			return adr.Decision{}, err
		}
		live = nil
	}
	d, _, err := judge(w.Ref, *w.ADR, live, profiles, all)
	return d, err
}

// keeps reports whether a request that is there stays: it asks for the same, or its Cluster serves what is wanted by now as well.
func (p *Platform) keeps(ctx context.Context, live *ClusterRequest, w WantedRequest) bool {
	if live.DeletionTimestamp != nil || asks(live, w) {
		return live.DeletionTimestamp == nil
	}
	held, why, err := p.outgrown(ctx, live, w)
	return err == nil && held != nil && why == ""
}

// judge decides on a request, and carries nothing out: the apply does what the preview says. standing is the request that exists; nil = it
// is not made yet. cluster is the one that it keeps or comes to; nil = none, or a new one, whose name the decision has.
//
// Errors: [*adr.InputError].
func judge(
	of Ref, asked ADRRequest, standing *ClusterRequest, profiles []adr.Profile, all []*Cluster,
) (d adr.Decision, cluster *Cluster, err error) {
	uid := ""
	if standing != nil {
		uid, all = string(standing.UID), eligible(all, standing)
	}
	d, err = adr.Schedule(asked.request(of), adrLandscape(of, asked.Definitions, profiles, all, uid))
	if err != nil || d.Action == clusters.Deny {
		return d, nil, err
	}
	if d.Action == clusters.Reuse {
		return d, all[slices.IndexFunc(all, func(c *Cluster) bool { return c.Ref() == Ref(d.Cluster) })], nil
	}
	if standing == nil || standing.Status.Cluster == nil {
		d.Cluster = clusters.Ref{Namespace: of.Namespace, Name: clusterName(all, of, asked, d)}
		return d, nil, nil
	}
	own := deserted(all, standing)
	switch {
	case d.Dedicated && own != nil:
		return rejoined(d, own), own, nil
	case len(all) > 0:
		return nameTaken(d, all[0]), nil, nil
	}
	d.Cluster = clusters.Ref(*standing.Status.Cluster) // it was deleted under its request
	return d, nil, nil
}

// rejoined is the decision that a request gets its dedicated Cluster again, off which another party has taken its finalizer.
func rejoined(d adr.Decision, own *Cluster) adr.Decision {
	of := seenCluster(own)
	d.Action, d.Reason = clusters.Reuse, reasonRejoined
	d.Message = fmt.Sprintf("The dedicated Cluster %s was granted to the request, and another party has taken the request's finalizer off: "+
		"the request gets it again.", own.Ref())
	d.Cluster, d.Profile, d.Version, d.Candidates = of.Ref, of.Profile, of.Version, []clusters.Candidate{{
		Kind: clusters.CandidateCluster, Ref: of.Ref, Chosen: true, Reason: "the request was granted it",
	}}
	return d
}

// nameTaken is the denial of a request whose Cluster cannot be made anew.
func nameTaken(d adr.Decision, by *Cluster) adr.Decision {
	return adr.Decision{
		Action: clusters.Deny, Reason: ReasonNameTaken, Wanted: d.Wanted, Dedicated: d.Dedicated, Warnings: d.Warnings,
		Candidates: slices.DeleteFunc(slices.Clone(d.Candidates), func(c clusters.Candidate) bool { return c.Chosen }),
		Message: fmt.Sprintf("The request does not hold its Cluster %s any more, the one that has the name now does not fit, and a request "+
			"cannot be given a Cluster of another name.", by.Ref()),
	}
}

const (
	// ReasonNameTaken denies a request whose Cluster cannot be made anew, because another has its name.
	ReasonNameTaken clusters.Reason = "NameTaken"
	// reasonRejoined gives a request its dedicated Cluster again.
	reasonRejoined clusters.Reason = "ClusterRejoined"
)

// asks reports whether a request asks for what is wanted, whatever its purposes mean: a grant is for life.
func asks(live *ClusterRequest, w WantedRequest) bool {
	asked, err := ADRRequestOf(live)
	wanted := *w.ADR
	asked.Definitions, wanted.Definitions = nil, nil
	return err == nil && reflect.DeepEqual(asked, wanted)
}

// adrLandscape is what package adr decides by for the request of this name and uid. A Cluster that is being deleted is given to no
// request, and stays that of those that hold it.
func adrLandscape(
	of Ref, definitions map[string]adr.Purpose, profiles []adr.Profile, all []*Cluster, uid string,
) adr.Landscape {
	l := adr.Landscape{Purposes: definitions, Profiles: profiles}
	for _, c := range all {
		if _, held := GrantOf(c, uid); held || c.DeletionTimestamp == nil {
			l.Clusters = append(l.Clusters, adrCluster(c, of, uid))
		}
	}
	return l
}

// without are the Clusters as they are when a request has left. One that goes with its last request is gone then.
func (p *Platform) without(ctx context.Context, all []*Cluster, uid string) (left []*Cluster, err error) {
	for _, c := range all {
		if isGrantedTo(c, uid) {
			goes, err := p.goesWith(ctx, c, uid, noOther)
			if err != nil {
				return nil, err
			}
			if goes {
				continue
			}
			c = copied(c)
			c.Finalizers = slices.DeleteFunc(c.Finalizers, func(f string) bool { return f == tenantFinalizer+uid })
			delete(c.Annotations, grantAnnotation+uid)
		}
		left = append(left, c)
	}
	return left, nil
}

// isGrantedTo reports whether a request was granted a Cluster and has not left it: it holds it, or another party has taken its finalizer
// off, and the record of the grant is there.
func isGrantedTo(c *Cluster, uid string) bool {
	_, recorded := c.Annotations[grantAnnotation+uid]
	return recorded || slices.Contains(Tenants(c), uid)
}

// noOther says that no other request leaves together with the one that is judged.
func noOther(string) bool { return false }

// goesWith reports whether a Cluster goes with a request that the built-in scheduler serves: no other holds it that does not leave too, its
// label says so, and no other request lives that was granted it. Another party may have taken the finalizer of such a request off; its
// workload runs there all the same.
//
// Errors: those of [kube.Read].
func (p *Platform) goesWith(ctx context.Context, c *Cluster, uid string, leaves func(uid string) bool) (bool, error) {
	if !GoesAlong(c) {
		return false, nil
	}
	return p.isAlone(ctx, c, uid, leaves)
}

// isAlone reports whether no other request holds a Cluster than this one, which the built-in scheduler serves, but for those that leave
// too; and no other lives that was granted it.
//
// Errors: those of [kube.Read].
func (p *Platform) isAlone(ctx context.Context, c *Cluster, uid string, leaves func(uid string) bool) (bool, error) {
	if !isLastOf(c, uid, leaves) {
		return false, nil
	}
	for _, g := range bareGrants(c) {
		if g.UID == uid || leaves(g.UID) {
			continue
		}
		if lives, err := p.lives(ctx, g); lives || err != nil {
			return false, err
		}
	}
	return true, nil
}

// isLastOf reports whether no other request than this holds a Cluster, but for those that leave too.
func isLastOf(c *Cluster, uid string, leaves func(uid string) bool) bool {
	return !slices.ContainsFunc(Tenants(c), func(one string) bool { return one != uid && !leaves(one) })
}

// offeredAge is how old what the cluster providers offer may be for a grant: they seldom change it within a run. A denial is of what they
// offer at that moment.
const offeredAge = 10 * time.Second

// offered is what the cluster providers offer, read once for all requests that are decided on at about the same time. Its zero value is
// ready.
type offered struct {
	mu       sync.Mutex
	read     time.Time
	profiles []adr.Profile
}

// get returns what is offered, as it was read within this age.
func (o *offered) get(ctx context.Context, p *Platform, age time.Duration) ([]adr.Profile, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if time.Since(o.read) < age {
		return o.profiles, nil
	}
	all, err := p.Profiles(ctx)
	if err != nil {
		return nil, err
	}
	facts, err := p.ProfileFacts(ctx)
	if err != nil {
		return nil, err
	}
	o.profiles = make([]adr.Profile, len(all))
	for i, profile := range all {
		o.profiles[i] = adrProfile(profile, facts)
	}
	o.read = time.Now()
	return o.profiles, nil
}

// adrProfile is a profile as package adr takes it. Its traits are those of its Shoot template.
func adrProfile(p *ClusterProfile, facts map[ConfigKey]ShootFacts) adr.Profile {
	profile := adr.Profile{Name: p.Name, Provider: p.Spec.ProviderRef.Name}
	if f, ok := facts[ConfigKeyOf(p)]; ok {
		profile.Traits = f.Traits()
	}
	for _, v := range p.Spec.SupportedVersions {
		profile.Versions = append(profile.Versions, adr.Version(v))
	}
	return profile
}
