package claim

import (
	"cmp"
	"crypto/rand"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/request"
	"github.com/hap-project/terraform-provider-hap/internal/provider/settings"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
)

// target matches the request of a claim that is to be made; by then everything has to be known.
func (m claimModel) target(ruleSet types.Object) (_ account.Target, diags diag.Diagnostics) {
	if ruleSet.IsNull() {
		reportNoRules(&diags)
		return account.Target{}, diags
	}
	match, ok, diags := m.Match(ruleSet)
	if !ok && !diags.HasError() {
		diags.AddAttributeError(request.RuleSetPath, diagnose.SummaryRulesUnknown, "The rule set or the request is still unknown while the "+
			"claim is being made. Please report this issue to the provider developers.")
	}
	if !ok {
		return account.Target{}, diags
	}
	return match.Target(), diags
}

// stateTarget is the pool that the claim was made on.
func (m claimModel) stateTarget() account.Target {
	return account.Target{HyperscalerType: m.HyperscalerType.ValueString(), Shared: m.Shared.ValueBool(), EUAccess: m.EUAccess.ValueBool()}
}

// credentials are those of the account, as far as a clean-up job cares. Of a binding that does not say its provider type the name of
// the pool may.
func (m claimModel) credentials() account.Credentials {
	c := account.Credentials{ProviderType: cmp.Or(m.ProviderType.ValueString(), m.stateTarget().ProviderType())}
	if kind, ok := m.CredentialsRef.Attributes()["kind"].(types.String); ok {
		c.Ref.Kind = kind.ValueString()
	}
	return c
}

// returns reports whether the account shall go back to the pool unwiped.
func (m claimModel) returns() bool { return m.OnDestroy.ValueString() == string(account.ReturnToPool) }

// marksDirty reports whether a destroy marks the account for the clean-up job.
func (m claimModel) marksDirty(shared bool) bool {
	return !shared && m.OnDestroy.ValueString() == string(account.MarkDirty)
}

// details is what is recorded of the claim beside its identity.
func (m claimModel) details() account.Details {
	return account.Details{
		ClusterName: m.ClusterName.ValueString(), Owner: m.Owner.ValueString(), Request: m.Record(),
		ReleaseMode: account.Mode(m.OnDestroy.ValueString()), Lease: account.Lease(m.Lease.ValueString()),
	}
}

// setDetails shows what is recorded. The request and what is to become of the account are the configuration's: other than at an
// import, a record does not change them.
func (m *claimModel) setDetails(d account.Details) {
	m.Owner, m.ClusterName, m.Lease = tfvalue.TextOrNull(d.Owner), tfvalue.TextOrNull(d.ClusterName), tfvalue.TextOrNull(string(d.Lease))
}

// expiresAt is when the lease ends: it follows from the lease and the time of the claim, and is unknown where one of them is.
func (m claimModel) expiresAt() types.String {
	switch {
	case m.Lease.IsNull() || m.ClaimedAt.IsNull():
		return types.StringNull()
	case m.Lease.IsUnknown() || m.ClaimedAt.IsUnknown():
		return types.StringUnknown()
	}
	end := account.Record{ClaimedAt: m.claimedAt(), Details: m.details()}.ExpiresAt()
	if end.IsZero() {
		return types.StringNull()
	}
	return timestamp(end)
}

// sameBut reports whether the configuration asks for what the state says, the request left aside.
func (m claimModel) sameBut(state claimModel) bool {
	return m.Name.Equal(state.Name) && m.GlobalAccount.Equal(state.GlobalAccount) && m.BindingName.Equal(state.BindingName) &&
		m.ClusterName.Equal(state.ClusterName) && m.Owner.Equal(state.Owner) && m.OnDestroy.Equal(state.OnDestroy) &&
		m.Lease.Equal(state.Lease) && m.WaitForAccount.Equal(state.WaitForAccount) && m.Timeouts.Equal(state.Timeouts)
}

func (m claimModel) claimRequest(target account.Target, by *settings.Settings, tell func(protocol.Progress)) protocol.ClaimRequest {
	return protocol.ClaimRequest{
		Instance: rand.Text(), Run: by.Run, Sources: settings.Sources{}.With(by).Sources,
		Name: m.Name.ValueString(), GlobalAccount: m.GlobalAccount.ValueString(), Target: target, Pin: m.BindingName.ValueString(),
		Details: m.details(), Wait: m.WaitForAccount.ValueBool(), Tell: tell,
	}
}

func (m claimModel) updateRequest(p *pool.Pool, state claimModel, h holder, by *settings.Settings) protocol.UpdateRequest {
	return protocol.UpdateRequest{
		Instance: cmp.Or(h.Instance, h.next(), rand.Text()), Anew: h.Instance == "", Lost: h.Lost, Run: by.Run, Sources: h.With(by).Sources,
		Identity: p.Identity(h.GlobalAccount, state.stateTarget(), state.Name.ValueString()),
		Account:  state.BindingName.ValueString(), UID: state.BindingUID.ValueString(), WasOwner: h.Owner,
		Details: m.details(), Reclaim: state.GlobalAccount.IsNull(),
		ClaimedAt: state.claimedAt(), NewlyClaimed: state.NewlyClaimed.ValueBool(),
	}
}

func (m claimModel) releaseRequest(p *pool.Pool, h holder, grace time.Duration, tell func(protocol.Progress)) protocol.ReleaseRequest {
	return protocol.ReleaseRequest{
		Tell:     tell,
		Identity: p.Identity(h.GlobalAccount, m.stateTarget(), m.Name.ValueString()), Owner: h.Owner, ClaimedAt: m.claimedAt(),
		Used: h.Used, Recorded: h.Recorded, Instance: h.Instance, Imported: h.Imported, Lost: h.Lost,
		Account: m.BindingName.ValueString(), UID: m.BindingUID.ValueString(), Mode: account.Mode(m.OnDestroy.ValueString()), Grace: grace,
	}
}

// claimed is the state of a claim that was just made.
func (m claimModel) claimed(c protocol.Claim) claimModel {
	m.setTarget(account.Target{HyperscalerType: c.Account.HyperscalerType, Shared: c.Account.Shared, EUAccess: c.Account.EUAccess})
	m.setAccount(c.Account, c.Identity.GlobalAccount)
	m.NewlyClaimed, m.ClaimedAt = types.BoolValue(c.Record.NewlyClaimed), timestamp(c.Record.ClaimedAt)
	m.ExpiresAt = m.expiresAt()
	m.setUse(c.Clusters, c.Reserved, c.Limit, c.Account.Dirty)
	return m
}

// refreshed is the state after a refresh. The tenant's label is drift where it is not the claim's any more.
func (m claimModel) refreshed(s pool.Status, globalAccount string) claimModel {
	m.GlobalAccount = types.StringValue(globalAccount)
	if !m.Shared.ValueBool() && s.Account.Tenant != globalAccount {
		m.GlobalAccount = tfvalue.TextOrNull(s.Account.Tenant)
	}
	if s.Recorded {
		m.ClaimedAt = timestamp(s.Record.ClaimedAt)
		m.setDetails(s.Record.Details)
	} else if m.ClaimedAt.IsUnknown() {
		m.ClaimedAt = types.StringNull()
	}
	m.ExpiresAt = m.expiresAt()
	m.setUse(s.Clusters, s.Reserved, s.Limit, s.Account.Dirty)
	return m
}

// updated is the state after an update. What was planned for the record is what it says; for a shared account, where
// nothing is written, it is in the state alone. What was planned for the account's use stays, see keepUse: Terraform
// holds a provider to its plan.
func (m claimModel) updated(s pool.Status, globalAccount string) claimModel {
	now := m.refreshed(s, globalAccount)
	now.Owner, now.ClusterName, now.Lease = m.Owner, m.ClusterName, m.Lease
	if !m.ClaimedAt.IsUnknown() {
		now.ClaimedAt = m.ClaimedAt
	}
	now.ExpiresAt = now.expiresAt()
	if !m.ClusterCount.IsUnknown() {
		now.ClusterCount, now.Limit, now.Dirty = m.ClusterCount, m.Limit, m.Dirty
	}
	if !m.Reserved.IsUnknown() {
		now.Reserved = m.Reserved
	}
	if now.NewlyClaimed.IsUnknown() {
		now.NewlyClaimed = types.BoolValue(s.Record.NewlyClaimed)
	}
	return now
}

// imported is the state of an account that is imported, with what the claim's record remembers.
func (m claimModel) imported(s pool.Status, target account.Target, globalAccount string) claimModel {
	m.Model = unrecordedRequest
	if s.Recorded && s.Record.Request != (account.Request{}) {
		m.Model = request.From(s.Record.Request)
	}
	m.setTarget(target)
	m.setAccount(s.Account, globalAccount)
	m.NewlyClaimed = types.BoolValue(s.Record.NewlyClaimed)
	m.OnDestroy = types.StringValue(cmp.Or(string(s.Record.ReleaseMode), string(account.MarkDirty)))
	return m.refreshed(s, globalAccount)
}

// timestamp is a time as a state has it; null where a record does not say.
func timestamp(t time.Time) types.String {
	if t.IsZero() {
		return types.StringNull()
	}
	return types.StringValue(t.UTC().Format(time.RFC3339))
}

// claimedAt returns when the claim was made; zero where the state does not say.
func (m claimModel) claimedAt() time.Time {
	at, err := time.Parse(time.RFC3339, m.ClaimedAt.ValueString())
	if err != nil {
		return time.Time{}
	}
	return at
}

func (m *claimModel) setTarget(t account.Target) {
	m.HyperscalerType, m.Shared, m.EUAccess = types.StringValue(t.HyperscalerType), types.BoolValue(t.Shared), types.BoolValue(t.EUAccess)
}

func (m *claimModel) setAccount(a account.Account, ga string) {
	m.BindingName, m.BindingUID = types.StringValue(a.Name), types.StringValue(a.UID)
	m.ID = types.StringValue(ga + "/" + a.Name + "/" + m.Name.ValueString())
	m.ProviderType, m.CredentialsRef = types.StringNull(), types.ObjectNull(credentialsRefTypes)
	if c := a.Credentials; c != nil {
		m.ProviderType = tfvalue.TextOrNull(c.ProviderType)
		m.CredentialsRef = types.ObjectValueMust(credentialsRefTypes, map[string]attr.Value{
			"api_version": types.StringValue(c.Ref.APIVersion), "kind": types.StringValue(c.Ref.Kind),
			"namespace": types.StringValue(c.Ref.Namespace), "name": types.StringValue(c.Ref.Name),
		})
	}
}

func (m *claimModel) setUse(clusters, reserved, limit int, dirt account.Dirt) {
	m.ClusterCount, m.Reserved = types.Int64Value(int64(clusters)), types.Int64Value(int64(reserved))
	m.Limit, m.Dirty = tfvalue.NumberOrNull(limit), types.BoolValue(dirt != account.Clean)
}
