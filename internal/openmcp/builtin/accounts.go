package builtin

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/hap-project/terraform-provider-hap/internal/clusters"
	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/configs"
)

// Accounts judges the accounts behind profiles. The packages of openMCP know no accounts: the connection of the provider, which knows both,
// sets it.
type Accounts interface {
	// Judge says of each place what is known of its account; nil = it has none. Where it is fresh, that was read after the call. Places that
	// are taken by Clusters of other bindings count where these are the same account, and [adr.Account.Waiting] names all that wait for one.
	Judge(ctx context.Context, places []Place, fresh bool) ([]*adr.Account, error)
}

// Place is where the Clusters of a profile come to be.
type Place struct {
	configs.Home
	// Tenant is the Global Account that a new Cluster is for; empty = it is not said.
	Tenant string
	// Named says that the request names the Global Account, and not the ProviderConfig.
	Named bool
	// Noted is the Global Account that the ProviderConfig names; empty = it names none.
	Noted string
	// Coming are other Clusters that come to be there, and say of no Shoot that they have it.
	Coming []api.Ref
	// Beside are those that come to be in the same project by other bindings: two may lead to one account.
	Beside map[configs.Bindings][]api.Ref
	// Made is the new Cluster where it is made already; else it is zero.
	Made api.Ref
}

// isRegarded reports whether the accounts behind profiles count for a decision: a new Cluster takes a place in one, and a request that
// names a Global Account gets no Cluster of another one's account.
func (s *Scheduler) isRegarded(asked ADRRequest, d adr.Decision) bool {
	return s.Accounts != nil && (d.Action == clusters.Create ||
		d.Action == clusters.Reuse && d.Reason == clusters.ReasonShared && asked.GlobalAccount != "")
}

// regard returns profiles with what is known of the accounts behind them; of a decision that makes a new Cluster only of those that fit.
//
// Errors: those of [kube.Read], and of [Accounts].
func (s *Scheduler) regard(
	ctx context.Context, asked ADRRequest, d adr.Decision, profiles []adr.Profile, all []*api.Cluster, fresh bool,
) ([]adr.Profile, error) {
	names := d.Fitting
	if d.Action == clusters.Reuse {
		names = nil
		for _, p := range profiles {
			names = append(names, p.Name)
		}
	}
	accounts, err := s.accountsOf(ctx, asked.GlobalAccount, names, all, fresh)
	if err != nil {
		return nil, err
	}
	for _, account := range accounts { // a Global Account that is named is heard, or the request is denied
		if account != nil && account.Unseen != "" && asked.GlobalAccount != "" {
			account.Refusal = fmt.Sprintf("it is not known whether Global Account %q holds account %s: %s", asked.GlobalAccount, account.Name,
				account.Unseen)
			account.Unseen, account.Foreign = "", true
		}
	}
	return withAccounts(profiles, accounts), nil
}

func withAccounts(profiles []adr.Profile, accounts map[string]*adr.Account) []adr.Profile {
	with := slices.Clone(profiles)
	for i := range with {
		with[i].Account = accounts[with[i].Name]
	}
	return with
}

// AccountOf says what is known of the account behind a profile; nil = it has none.
//
// Errors: those of [kube.Read], and of [Accounts].
func (s *Scheduler) AccountOf(ctx context.Context, profile string) (*adr.Account, error) {
	if s.Accounts == nil {
		return nil, nil //nolint:nilnil // as documented
	}
	all, err := s.objects.Clusters.Recent(ctx)
	if err != nil {
		return nil, err
	}
	accounts, err := s.accountsOf(ctx, "", []string{profile}, all, false)
	return accounts[profile], err
}

// accountsOf judges the accounts behind profiles, by the names of the profiles. all are the Clusters.
func (s *Scheduler) accountsOf(
	ctx context.Context, tenant string, profiles []string, all []*api.Cluster, fresh bool,
) (map[string]*adr.Account, error) {
	places, of, err := s.placesOf(ctx, tenant, profiles, all, api.Ref{})
	if err != nil || len(places) == 0 {
		return nil, err
	}
	judged, err := s.Accounts.Judge(ctx, places, fresh)
	if err != nil {
		return nil, err
	}
	accounts := make(map[string]*adr.Account, len(judged))
	for i, account := range judged {
		if note := places[i].Noted; account != nil && account.Unseen != "" && tenant != "" && note != "" && note != tenant {
			account.Unseen, account.Foreign = "", true
			account.Refusal = fmt.Sprintf("account %s is held by Global Account %q, as the ProviderConfig says, and the request is for %q",
				account.Name, note, tenant)
		}
		accounts[of[i]] = account
	}
	return accounts, nil
}

// placesOf says where the Clusters of profiles come to be, and of which profile each place is. A profile without an account has no place.
// made is the new Cluster where it is made already.
func (s *Scheduler) placesOf(
	ctx context.Context, tenant string, profiles []string, all []*api.Cluster, made api.Ref,
) (places []Place, of []string, err error) {
	used := slices.Clone(profiles)
	for _, c := range all {
		used = append(used, c.Spec.Profile)
	}
	behind, err := s.profiles.ConfigsBehind(ctx, used)
	if err != nil {
		return nil, nil, err
	}
	for _, profile := range profiles {
		config := behind[profile]
		if config == nil {
			continue
		}
		home, ok := configs.HomeOf(config.Spec)
		if !ok || home.Bindings.Account() == "" {
			continue
		}
		coming := comingTo(home, all, behind, made)
		place := Place{
			Home: home, Tenant: cmp.Or(tenant, configs.TenantOf(config)), Named: tenant != "", Noted: configs.TenantOf(config),
			Coming: coming[home.Bindings], Beside: coming, Made: made,
		}
		delete(coming, home.Bindings)
		of, places = append(of, profile), append(places, place)
	}
	return places, of, nil
}

// comingTo are the Clusters whose profiles lead to the project of a place, by their bindings, and that are not ready and have no Shoot yet,
// but for one.
func comingTo(home configs.Home, all []*api.Cluster, behind map[string]*api.ProviderConfig, but api.Ref) map[configs.Bindings][]api.Ref {
	refs := map[configs.Bindings][]api.Ref{}
	for _, c := range all {
		config := behind[c.Spec.Profile]
		if config == nil || c.Ref() == but || c.DeletionTimestamp != nil || api.IsReady(c) {
			continue
		}
		if _, _, has := configs.ShootOf(c); has {
			continue
		}
		if at, ok := configs.HomeOf(config.Spec); ok && at.Project == home.Project && at.Landscape == home.Landscape {
			refs[at.Bindings] = append(refs[at.Bindings], c.Ref())
		}
	}
	return refs
}

// givesWay reports whether a Cluster that was just founded has to go. Its account may have too many now: another process may have seen the
// same last place. Those that were made later give way before; of those that were made in the same second each does. Or the account takes
// no cluster any more: a release may have begun, or its owner may have taken it out of use.
//
// Errors: those of [kube.Read], and of [Accounts].
func (s *Scheduler) givesWay(ctx context.Context, asked ADRRequest, founded *api.Cluster, in *adr.Account) (bool, error) {
	if in == nil || in.Unseen != "" {
		return false, nil
	}
	all, err := s.objects.Clusters.All(ctx)
	if err != nil {
		return false, err
	}
	places, _, err := s.placesOf(ctx, asked.GlobalAccount, []string{founded.Spec.Profile}, all, founded.Ref())
	if err != nil || len(places) == 0 {
		return false, err
	}
	judged, err := s.Accounts.Judge(ctx, places, true)
	switch {
	case err != nil || judged[0] == nil:
		return false, err
	case judged[0].Refusal != "":
		return true, nil
	case judged[0].Limit == 0:
		return false, nil
	}
	excess := judged[0].Taken + 1 - judged[0].Limit
	for _, c := range all {
		if slices.Contains(judged[0].Waiting, clusters.Ref(c.Ref())) && founded.CreationTimestamp.Time.Before(c.CreationTimestamp.Time) {
			excess--
		}
	}
	return excess > 0, nil
}
