package configs

import (
	"context"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
)

// Led is a Cluster that leads to a place: its Shoot is there, or comes to be there.
type Led struct {
	api.Ref
	Home      Home
	Namespace string // of its Shoot, where the Cluster itself says so; empty = its profile leads to the project of the Home
	Deleting  bool
}

// MayBeIn reports whether the namespace may be that of the project of its Shoot.
func (l Led) MayBeIn(namespace string) bool {
	return l.Namespace == namespace || l.Namespace == "" && l.Home.MayHold(namespace)
}

// Led reads all Clusters that lead to a place: each by the ProviderConfigs that its profile comes from, and by the Shoot that its status
// reports. Clusters that are being deleted are among them: they may have Shoots until they are gone. Where the Clusters were read, and the
// ProviderConfigs cannot be, those with a Shoot come back beside the error.
//
// Errors: those of [kube.Group.List].
func (p *Profiles) Led(ctx context.Context) (led []Led, err error) {
	all, err := p.objects.Clusters.All(ctx)
	if err != nil {
		return nil, err
	}
	led = []Led{}
	for _, c := range all {
		if s, _, ok := ShootOf(c); ok {
			led = append(led, Led{Ref: c.Ref(), Home: Home{Bindings: s.Bindings}, Namespace: s.Namespace, Deleting: c.DeletionTimestamp != nil})
		}
	}
	if len(all) == 0 {
		return led, nil
	}
	behind, err := p.configs(ctx)
	if err != nil {
		return led, err
	}
	for _, config := range behind {
		home, ok := HomeOf(config.Spec)
		if !ok {
			continue
		}
		for _, c := range all {
			if comesFrom(c.Spec.Profile, config.Spec.ProviderRef.Name, config.Name) {
				led = append(led, Led{Ref: c.Ref(), Home: home, Deleting: c.DeletionTimestamp != nil})
			}
		}
	}
	return led, nil
}
