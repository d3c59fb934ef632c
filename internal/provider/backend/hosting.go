package backend

import (
	"context"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/shoots"
)

// Holds judges whether an account is still that of live clusters, as [pool.Pool.Holds] does.
//
// Errors: as [Connection.Pool], and those of [pool.Pool.Holds].
func (b *Backend) Holds(ctx context.Context, req pool.HostRequest) error {
	p, err := b.Pool()
	if err != nil {
		return err
	}
	return p.Holds(ctx, req)
}

// Knows asks Gardener whether it knows the fields of a template that this provider's types do not know; name is that of the Shoot, empty =
// not known. A template without such fields is not asked for.
//
// Errors: as [Connection.Shoots], and those of [shoots.Shoots.Knows].
func (b *Backend) Knows(ctx context.Context, name string, t shoots.Template) error {
	if len(t.Newer()) == 0 {
		return nil
	}
	all, err := b.Shoots()
	if err != nil {
		return err
	}
	return all.Knows(ctx, name, t)
}
