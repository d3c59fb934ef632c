package openmcp

import (
	"context"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
)

// Profiles reads all ClusterProfiles.
//
// Errors: those of [kube.Group.List].
func (p *Platform) Profiles(ctx context.Context) ([]*ClusterProfile, error) {
	all, _, err := p.profiles.list(ctx)
	return all, err
}

// ConfigKey names the configuration of a cluster provider.
type ConfigKey struct{ Provider, Name string }

// ConfigKeyOf names the configuration behind a profile.
func ConfigKeyOf(p *ClusterProfile) ConfigKey {
	return ConfigKey{p.Spec.ProviderRef.Name, p.Spec.ProviderConfigRef.Name}
}

// ProfileFacts reads what the ProviderConfigs of the Gardener cluster provider tell of their clusters; none where the platform cluster
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
	return reason(err) == kube.Rejected && strings.Contains(err.Error(), "could not find the requested resource")
}
