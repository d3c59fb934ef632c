package openmcp

import (
	"context"
	"slices"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
)

// Profiles reads all ClusterProfiles.
//
// Errors: those of [kube.Group.List].
func (p *Platform) Profiles(ctx context.Context) ([]*ClusterProfile, error) {
	all, _, err := p.profiles.list(ctx)
	return all, err
}

// publishTime is how long a profile is waited for whose ProviderConfig is there: its provider publishes it within moments. publishPause is
// the pause between two reads.
const (
	publishTime  = 2 * time.Second
	publishPause = 100 * time.Millisecond
)

// AwaitProfile reads all ClusterProfiles again and again until the one of this name is among them, for a moment: the ProviderConfig behind
// it may be made in this run. It is no error where that is not published in time.
//
// Errors: those of [kube.Group.List].
func (p *Platform) AwaitProfile(ctx context.Context, name string) (all []*ClusterProfile, err error) {
	for end := time.Now().Add(publishTime); ; {
		all, err = p.Profiles(ctx)
		if err != nil || time.Now().After(end) || slices.ContainsFunc(all, func(one *ClusterProfile) bool { return one.Name == name }) {
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
func ConfigKeyOf(p *ClusterProfile) ConfigKey {
	return ConfigKey{p.Spec.ProviderRef.Name, p.Spec.ProviderConfigRef.Name}
}

// ProfileFacts reads what the ProviderConfigs of the Gardener cluster provider say of their clusters; none where the platform cluster
// has no such provider.
//
// Errors: those of [kube.Group.List].
func (p *Platform) ProfileFacts(ctx context.Context) (map[ConfigKey]ShootFacts, error) {
	all, err := p.Configs(ctx)
	if isUnknownResource(err) {
		return nil, nil
	}
	facts := map[ConfigKey]ShootFacts{}
	for _, c := range all {
		if f, ok := c.Spec.Facts(); ok {
			facts[ConfigKey{c.Spec.ProviderRef.Name, c.Name}] = f
		}
	}
	return facts, err
}

// isUnknownResource reports whether the server does not know the kind that it was asked for.
func isUnknownResource(err error) bool {
	return reason(err) == kube.NoAPI
}
