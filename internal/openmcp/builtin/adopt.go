package builtin

import (
	"context"
	"errors"
	"slices"

	"github.com/hap-project/terraform-provider-hap/internal/clusters"
	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/configs"
)

// Shoots finds Shoots in the Garden, which the packages of openMCP do not know. The connection of the provider sets it, as [Accounts].
type Shoots interface {
	// Bound returns the Shoots that have the labels of a Cluster, read after the call; none where this user is not shown them.
	Bound(ctx context.Context, of api.Ref) ([]configs.BoundShoot, error)
}

// movesShoot says why the profile of a decision that makes a Cluster must not make it: a Shoot has the labels of the Cluster already, and
// the profile would move it to another account. nil = nothing is against it.
//
// Where it is not fresh, a Garden that has not answered for the account is not asked. A Cluster that is there goes before the new one is
// made, and its Shoot with it.
//
// Errors: those of [kube.Read], and of [Shoots].
func (s *Scheduler) movesShoot(ctx context.Context, d adr.Decision, fresh bool) (*configs.AdoptError, error) {
	if s.Shoots == nil || d.Action != clusters.Create || !fresh && (d.Account == nil || d.Account.Unseen != "") {
		return nil, nil //nolint:nilnil // as documented
	}
	of := api.Ref(d.Cluster)
	bound, err := s.Shoots.Bound(ctx, of)
	if err == nil {
		err = s.profiles.MayAdopt(ctx, of, d.Profile, bound)
	}
	refused, is := errors.AsType[*configs.AdoptError](err)
	if is && !fresh {
		if _, err := s.objects.Clusters.Get(ctx, of); !api.IsGone(err) {
			return nil, err
		}
	}
	if is || !fresh { // what a preview cannot read, the grant reads
		return refused, nil
	}
	return nil, err
}

// passedOver are the profiles of which one takes no new Cluster of the request.
func passedOver(profiles []adr.Profile, name string, refused *configs.AdoptError) []adr.Profile {
	with := slices.Clone(profiles)
	i := slices.IndexFunc(with, func(p adr.Profile) bool { return p.Name == name })
	if i < 0 {
		return with
	}
	var account adr.Account
	if known := with[i].Account; known != nil {
		account = *known
	}
	account.Refusal, account.Unseen = refused.Error(), ""
	with[i].Account = &account
	return with
}
