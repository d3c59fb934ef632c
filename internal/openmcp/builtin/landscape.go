package builtin

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/clusters"
	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/configs"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/requests"
)

// PreviewADR says what the built-in scheduler does with a request, made or not, as the platform cluster is now. It writes
// nothing. A request that exists, and says the same or holds a Cluster that serves it, is judged as it is; one that says something else, or
// is being deleted, counts as gone. Of a new Cluster it has the name too.
//
// Errors: [*adr.InputError]; those of [kube.Read].
func (s *Scheduler) PreviewADR(ctx context.Context, w Wanted) (adr.Decision, error) {
	live, err := s.objects.Requests.Get(ctx, w.Ref)
	if err != nil && !api.IsGone(err) {
		return adr.Decision{}, err
	}
	all, err := s.objects.Clusters.All(ctx)
	if err != nil {
		return adr.Decision{}, err
	}
	profiles, err := s.offered.get(ctx, s, time.Now())
	if err != nil {
		return adr.Decision{}, err
	}
	if live != nil && !s.keeps(ctx, live, w) {
		if all, err = s.without(ctx, all, string(live.UID)); err != nil {
			return adr.Decision{}, err
		}
		live = nil
	}
	by, err := s.serversOf(ctx, w.Ref, *w.ADR, all, false)
	if err != nil {
		return adr.Decision{}, err
	}
	d, _, err := s.judgeRegarding(ctx, w.Ref, *w.ADR, live, profiles, all, by, false)
	return d, err
}

// keeps reports whether a request that is there stays: it asks for the same, or its Cluster serves what is wanted by now as well.
func (s *Scheduler) keeps(ctx context.Context, live *api.ClusterRequest, w Wanted) bool {
	if live.DeletionTimestamp != nil || asks(live, w) {
		return live.DeletionTimestamp == nil
	}
	held, why, err := s.outgrown(ctx, live, w)
	return err == nil && held != nil && why == ""
}

// judgeRegarding is judge, with the accounts behind the profiles where they count. A profile that would move a Shoot which has the labels
// of the new Cluster is passed over. Where fresh they are read after the call.
//
// Errors: those of judge; those of [kube.Read], of [Accounts], and of [Shoots].
func (s *Scheduler) judgeRegarding(
	ctx context.Context, of api.Ref, asked ADRRequest, standing *api.ClusterRequest, profiles []adr.Profile, all []*api.Cluster, by servers,
	fresh bool,
) (d adr.Decision, cluster *api.Cluster, err error) {
	d, cluster, err = s.judge(of, asked, standing, profiles, all, by)
	if err == nil && s.isRegarded(asked, d) {
		if profiles, err = s.regard(ctx, asked, d, profiles, all, fresh); err != nil {
			return d, nil, err
		}
		d, cluster, err = s.judge(of, asked, standing, profiles, all, by)
	}
	for range profiles {
		if err != nil {
			break
		}
		refused, unread := s.movesShoot(ctx, d, fresh)
		if unread != nil || refused == nil {
			return d, cluster, unread
		}
		profiles = passedOver(profiles, d.Profile, refused)
		d, cluster, err = s.judge(of, asked, standing, profiles, all, by)
	}
	return d, cluster, err
}

// judge decides on a request, and carries nothing out: the apply does what the preview says. standing is the existing request; nil = it
// is not made yet. by says who serves the other requests. cluster is the one that it keeps or comes to; nil = none, or a new one, whose
// name the decision has.
//
// Errors: [*adr.InputError].
func (s *Scheduler) judge(
	of api.Ref, asked ADRRequest, standing *api.ClusterRequest, profiles []adr.Profile, all []*api.Cluster, by servers,
) (d adr.Decision, cluster *api.Cluster, err error) {
	uid := ""
	if standing != nil {
		uid, all = string(standing.UID), eligible(all, standing)
	}
	landscape := adrLandscape(of, asked, profiles, all, uid, by)
	landscape.Scope = s.scope()
	d, err = adr.Schedule(asked.request(of), landscape)
	if err != nil || d.Action == clusters.Deny {
		return d, nil, err
	}
	if d.Action == clusters.Reuse {
		return d, all[slices.IndexFunc(all, func(c *api.Cluster) bool { return c.Ref() == api.Ref(d.Cluster) })], nil
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
func rejoined(d adr.Decision, own *api.Cluster) adr.Decision {
	of := requests.SeenCluster(own)
	d.Action, d.Reason = clusters.Reuse, reasonRejoined
	d.Message = fmt.Sprintf("The dedicated Cluster %s was granted to the request, and another party has taken the request's finalizer off: "+
		"the request gets it again.", own.Ref())
	d.Cluster, d.Profile, d.Version, d.Candidates = of.Ref, of.Profile, of.Version, []clusters.Candidate{{
		Kind: clusters.CandidateCluster, Ref: of.Ref, Chosen: true, Reason: "the request was granted it",
	}}
	return d
}

// nameTaken is the denial of a request whose Cluster cannot be made anew.
func nameTaken(d adr.Decision, by *api.Cluster) adr.Decision {
	why := ""
	for _, c := range d.Candidates {
		if api.Ref(c.Ref) == by.Ref() && c.Reason != "" {
			why = " Passed over is " + by.Ref().String() + ": " + c.Reason + "."
		}
	}
	return adr.Decision{
		Action: clusters.Deny, Reason: ReasonNameTaken, Wanted: d.Wanted, Dedicated: d.Dedicated, Warnings: d.Warnings,
		Candidates: slices.DeleteFunc(slices.Clone(d.Candidates), func(c clusters.Candidate) bool { return c.Chosen }),
		Message: fmt.Sprintf("The request does not hold its Cluster %s any more, the one that has the name now does not fit, and a request "+
			"cannot be given a Cluster of another name.%s", by.Ref(), why),
	}
}

const (
	// ReasonNameTaken denies a request whose Cluster cannot be made anew, because another has its name.
	ReasonNameTaken clusters.Reason = "NameTaken"
	// reasonRejoined gives a request its dedicated Cluster again.
	reasonRejoined clusters.Reason = "ClusterRejoined"
)

// asks reports whether a request asks for what is wanted, whatever its purposes and its traits mean: a grant is for life.
func asks(live *api.ClusterRequest, w Wanted) bool {
	asked, err := ADRRequestOf(live)
	wanted := *w.ADR
	asked.Definitions, wanted.Definitions, asked.Equivalences, wanted.Equivalences = nil, nil, nil, nil
	return err == nil && reflect.DeepEqual(asked, wanted)
}

// adrLandscape is what package adr decides by for the request of this name and uid. A Cluster that is being deleted is given to no
// request, and stays that of those that hold it.
func adrLandscape(
	of api.Ref, asked ADRRequest, profiles []adr.Profile, all []*api.Cluster, uid string, by servers,
) adr.Landscape {
	l := adr.Landscape{Purposes: asked.Definitions, Profiles: profiles, Equivalences: asked.Equivalences}
	for _, c := range all {
		if _, held := api.GrantOf(c, uid); held || c.DeletionTimestamp == nil {
			cluster := adrCluster(c, of, uid, by)
			if c.Labels[api.VersionLabel] == "" {
				cluster.Version = onlyVersion(profiles, cluster)
			}
			l.Clusters = append(l.Clusters, cluster)
		}
	}
	return l
}

// onlyVersion is the version that a Cluster comes to have whose provider has not labelled it yet: the only one that its profile offers,
// whatever the Cluster asks for; else that which it asks for.
func onlyVersion(profiles []adr.Profile, c adr.Cluster) string {
	i := slices.IndexFunc(profiles, func(p adr.Profile) bool { return p.Name == c.Profile })
	if i < 0 || len(profiles[i].Versions) != 1 {
		return c.Version
	}
	return profiles[i].Versions[0].Version
}

// without are the Clusters as they are when a request has left. One that goes with its last request is gone then.
func (s *Scheduler) without(ctx context.Context, all []*api.Cluster, uid string) (left []*api.Cluster, err error) {
	for _, c := range all {
		if isGrantedTo(c, uid) {
			goes, err := s.goesWith(ctx, c, uid, noOther)
			if err != nil {
				return nil, err
			}
			if goes {
				continue
			}
			c = api.Copied(c)
			c.Finalizers = slices.DeleteFunc(c.Finalizers, func(f string) bool { return f == api.TenantFinalizer+uid })
			delete(c.Annotations, api.GrantAnnotation+uid)
		}
		left = append(left, c)
	}
	return left, nil
}

// isGrantedTo reports whether a request was granted a Cluster and has not left it: it holds it, or another party has taken its finalizer
// off, and the record of the grant is there.
func isGrantedTo(c *api.Cluster, uid string) bool {
	_, recorded := c.Annotations[api.GrantAnnotation+uid]
	return recorded || slices.Contains(api.Tenants(c), uid)
}

// noOther says that no other request leaves together with the one that is judged.
func noOther(string) bool { return false }

// goesWith reports whether a Cluster goes with a request that the built-in scheduler serves: no other holds it that does not leave too, its
// label says so, and no other request lives that was granted it. Another party may have taken the finalizer of such a request off; its
// workload runs there all the same.
//
// Errors: those of [kube.Read].
func (s *Scheduler) goesWith(ctx context.Context, c *api.Cluster, uid string, leaves func(uid string) bool) (bool, error) {
	if !api.GoesAlong(c) {
		return false, nil
	}
	return s.isAlone(ctx, c, uid, leaves)
}

// isAlone reports whether no other request holds a Cluster than this one, which the built-in scheduler serves, but for those that leave
// too; and no other lives that was granted it.
//
// Errors: those of [kube.Read].
func (s *Scheduler) isAlone(ctx context.Context, c *api.Cluster, uid string, leaves func(uid string) bool) (bool, error) {
	if !api.IsLastOf(c, uid, leaves) {
		return false, nil
	}
	for _, g := range bareGrants(c) {
		if g.UID == uid || leaves(g.UID) {
			continue
		}
		if lives, err := s.lives(ctx, g); lives || err != nil {
			return false, err
		}
	}
	return true, nil
}

// offered is what the cluster providers offer, read once for all requests that are decided on at about the same time. Its zero value is
// ready.
type offered struct {
	mu       sync.Mutex
	begun    time.Time // when the read began
	profiles []adr.Profile
}

// get returns what is offered, by a read that began no earlier than this. So the profile of a ProviderConfig that a run has made before a
// request is among the choices of that request.
func (o *offered) get(ctx context.Context, s *Scheduler, notBefore time.Time) ([]adr.Profile, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.begun.IsZero() && !o.begun.Before(notBefore) {
		return o.profiles, nil
	}
	begun := time.Now()
	all, err := s.objects.Profiles.All(ctx)
	if err != nil {
		return nil, err
	}
	facts, err := s.profiles.Facts(ctx)
	if err != nil {
		return nil, err
	}
	o.profiles = make([]adr.Profile, len(all))
	for i, profile := range all {
		o.profiles[i] = adrProfile(profile, facts)
	}
	o.begun = begun
	return o.profiles, nil
}

// adrProfile is a profile as package adr takes it. Its traits and its version are those of its Shoot template.
func adrProfile(p *api.ClusterProfile, facts map[configs.ConfigKey]configs.ShootFacts) adr.Profile {
	profile := adr.Profile{Name: p.Name, Provider: p.Spec.ProviderRef.Name}
	for _, v := range p.Spec.SupportedVersions {
		profile.Versions = append(profile.Versions, adr.Version(v))
	}
	if f, ok := facts[configs.ConfigKeyOf(p)]; ok {
		profile.Traits = f.Traits()
		profile.Versions = onOffer(f.Version)
	}
	return profile
}

// onOffer are the versions of Kubernetes that a new Cluster of a Shoot template can have, whatever its profile publishes: the Gardener
// cluster provider publishes all versions of the CloudProfile, and takes that of the template alone. It is on offer also where the
// CloudProfile deprecates it: there is no other. Where the template has none, Gardener chooses, and no version can be promised.
func onOffer(template string) []adr.Version {
	if template == "" {
		return nil
	}
	return []adr.Version{{Version: template}}
}
