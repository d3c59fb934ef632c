package backend

import (
	"context"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/configs"
	"github.com/hap-project/terraform-provider-hap/internal/shoots"
)

// Behind returns the Shoots behind a Cluster: that which its cluster provider reports, and those in the Garden that have its labels. What
// the Garden says of a Shoot counts. An error is one of the read of the Garden; what the Cluster's own status says comes back beside it.
func (b *Backend) Behind(ctx context.Context, c *api.Cluster) ([]configs.BoundShoot, error) {
	all, err := b.Bound(ctx, c.Ref())
	told, annotations, ok := configs.ShootOf(c)
	told.Made = shoots.IsMade(annotations)
	for _, s := range all {
		if s.Namespace == told.Namespace && s.Name == told.Name {
			ok = false
		}
	}
	if ok {
		all = append(all, told)
	}
	return all, err
}

// Bound returns the Shoots in the Garden that have the labels of a Cluster. Errors: those of [Connection.Shoots] and of the list.
func (c *Connection) Bound(ctx context.Context, of api.Ref) (all []configs.BoundShoot, err error) {
	garden, err := c.Shoots()
	if err != nil {
		return nil, err
	}
	live, err := garden.BoundTo(ctx, of.Namespace, of.Name)
	for _, s := range live {
		all = append(all, configs.BoundShoot{
			Namespace: s.Namespace, Name: s.Name, Bindings: configs.Bindings{Credentials: s.Credentials, Secret: s.Secret}, Made: s.Made,
		})
	}
	return all, err
}
