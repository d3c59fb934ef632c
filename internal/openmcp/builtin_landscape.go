package openmcp

import (
	"context"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/clusters"
)

// PreviewSeed says what the scheduler of seed 004 does with a request, made or not, as the platform cluster stands now. It writes
// nothing. A request that stands, and says the same, is looked at as it stands; one that says something else, or is being deleted, counts
// as gone. Of a new Cluster it has the name too.
//
// Errors: [*clusters.InputError]; those of [kube.Read].
func (p *Platform) PreviewSeed(ctx context.Context, w WantedRequest) (clusters.Decision, error) {
	live, err := p.RequestNow(ctx, w.Ref)
	uid, leaving := "", ""
	switch {
	case IsGone(err):
	case err != nil:
		return clusters.Decision{}, err
	case live.DeletionTimestamp == nil && asks(live, w):
		uid = string(live.UID)
	default:
		leaving = string(live.UID)
	}
	all, err := p.Clusters(ctx)
	if err != nil {
		return clusters.Decision{}, err
	}
	profiles, err := p.offered.get(ctx, p, 0)
	if err != nil {
		return clusters.Decision{}, err
	}
	switch {
	case leaving != "":
		all = without(all, leaving)
	case uid != "":
		all = eligible(all, live)
	}
	d, err := clusters.ScheduleSeed(w.Seed.request(w.Ref), seedLandscape(w.Ref, w.Seed.Definitions, profiles, all, uid))
	if err == nil && d.Action == clusters.Create {
		d.Cluster = clusters.Ref{Namespace: w.Ref.Namespace, Name: clusterName(all, w.Ref, *w.Seed, d)}
	}
	return d, err
}

// asks reports whether a request asks for what is wanted, whatever its purposes mean: a grant is for life.
func asks(live *ClusterRequest, w WantedRequest) bool {
	seed, err := SeedOf(live)
	wanted := *w.Seed
	seed.Definitions, wanted.Definitions = nil, nil
	return err == nil && reflect.DeepEqual(seed, wanted)
}

// seedLandscape is what the engine of seed 004 goes by for the request of this name and uid. A Cluster that is being deleted is given to no
// request, and stays that of those that hold it.
func seedLandscape(
	of Ref, definitions map[string]clusters.Purpose, profiles []clusters.Profile, all []*Cluster, uid string,
) clusters.Landscape {
	l := clusters.Landscape{Purposes: definitions, Profiles: profiles}
	for _, c := range all {
		if _, held := GrantOf(c, uid); held || c.DeletionTimestamp == nil {
			l.Clusters = append(l.Clusters, seedCluster(c, of, uid))
		}
	}
	return l
}

// without are the Clusters as they are when a request has left. One that goes with its last request is gone then.
func without(all []*Cluster, uid string) (left []*Cluster) {
	for _, c := range all {
		if _, held := GrantOf(c, uid); held {
			if goesWith(c, uid) {
				continue
			}
			c = copied(c)
			c.Finalizers = slices.DeleteFunc(c.Finalizers, func(f string) bool { return f == tenantFinalizer+uid })
		}
		left = append(left, c)
	}
	return left
}

// goesWith reports whether a Cluster goes with a request: no other holds it, and its label says so.
func goesWith(c *Cluster, uid string) bool {
	others := slices.DeleteFunc(Tenants(c), func(one string) bool { return one == uid })
	return len(others) == 0 && c.Labels[DeletedWithoutRequests] == "true"
}

// offeredAge is how old what the cluster providers offer may be for a grant: they seldom change it within a run. A denial is of what they
// offer at that moment.
const offeredAge = 10 * time.Second

// offered is what the cluster providers offer, read once for all requests that are decided on at about the same time. Its zero value is
// ready.
type offered struct {
	mu       sync.Mutex
	read     time.Time
	profiles []clusters.Profile
}

// get returns what is offered, as it was read within this age.
func (o *offered) get(ctx context.Context, p *Platform, age time.Duration) ([]clusters.Profile, error) {
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
	o.profiles = make([]clusters.Profile, len(all))
	for i, profile := range all {
		o.profiles[i] = seedProfile(profile, facts)
	}
	o.read = time.Now()
	return o.profiles, nil
}

// seedProfile is a profile as the engine of seed 004 looks at it. Its traits are those that its Shoot template tells.
func seedProfile(p *ClusterProfile, facts map[ConfigKey]ShootFacts) clusters.Profile {
	profile := clusters.Profile{Name: p.Name, Provider: p.Spec.ProviderRef.Name}
	if f, ok := facts[ConfigKeyOf(p)]; ok {
		profile.Traits = f.Traits()
	}
	for _, v := range p.Spec.SupportedVersions {
		profile.Versions = append(profile.Versions, clusters.Version(v))
	}
	return profile
}
