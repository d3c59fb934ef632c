package configs

import (
	"context"
	"slices"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
)

// Profiles are the ClusterProfiles of a platform cluster, and the ProviderConfigs behind them.
type Profiles struct{ objects *api.Objects }

// New are the profiles of a platform cluster.
func New(objects *api.Objects) *Profiles { return &Profiles{objects} }

// publishTime is how long a profile is waited for whose ProviderConfig is there: its provider publishes it within moments. publishPause is
// the pause between two reads.
const (
	publishTime  = 2 * time.Second
	publishPause = 100 * time.Millisecond
)

// Await reads all ClusterProfiles again and again until the one of this name is among them, for a moment: the ProviderConfig behind
// it may be made in this run. It is no error where that is not published in time.
//
// Errors: those of [kube.Group.List].
func (p *Profiles) Await(ctx context.Context, name string) (all []*api.ClusterProfile, err error) {
	for end := time.Now().Add(publishTime); ; {
		all, err = p.objects.Profiles.All(ctx)
		if err != nil || time.Now().After(end) || slices.ContainsFunc(all, func(one *api.ClusterProfile) bool { return one.Name == name }) {
			return all, err
		}
		select {
		case <-time.After(publishPause):
		case <-ctx.Done():
			return all, nil
		}
	}
}

// ConfigKey names the configuration of a cluster provider.
type ConfigKey struct{ Provider, Name string }

// ConfigKeyOf names the configuration behind a profile.
func ConfigKeyOf(p *api.ClusterProfile) ConfigKey {
	return ConfigKey{p.Spec.ProviderRef.Name, p.Spec.ProviderConfigRef.Name}
}

// Facts reads what the ProviderConfigs of the Gardener cluster provider say of their clusters; none where the platform cluster
// has no such provider.
//
// Errors: those of [kube.Group.List].
func (p *Profiles) Facts(ctx context.Context) (map[ConfigKey]ShootFacts, error) {
	all, err := p.configs(ctx)
	facts := map[ConfigKey]ShootFacts{}
	for _, c := range all {
		if f, ok := FactsOf(c.Spec.ShootTemplate); ok {
			f.Own = OwnTraits(c)
			facts[ConfigKey{c.Spec.ProviderRef.Name, c.Name}] = f
		}
	}
	return facts, err
}

// configs reads all ProviderConfigs; none where the server does not know the kind.
//
// Errors: those of [kube.Group.List].
func (p *Profiles) configs(ctx context.Context) ([]*api.ProviderConfig, error) {
	all, err := p.objects.Configs.All(ctx)
	if isUnknownResource(err) {
		return nil, nil
	}
	return all, err
}

// isUnknownResource reports whether the answer says that there is no such kind.
func isUnknownResource(err error) bool {
	return api.Reason(err) == kube.NoAPI
}

// Names are the names of the profiles that a cluster can be made by, sorted.
//
// Errors: those of [kube.Group.List].
func (p *Profiles) Names(ctx context.Context) ([]string, error) {
	all, err := p.objects.Profiles.All(ctx)
	names := make([]string, len(all))
	for i, one := range all {
		names[i] = one.Name
	}
	slices.Sort(names)
	return names, err
}
