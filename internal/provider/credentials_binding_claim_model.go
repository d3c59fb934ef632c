package provider

import (
	"cmp"
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
)

// target matches the request of a claim that is to be made; by then everything has to be known.
func (m claimModel) target(ctx context.Context, ruleSet types.Object) (pool.Target, diag.Diagnostics) {
	match, ok, diags := m.match(ctx, ruleSet)
	if !ok && !diags.HasError() {
		diags.AddAttributeError(ruleSetPath, summaryRulesUnknown, "The rule set or the request is still unknown while the claim is being made. Please report this issue to the provider developers.")
	}
	if !ok {
		return pool.Target{}, diags
	}
	return match.Target(), diags
}

// stateTarget is the pool that the claim was made on.
func (m claimModel) stateTarget() pool.Target {
	return pool.Target{HyperscalerType: m.HyperscalerType.ValueString(), Shared: m.Shared.ValueBool(), EUAccess: m.EUAccess.ValueBool()}
}

// returns reports whether the account shall go back to the pool unwiped.
func (m claimModel) returns() bool { return m.OnDestroy.ValueString() == string(pool.ReturnToPool) }

func (m claimModel) claimRequest(target pool.Target) pool.ClaimRequest {
	return pool.ClaimRequest{
		Name: m.Name.ValueString(), GlobalAccount: m.GlobalAccount.ValueString(), Target: target, Pin: m.BindingName.ValueString(),
		ClusterName: m.ClusterName.ValueString(), Owner: m.Owner.ValueString(), Request: m.record(),
		ReleaseMode: pool.Mode(m.OnDestroy.ValueString()),
	}
}

// standsAs fills in the outputs of a claim that was just made.
func (m *claimModel) standsAs(c pool.Claim) {
	m.setTarget(pool.Target{HyperscalerType: c.Account.HyperscalerType, Shared: c.Account.Shared, EUAccess: c.Account.EUAccess})
	m.setAccount(c.Account, c.Identity.GlobalAccount)
	m.NewlyClaimed = types.BoolValue(c.Record.NewlyClaimed)
	m.ClaimedAt = types.StringValue(c.Record.ClaimedAt.UTC().Format(time.RFC3339))
	m.setUse(c.Clusters, c.Reserved, c.Limit, c.Account.Dirty)
}

// readAs takes over what a refresh has found. The tenant's label is drift where it is not the claim's any more.
func (m *claimModel) readAs(s pool.Status, ga string) {
	m.GlobalAccount = types.StringValue(ga)
	if !m.Shared.ValueBool() && s.Account.Tenant != ga {
		m.GlobalAccount = textOrNull(s.Account.Tenant)
	}
	if s.Recorded {
		m.ClaimedAt = types.StringValue(s.Record.ClaimedAt.UTC().Format(time.RFC3339))
		m.Owner, m.ClusterName = textOrNull(s.Record.Owner), textOrNull(s.Record.ClusterName)
	} else if m.ClaimedAt.IsUnknown() {
		m.ClaimedAt = types.StringNull()
	}
	m.setUse(s.Clusters, s.Reserved, s.Limit, s.Account.Dirty)
}

// updatedAs takes over what an update has left. What was planned for the record is what stands there; for a shared
// account, where nothing is written, it stands in the state alone. What was planned for the account's use stays, see
// keepUse: Terraform holds a provider to its plan.
func (m *claimModel) updatedAs(s pool.Status, ga string) {
	planned := *m
	m.readAs(s, ga)
	m.Owner, m.ClusterName = planned.Owner, planned.ClusterName
	if !planned.ClusterCount.IsUnknown() {
		m.ClusterCount, m.Limit, m.Dirty = planned.ClusterCount, planned.Limit, planned.Dirty
	}
	if !planned.Reserved.IsUnknown() {
		m.Reserved = planned.Reserved
	}
	if m.NewlyClaimed.IsUnknown() {
		m.NewlyClaimed = types.BoolValue(s.Record.NewlyClaimed)
	}
}

// importedAs fills a state from the account and from what the claim's record remembers.
func (m *claimModel) importedAs(s pool.Status, target pool.Target, ga string) {
	m.requestModel = unrecordedRequest
	if s.Recorded && s.Record.Request != (pool.Request{}) {
		m.requestModel = requestFrom(s.Record.Request)
	}
	m.setTarget(target)
	m.setAccount(s.Account, ga)
	m.NewlyClaimed = types.BoolValue(s.Record.NewlyClaimed)
	m.OnDestroy = types.StringValue(cmp.Or(string(s.Record.ReleaseMode), string(pool.MarkDirty)))
	m.readAs(s, ga)
}

// claimedAt returns when the claim was made; zero where the state does not say.
func (m *claimModel) claimedAt() time.Time {
	at, err := time.Parse(time.RFC3339, m.ClaimedAt.ValueString())
	if err != nil {
		return time.Time{}
	}
	return at
}

func (m *claimModel) setTarget(t pool.Target) {
	m.HyperscalerType, m.Shared, m.EUAccess = types.StringValue(t.HyperscalerType), types.BoolValue(t.Shared), types.BoolValue(t.EUAccess)
}

func (m *claimModel) setAccount(a pool.Account, ga string) {
	m.BindingName, m.BindingUID = types.StringValue(a.Name), types.StringValue(a.UID)
	m.ID = types.StringValue(ga + "/" + a.Name + "/" + m.Name.ValueString())
	m.ProviderType, m.CredentialsRef = types.StringNull(), types.ObjectNull(credentialsRefTypes)
	if c := a.Credentials; c != nil {
		m.ProviderType = textOrNull(c.ProviderType)
		m.CredentialsRef = types.ObjectValueMust(credentialsRefTypes, map[string]attr.Value{
			"api_version": types.StringValue(c.Ref.APIVersion), "kind": types.StringValue(c.Ref.Kind),
			"namespace": types.StringValue(c.Ref.Namespace), "name": types.StringValue(c.Ref.Name),
		})
	}
}

func (m *claimModel) setUse(clusters, reserved, limit int, dirt pool.Dirt) {
	m.ClusterCount, m.Reserved = types.Int64Value(int64(clusters)), types.Int64Value(int64(reserved))
	m.Limit, m.Dirty = numberOrNull(limit), types.BoolValue(dirt != pool.Clean)
}
