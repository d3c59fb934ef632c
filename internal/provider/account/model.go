package account

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/garden"
	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
	"github.com/hap-project/terraform-provider-hap/internal/provider/settings"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
)

// supply is what the configuration says of the account.
func (m accountModel) supply() account.Supply {
	return account.Supply{
		Name: m.Name.ValueString(), Internal: m.Internal.ValueBool(), Quarantine: m.Quarantine.ValueString(), Labels: m.labels(),
		Target: account.Target{
			HyperscalerType: m.HyperscalerType.ValueString(), Shared: m.Shared.ValueBool(), EUAccess: m.EUAccess.ValueBool(),
		},
		Credentials: account.Credentials{ProviderType: m.ProviderType.ValueString(), Ref: m.ref(), Quotas: m.quotas()},
	}
}

// ref is where the credentials lie.
func (m accountModel) ref() account.CredentialsRef {
	r := refOf(m.CredentialsRef)
	return garden.CredentialsRefOf(r.Kind.ValueString(), r.Namespace.ValueString(), r.Name.ValueString())
}

// labels are the further labels; those that are unknown yet are left out.
func (m accountModel) labels() map[string]string {
	labels := map[string]string{}
	for key, value := range m.Labels.Elements() {
		if text, ok := value.(types.String); ok && !text.IsUnknown() {
			labels[key] = text.ValueString()
		}
	}
	return labels
}

// labelKeys are the keys of the further labels.
func (m accountModel) labelKeys() []string { return slices.Sorted(maps.Keys(m.Labels.Elements())) }

// amendRequest asks for what a plan says, of an account as the state knows it.
func (m accountModel) amendRequest(state accountModel) protocol.AmendRequest {
	return protocol.AmendRequest{Supply: m.supply(), UID: state.UID.ValueString(), Labels: state.labelKeys()}
}

// removeRequest takes the account out of the pool; alone = none is made in its place.
func (m accountModel) removeRequest(grace time.Duration, alone bool, unwiped func(account.Account)) protocol.RemoveRequest {
	return protocol.RemoveRequest{
		Grace: grace, Alone: alone, Unwiped: unwiped,
		Name: m.Name.ValueString(), UID: m.UID.ValueString(), Labels: m.labelKeys(),
	}
}

// supplied is the state of an account that was just written: as planned, with what others say of it.
// Where clusters could not be counted, the model has what was counted before.
func (m accountModel) supplied(s pool.Supplied) accountModel {
	class := m.Class
	m.UID, m.GlobalAccount = types.StringValue(s.Account.UID), tfvalue.TextOrNull(s.Account.Tenant)
	m.Dirty, m.Class = types.BoolValue(s.Account.Dirty != account.Clean), types.StringValue(string(s.Class))
	if s.Uncounted != nil { // what was counted before stays
		unclaimed := s.Class == account.ClassFree || s.Class == account.ClassCooling
		if occupied := types.StringValue(string(account.ClassOccupied)); unclaimed && class.Equal(occupied) {
			m.Class = occupied
		}
		return m
	}
	m.Clusters = types.Int64Value(int64(s.Clusters))
	return m
}

// keep plans what others say of the account as it was last seen, but for what the change may change. An apply keeps to it, and the next
// refresh shows what has come.
func (m *accountModel) keep(state accountModel) {
	m.GlobalAccount = state.GlobalAccount
	if !state.Clusters.IsNull() { // a state that was never refreshed has none
		m.Clusters = state.Clusters
	}
	put := m.Quarantine.Equal(state.Quarantine)
	if put && !state.Dirty.IsNull() {
		m.Dirty = state.Dirty
	}
	if put && !state.Class.IsNull() && m.Internal.Equal(state.Internal) && m.Shared.Equal(state.Shared) && m.EUAccess.Equal(state.EUAccess) &&
		m.HyperscalerType.Equal(state.HyperscalerType) {
		m.Class = state.Class
	}
}

// asPlanned keeps what the plan has said: where another party has changed it meanwhile, the next refresh says so.
func (m accountModel) asPlanned(plan accountModel) accountModel {
	if !plan.GlobalAccount.IsUnknown() {
		m.GlobalAccount = plan.GlobalAccount
	}
	if !plan.Clusters.IsUnknown() {
		m.Clusters = plan.Clusters
	}
	if !plan.Dirty.IsUnknown() {
		m.Dirty = plan.Dirty
	}
	if !plan.Class.IsUnknown() {
		m.Class = plan.Class
	}
	return m
}

// refreshed is the state after a refresh. Drift is what the account's owner has written and another has changed.
func (m accountModel) refreshed(s pool.Supplied) accountModel {
	a := s.Account
	m.HyperscalerType = types.StringValue(a.HyperscalerType)
	m.Shared, m.EUAccess, m.Internal = flagOf(a, account.FlagShared, a.Shared), flagOf(a, account.FlagEUAccess, a.EUAccess),
		flagOf(a, account.FlagInternal, a.Internal)
	m.CredentialsRef = identified(m.CredentialsRef)
	m.Quarantine = types.StringNull()
	if a.Dirty != account.Clean { // without the label the account is not put aside any more
		m.Quarantine = tfvalue.TextOrNull(a.Quarantine)
	}
	if !m.Labels.IsNull() {
		m.Labels = labelsOf(a, m.labelKeys())
	}
	if m.Quotas.IsNull() && a.Credentials != nil { // nothing changes them on an account that is there
		m.Quotas = quotasOf(a.Credentials)
	}
	return m.supplied(s)
}

// flagOf is a flag as the state shows it. A label that does not say "true" has to go, so it is neither true nor false.
func flagOf(a account.Account, flag account.Flag, set bool) types.Bool {
	if slices.Contains(a.FalseFlags, flag) {
		return types.BoolNull()
	}
	return types.BoolValue(set)
}

// labelsOf are those of an account's further labels that have one of the keys.
func labelsOf(a account.Account, keys []string) types.Map {
	labels := map[string]attr.Value{}
	for _, key := range keys {
		if value, ok := a.Labels[key]; ok {
			labels[key] = types.StringValue(value)
		}
	}
	return types.MapValueMust(types.StringType, labels)
}

// imported is the state of an account that is imported, with all of its labels that its owner may write.
func (m accountModel) imported(s pool.Supplied) accountModel {
	m.Labels = types.MapNull(types.StringType)
	if keys := slices.Collect(maps.Keys(s.Account.OwnerLabels())); len(keys) > 0 {
		m.Labels = labelsOf(s.Account, keys)
	}
	m.ProviderType, m.CredentialsRef, m.Quotas = types.StringNull(), types.ObjectNull(refTypes), quotasOf(nil)
	if c := s.Account.Credentials; c != nil {
		m.ProviderType, m.CredentialsRef = tfvalue.TextOrNull(c.ProviderType), refValue(c.Ref.Kind, c.Ref.Namespace, c.Ref.Name)
		m.Quotas = quotasOf(c)
	}
	return m.refreshed(s)
}

// theAccount is the object of messages about where the provider leads.
const theAccount = "the account"

// holder says where an account was put, and what was last written there that drift may change in the state.
type holder struct {
	Namespace string      `json:"namespace"` // that of the Gardener project
	Kind      garden.Kind `json:"kind"`      // what the account is
	Server    string      `json:"server"`    // the API server that it was last seen behind
	UID       string      `json:"uid"`       // of the object; a replacement goes by it
	// Keys are those of the labels: under other ones the account would look free, whatever it is.
	Keys garden.LabelKeys `json:"keys"`
	// HyperscalerType is the one that was last written: a label that another has changed since is put right in place.
	HyperscalerType string `json:"hyperscalerType"`
	settings.Sources
	// Written is all of that; nil where a provider wrote it that did not note it.
	Written *written `json:"written,omitempty"`
}

// seen is the holder of an account that was just written or imported.
func (r *accountResource) seen(p *pool.Pool, a account.Account, m accountModel) holder {
	of := &r.Backend.Settings
	return holder{
		Namespace: p.Namespace(), Kind: of.Kind, Keys: of.Keys, Server: r.Backend.Garden.Server(), UID: a.UID,
		HyperscalerType: a.HyperscalerType, Written: m.written(), Sources: settings.Sources{}.With(of),
	}
}

// completed is a holder with what it lacks after an import, or where an older provider has written it.
func (r *accountResource) completed(h holder) holder {
	of := &r.Backend.Settings
	h.Namespace, h.Kind, h.Keys = cmp.Or(h.Namespace, r.pool.Namespace()), cmp.Or(h.Kind, of.Kind), cmp.Or(h.Keys, of.Keys)
	h.Sources = h.With(of)
	return h
}

// opens reports whether a change lets claims come to the account that did not come before: those of another pool, or those from which
// internal or a quarantine has kept it.
func (m accountModel) opens(state accountModel) bool {
	return !m.HyperscalerType.Equal(state.HyperscalerType) || !m.Shared.Equal(state.Shared) || !m.EUAccess.Equal(state.EUAccess) ||
		state.Internal.ValueBool() && !m.Internal.ValueBool() || state.Quarantine.ValueString() != "" && m.Quarantine.ValueString() == ""
}

// sameSources returns an error where an account would leave the pool, or be opened to claims, without a source by which clusters were
// counted: clusters that are on it, or on their way there, are not seen then.
func (r *accountResource) sameSources(h holder) error {
	return h.Lacking(theAccount, &r.Backend.Settings)
}

// poolOf opens the pool that the account was put into. It returns an error where the provider leads elsewhere by now: there nothing is
// found, and "not found" would read as "gone".
func (r *accountResource) poolOf(h holder) (*pool.Pool, error) {
	p, err := r.Backend.Garden.Pool()
	if err != nil {
		return nil, err
	}
	return p, cmp.Or(settings.Same(theAccount, "namespace", h.Namespace, p.Namespace()),
		settings.Same(theAccount, "pool.kind", string(h.Kind), string(r.Backend.Settings.Kind)),
		settings.SameKeys(theAccount, h.Keys, r.Backend.Settings.Keys))
}
