package configs

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
)

// BoundShoot is a Shoot behind a Cluster.
type BoundShoot struct {
	Namespace, Name string
	Bindings        Bindings // the account that it is on; none = it has no workers
	Made            bool     // hap_shoot has made it
	Protected       bool     // it is kept from deletion, see [kube.ProtectionAnnotation]
	Reported        bool     // the status of its Cluster alone says so: the Garden was asked, and does not show it
}

// String names the Shoot and its account.
func (s BoundShoot) String() string {
	return fmt.Sprintf("Shoot %s on %s", api.Ref{Namespace: s.Namespace, Name: s.Name}, s.account())
}

func (s BoundShoot) account() string {
	if s.Bindings == (Bindings{}) {
		return "no account"
	}
	return s.Bindings.String()
}

// Keeps reports whether the Shoot keeps its account when the template of a profile is merged into it. One without workers has nothing in
// any account.
func (s BoundShoot) Keeps(home Home) bool {
	return s.Bindings == Bindings{} || s.Bindings == home.Bindings
}

// IsAt reports whether the Shoot keeps its account, and its cluster provider finds it in the project.
func (s BoundShoot) IsAt(home Home) bool { return s.Keeps(home) && home.MayHold(s.Namespace) }

// ProjectPrefix begins the namespace of each Gardener project but Gardener's own.
const ProjectPrefix = "garden-"

// ownSuffix is what Gardener adds to the name of a project that comes without a namespace: a part of a hash, and in older releases letters
// and digits of chance, as Kubernetes draws them.
var ownSuffix = regexp.MustCompile(`^-(?:[0-9a-f]{5}|[bcdfghjklmnpqrstvwxz2456789]{5})$`)

// MayHold reports whether a namespace may be that of the project. The name decides: to read the Project itself takes a right in the whole
// Garden. A Project may name another namespace that begins with [ProjectPrefix], which is not recognised: it may be another project's.
func (h Home) MayHold(namespace string) bool {
	rest, ok := strings.CutPrefix(namespace, ProjectPrefix+h.Project)
	return ok && (rest == "" || ownSuffix.MatchString(rest)) || !strings.HasPrefix(namespace, ProjectPrefix)
}

// String names the account and the project.
func (h Home) String() string {
	return BoundShoot{Bindings: h.Bindings}.account() + " in project " + strconv.Quote(h.Project)
}

// HomeOf is where the clusters of a ProviderConfig come to be; false where its template cannot be read.
func HomeOf(s api.ProviderConfigSpec) (h Home, ok bool) {
	facts, ok := FactsOf(s.ShootTemplate)
	return Home{facts.Bindings, s.Project, s.LandscapeRef.Name}, ok
}

// ShootOf returns the Shoot that the Gardener cluster provider reports of a Cluster, as it has last written it, and its annotations; false
// = it names none.
func ShootOf(c *api.Cluster) (s BoundShoot, annotations map[string]string, ok bool) {
	shoot, named := api.ShootOf(c)
	var status struct {
		Shoot json.RawMessage `json:"shoot"`
	}
	var with struct {
		Metadata struct {
			Annotations map[string]string `json:"annotations"`
		} `json:"metadata"`
	}
	if !named || json.Unmarshal(c.Status.ProviderStatus, &status) != nil || json.Unmarshal(status.Shoot, &with) != nil {
		return s, nil, false
	}
	facts, ok := FactsOf(status.Shoot)
	return BoundShoot{Namespace: shoot.Namespace, Name: shoot.Name, Bindings: facts.Bindings}, with.Metadata.Annotations, ok
}

// isUntouched reports whether no cluster provider has seen a Cluster yet: no Shoot belongs to it.
func isUntouched(c *api.Cluster) bool {
	now := c.Status
	return now.Phase == "" && len(now.Conditions) == 0 && len(now.Endpoints) == 0 && len(now.ProviderStatus) == 0 &&
		c.Labels[api.ProviderLabel] == ""
}

// StandingError says that Clusters live by the profile of a ProviderConfig which is not there, and that it is not to be made where their
// Shoots are not there.
type StandingError struct {
	Config   string
	Home     Home     // where it was to bring them
	Clusters []string // each with its project
}

func (e *StandingError) Error() string {
	return fmt.Sprintf("Clusters live by the profile of ProviderConfig %s, which is not there, and it cannot be made with %s: %s", e.Config,
		e.Home, strings.Join(e.Clusters, ", "))
}

// MayReturn judges whether a ProviderConfig that is not there may be made: its cluster provider merges it into the Shoots of all Clusters
// that live by its profile. One that exists is not judged. all are the Clusters; behind returns the Shoots of one. Where they cannot be
// read the ProviderConfig must not be made.
//
// Errors: [*StandingError]; those of [kube.Read], and of behind.
func (p *Profiles) MayReturn(
	ctx context.Context, provider, config string, home Home, all []*api.Cluster,
	behind func(context.Context, *api.Cluster) ([]BoundShoot, error),
) error {
	users := slices.DeleteFunc(all, func(c *api.Cluster) bool { return !comesFrom(c.Spec.Profile, provider, config) })
	if len(users) == 0 {
		return nil
	}
	slices.SortFunc(users, func(a, b *api.Cluster) int { return cmp.Compare(a.Ref().String(), b.Ref().String()) })
	if _, err := p.objects.Configs.Get(ctx, api.Ref{Name: config}); !api.IsGone(err) {
		return err
	}
	refusal := StandingError{Config: config, Home: home}
	for _, c := range users {
		shoots, err := behind(ctx, c)
		if err != nil {
			return err
		}
		if len(shoots) == 0 && !isUntouched(c) {
			refusal.Clusters = append(refusal.Clusters, c.Ref().String()+" (its Shoot cannot be seen)")
		}
		for _, s := range shoots {
			if !s.IsAt(home) {
				refusal.Clusters = append(refusal.Clusters, fmt.Sprintf("%s (%s)", c.Ref(), s))
			}
		}
	}
	if len(refusal.Clusters) == 0 {
		return nil
	}
	return &refusal
}
