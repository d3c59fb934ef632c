package status

import (
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/overview"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
)

type statusModel struct {
	HyperscalerType     types.String         `tfsdk:"hyperscaler_type"`
	GlobalAccount       types.String         `tfsdk:"global_account"`
	ExpiredClaims       types.Bool           `tfsdk:"expired_claims"`
	ClusterOverdueAfter types.String         `tfsdk:"cluster_overdue_after"`
	RuleSet             types.Object         `tfsdk:"rule_set"`
	Outputs             types.Set            `tfsdk:"outputs"`
	Accounts            []accountStatusModel `tfsdk:"accounts"`
	Pools               []poolStatusModel    `tfsdk:"pools"`
	GlobalAccounts      []holderModel        `tfsdk:"global_accounts"`
	Problems            []problemModel       `tfsdk:"problems"`
	UnusedPools         []unusedPoolModel    `tfsdk:"unused_pools"`
	Prometheus          types.String         `tfsdk:"prometheus"`
	Report              types.String         `tfsdk:"report"`
	ImportOptions       *importOptionsModel  `tfsdk:"import_options"`
	ImportConfig        types.String         `tfsdk:"import_config"`
	ImportDecisions     []decisionModel      `tfsdk:"import_decisions"`
}

type accountStatusModel struct {
	tfvalue.Usage
	Name            string               `tfsdk:"name"`
	HyperscalerType string               `tfsdk:"hyperscaler_type"`
	GlobalAccount   types.String         `tfsdk:"global_account"`
	Shared          bool                 `tfsdk:"shared"`
	EUAccess        bool                 `tfsdk:"eu_access"`
	Class           string               `tfsdk:"class"`
	Dirty           bool                 `tfsdk:"dirty"`
	DirtySince      types.String         `tfsdk:"dirty_since"`
	FreeSince       types.String         `tfsdk:"free_since"`
	CoolsUntil      types.String         `tfsdk:"cools_until"`
	Quarantine      types.String         `tfsdk:"quarantine"`
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
	ExpiresAt   types.String `tfsdk:"expires_at"`
	Expired     bool         `tfsdk:"expired"`
}

type poolStatusModel struct {
	HyperscalerType string `tfsdk:"hyperscaler_type"`
	Shared          bool   `tfsdk:"shared"`
	EUAccess        bool   `tfsdk:"eu_access"`
	Total           int    `tfsdk:"total"`
	Claimed         int    `tfsdk:"claimed"`
	Unclaimed       int    `tfsdk:"unclaimed"`
	Cooling         int    `tfsdk:"cooling"`
	Dirty           int    `tfsdk:"dirty"`
	Internal        int    `tfsdk:"internal"`
	Deleting        int    `tfsdk:"deleting"`
	Occupied        int    `tfsdk:"occupied"`
	Unclear         int    `tfsdk:"unclear"`
	Duplicate       int    `tfsdk:"duplicate"`
	Unreachable     int    `tfsdk:"unreachable"`
	Clusters        int    `tfsdk:"clusters"`
	Reserved        int    `tfsdk:"reserved"`
}

type unusedPoolModel struct {
	HyperscalerType string `tfsdk:"hyperscaler_type"`
	Shared          bool   `tfsdk:"shared"`
	EUAccess        bool   `tfsdk:"eu_access"`
	Total           int    `tfsdk:"total"`
	Unclaimed       int    `tfsdk:"unclaimed"`
}

type holderModel struct {
	holdingModel
	GlobalAccount    string             `tfsdk:"global_account"`
	HyperscalerTypes []typeHoldingModel `tfsdk:"hyperscaler_types"`
}

type typeHoldingModel struct {
	holdingModel
	HyperscalerType string `tfsdk:"hyperscaler_type"`
}

type holdingModel struct {
	Accounts     int         `tfsdk:"accounts"`
	Clusters     int         `tfsdk:"clusters"`
	Reserved     int         `tfsdk:"reserved"`
	CapacityLeft types.Int64 `tfsdk:"capacity_left"`
}

func holdingFrom(h overview.Holding) holdingModel {
	m := holdingModel{Accounts: h.Accounts, Clusters: h.Clusters, Reserved: h.Reserved, CapacityLeft: types.Int64Null()}
	if h.Limited {
		m.CapacityLeft = types.Int64Value(int64(h.Left))
	}
	return m
}

type problemModel struct {
	Account types.String `tfsdk:"account"`
	Kind    string       `tfsdk:"kind"`
	Text    string       `tfsdk:"text"`
	Remedy  string       `tfsdk:"remedy"`
	Command types.String `tfsdk:"command"`
}

// filter is what part of the pool is asked for.
func (m *statusModel) filter() overview.Filter {
	return overview.Filter{
		HyperscalerType: m.HyperscalerType.ValueString(), GlobalAccount: m.GlobalAccount.ValueString(),
		ExpiredClaims: m.ExpiredClaims.ValueBool(),
	}
}

// wants reports whether an output is asked for.
func (m *statusModel) wants(output string) bool {
	return m.Outputs.IsNull() || slices.ContainsFunc(m.Outputs.Elements(), types.StringValue(output).Equal)
}

// text sets an output that is a text; null = it is not asked for.
func (m *statusModel) text(to *types.String, output string, text func() string) {
	*to = types.StringNull()
	if m.wants(output) {
		*to = types.StringValue(text())
	}
}

// fill maps the overview to the lists that are asked for; the others are null. A list that is empty can be gone through.
func (m *statusModel) fill(o overview.Overview, countedBy account.Source) {
	for output, fill := range map[string]func(){
		"accounts": func() { m.accounts(o, countedBy) }, "pools": func() { m.pools(o) }, "unused_pools": func() { m.unusedPools(o) },
		"global_accounts": func() { m.globalAccounts(o) }, "problems": func() { m.problems(o) },
	} {
		if m.wants(output) {
			fill()
		}
	}
}

func (m *statusModel) accounts(o overview.Overview, countedBy account.Source) {
	m.Accounts = make([]accountStatusModel, len(o.Accounts))
	for i := range o.Accounts {
		m.Accounts[i] = accountStatusFrom(&o.Accounts[i], countedBy)
	}
}

func (m *statusModel) pools(o overview.Overview) {
	m.Pools = make([]poolStatusModel, len(o.Pools))
	for i, p := range o.Pools {
		m.Pools[i] = poolStatusModel{
			HyperscalerType: p.HyperscalerType, Shared: p.Shared, EUAccess: p.EUAccess, Total: p.Tally.Total(), Claimed: p.Tally.Held(),
			Unclaimed: p.Unclaimed(), Cooling: p.Tally[account.ClassCooling],
			Dirty: p.Tally.Dirty(), Internal: p.Tally[account.ClassInternal], Deleting: p.Tally[account.ClassDeleting],
			Occupied: p.Tally[account.ClassOccupied], Unclear: p.Tally[account.ClassUnclear], Duplicate: p.Tally[account.ClassDuplicate],
			Unreachable: p.Unreachable, Clusters: p.Clusters, Reserved: p.Reserved,
		}
	}
}

func (m *statusModel) unusedPools(o overview.Overview) {
	m.UnusedPools = []unusedPoolModel{}
	for i := range o.Pools {
		if p := &o.Pools[i]; p.Unused {
			m.UnusedPools = append(m.UnusedPools, unusedPoolModel{p.HyperscalerType, p.Shared, p.EUAccess, p.Tally.Total(), p.Unclaimed()})
		}
	}
}

func (m *statusModel) globalAccounts(o overview.Overview) {
	m.GlobalAccounts = make([]holderModel, len(o.Tenants))
	for i, t := range o.Tenants {
		h := holderModel{holdingModel: holdingFrom(t.Holding), GlobalAccount: t.GlobalAccount}
		for _, of := range t.Types {
			h.HyperscalerTypes = append(h.HyperscalerTypes, typeHoldingModel{holdingFrom(of.Holding), of.HyperscalerType})
		}
		m.GlobalAccounts[i] = h
	}
}

func (m *statusModel) problems(o overview.Overview) {
	m.Problems = make([]problemModel, len(o.Problems))
	for i, p := range o.Problems {
		m.Problems[i] = problemModel{
			Account: tfvalue.TextOrNull(p.Account), Kind: string(p.Kind), Text: p.Text, Remedy: p.Kind.Remedy(),
			Command: tfvalue.TextOrNull(p.Command),
		}
	}
}

func accountStatusFrom(a *overview.Account, countedBy account.Source) accountStatusModel {
	m := accountStatusModel{
		Usage: tfvalue.UsageOf(a.Usage, countedBy, a.HeldBy()),
		Name:  a.Name, HyperscalerType: a.HyperscalerType, GlobalAccount: tfvalue.TextOrNull(a.HeldBy()), Shared: a.Shared, EUAccess: a.EUAccess,
		Class: string(a.Class), DirtySince: timestampOrNull(a.DirtySince),
		FreeSince: timestampOrNull(a.FreeSince), CoolsUntil: timestampOrNull(a.CoolsUntil), Quarantine: types.StringNull(),
		Dirty: a.Dirty != account.Clean, Releasing: a.Dirty == account.Releasing, Internal: a.Internal, Deleting: a.Terminating,
		Clusters: a.Clusters, Reserved: a.Reserved, Limit: tfvalue.NumberOrNull(a.Limit),
		Claims: make([]standingClaimModel, len(a.ValidRecords)), Problems: make([]string, len(a.Problems)),
	}
	if a.Dirty != account.Clean {
		m.Quarantine = tfvalue.TextOrNull(a.Quarantine)
	}
	for i, r := range a.ValidRecords {
		m.Claims[i] = standingClaimModel{
			Name: r.Name, Owner: tfvalue.TextOrNull(r.Owner), ClusterName: tfvalue.TextOrNull(r.ClusterName),
			ClaimedAt: r.ClaimedAt.UTC().Format(time.RFC3339), ExpiresAt: timestampOrNull(r.ExpiresAt()), Expired: slices.Contains(a.Expired, r),
		}
	}
	for i, kind := range a.Problems {
		m.Problems[i] = string(kind)
	}
	return m
}

func timestampOrNull(t time.Time) types.String {
	if t.IsZero() {
		return types.StringNull()
	}
	return types.StringValue(t.UTC().Format(time.RFC3339))
}
