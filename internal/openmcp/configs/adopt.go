package configs

import (
	"context"
	"fmt"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
)

// AdoptError says that a Cluster which is to be made would adopt a Shoot that its profile would move.
type AdoptError struct {
	api.Ref
	Shoot   BoundShoot
	Profile string
	Home    Home // where the profile brings its clusters
}

func (e *AdoptError) Error() string {
	return fmt.Sprintf("%s bears the labels of Cluster %s, which would adopt it, and profile %q brings its clusters to %s", e.Shoot, e.Ref,
		e.Profile, e.Home)
}

// MayAdopt judges whether a Cluster that is to be made may adopt the Shoots that have its labels: its cluster provider merges the template
// behind the profile into them. A profile that comes from no ProviderConfig adopts none.
//
// Errors: [*AdoptError]; those of [kube.Group.List].
func (p *Profiles) MayAdopt(ctx context.Context, of api.Ref, profile string, bound []BoundShoot) error {
	if len(bound) == 0 {
		return nil
	}
	config, err := p.ConfigBehind(ctx, profile)
	if err != nil || config == nil {
		return err
	}
	home, _ := HomeOf(config.Spec) // a Shoot of another project is not adopted, and none is seen here but those of the provider's
	for _, s := range bound {
		if !s.Keeps(home) {
			return &AdoptError{Ref: of, Shoot: s, Profile: profile, Home: home}
		}
	}
	return nil
}
