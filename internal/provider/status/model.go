package status

import (
	"time"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/overview"
	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
)

type statusModel struct {
	HyperscalerType types.String         `tfsdk:"hyperscaler_type"`
	GlobalAccount   types.String         `tfsdk:"global_account"`
	Accounts        []accountStatusModel `tfsdk:"accounts"`
	Pools           []poolStatusModel    `tfsdk:"pools"`
	GlobalAccounts  []holderModel        `tfsdk:"global_accounts"`
	Problems        []problemModel       `tfsdk:"problems"`
	Prometheus      types.String         `tfsdk:"prometheus"`
	Report          types.String         `tfsdk:"report"`
}

type accountStatusModel struct {
	tfvalue.Usage
	Name            string               `tfsdk:"name"`
	HyperscalerType string               `tfsdk:"hyperscaler_type"`
	GlobalAccount   types.String         `tfsdk:"global_account"`
	Shared          bool                 `tfsdk:"shared"`
	EUAccess        bool                 `tfsdk:"eu_access"`
	Dirty           bool                 `tfsdk:"dirty"`
	Releasing       bool                 `tfsdk:"releasing"`
	Internal        bool                 `tfsdk:"internal"`
	Deleting        bool                 `tfsdk:"deleting"`
	Clusters        int                  `tfsdk:"clusters"`
	Reserved        int                  `tfsdk:"reserved"`
	Limit           types.Int64          `tfsdk:"limit"`
	Claims          []standingClaimModel `tfsdk:"claims"`
	Problems        []string             `tfsdk:"problems"`
}

type standingClaimModel struct {
	Name        string       `tfsdk:"name"`
	Owner       types.String `tfsdk:"owner"`
	ClusterName types.String `tfsdk:"cluster_name"`
	ClaimedAt   string       `tfsdk:"claimed_at"`
}

type poolStatusModel struct {
	HyperscalerType string `tfsdk:"hyperscaler_type"`
	Shared          bool   `tfsdk:"shared"`
	EUAccess        bool   `tfsdk:"eu_access"`
	Total           int    `tfsdk:"total"`
	Claimed         int    `tfsdk:"claimed"`
	Unclaimed       int    `tfsdk:"unclaimed"`
	Dirty           int    `tfsdk:"dirty"`
	Internal        int    `tfsdk:"internal"`
	Deleting        int    `tfsdk:"deleting"`
	Occupied        int    `tfsdk:"occupied"`
	Unreachable     int    `tfsdk:"unreachable"`
	Clusters        int    `tfsdk:"clusters"`
	Reserved        int    `tfsdk:"reserved"`
}

type holderModel struct {
	GlobalAccount string      `tfsdk:"global_account"`
	Accounts      int         `tfsdk:"accounts"`
	Clusters      int         `tfsdk:"clusters"`
	Reserved      int         `tfsdk:"reserved"`
	CapacityLeft  types.Int64 `tfsdk:"capacity_left"`
}

type problemModel struct {
	Account types.String `tfsdk:"account"`
	Kind    string       `tfsdk:"kind"`
	Text    string       `tfsdk:"text"`
	Remedy  string       `tfsdk:"remedy"`
}

// fill maps the overview to the lists. None of them is ever null: a list that is empty can be gone through.
func (m *statusModel) fill(o overview.Overview, countedBy pool.Source) {
	m.Accounts = make([]accountStatusModel, len(o.Accounts))
	for i := range o.Accounts {
		m.Accounts[i] = accountStatusFrom(&o.Accounts[i], countedBy)
	}
	m.Pools = make([]poolStatusModel, len(o.Pools))
	for i, p := range o.Pools {
		m.Pools[i] = poolStatusModel{
			HyperscalerType: p.HyperscalerType, Shared: p.Shared, EUAccess: p.EUAccess, Total: p.Tally.Total(), Claimed: p.Tally.Claimed(),
			Unclaimed: p.Unclaimed(), Dirty: p.Tally.Dirty(), Internal: p.Tally[pool.ClassInternal], Deleting: p.Tally[pool.ClassDeleting],
			Occupied:    p.Tally[pool.ClassOccupied],
			Unreachable: p.Unreachable, Clusters: p.Clusters, Reserved: p.Reserved,
		}
	}
	m.GlobalAccounts = make([]holderModel, len(o.Tenants))
	for i, t := range o.Tenants {
		m.GlobalAccounts[i] = holderModel{GlobalAccount: t.GlobalAccount, Accounts: t.Accounts, Clusters: t.Clusters, Reserved: t.Reserved,
			CapacityLeft: types.Int64Null()}
		if t.Limited {
			m.GlobalAccounts[i].CapacityLeft = types.Int64Value(int64(t.Left))
		}
	}
	m.Problems = make([]problemModel, len(o.Problems))
	for i, p := range o.Problems {
		m.Problems[i] = problemModel{Account: tfvalue.TextOrNull(p.Account), Kind: string(p.Kind), Text: p.Text, Remedy: p.Kind.Remedy()}
	}
}

func accountStatusFrom(a *overview.Account, countedBy pool.Source) accountStatusModel {
	m := accountStatusModel{
		Usage: tfvalue.UsageOf(a.Usage, countedBy, a.Tenant),
		Name:  a.Name, HyperscalerType: a.HyperscalerType, GlobalAccount: tfvalue.TextOrNull(a.Tenant), Shared: a.Shared, EUAccess: a.EUAccess,
		Dirty: a.Dirty != pool.Clean, Releasing: a.Dirty == pool.Releasing, Internal: a.Internal, Deleting: a.Terminating,
		Clusters: a.Clusters, Reserved: a.Reserved, Limit: tfvalue.NumberOrNull(a.Limit),
		Claims: make([]standingClaimModel, len(a.ValidRecords)), Problems: make([]string, len(a.Problems)),
	}
	for i, r := range a.ValidRecords {
		m.Claims[i] = standingClaimModel{
			Name: r.Name, Owner: tfvalue.TextOrNull(r.Owner), ClusterName: tfvalue.TextOrNull(r.ClusterName),
			ClaimedAt: r.ClaimedAt.UTC().Format(time.RFC3339),
		}
	}
	for i, kind := range a.Problems {
		m.Problems[i] = string(kind)
	}
	return m
}
