package account

import (
	"cmp"

	"github.com/hap-project/terraform-provider-hap/internal/garden"
	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/provider/settings"
)

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
	// Written is all of that; nil where a provider wrote it that did not note it.
	Written *written `json:"written,omitempty"`
}

// seen is the holder of an account that was just written or imported.
func (r *accountResource) seen(p *pool.Pool, a account.Account, m accountModel) holder {
	of := &r.Backend.Settings
	return holder{
		Namespace: p.Namespace(), Kind: of.Kind, Keys: of.Keys, Server: r.Backend.Garden.Server(), UID: a.UID,
		HyperscalerType: a.HyperscalerType, Written: m.written(),
	}
}

// completed is a holder with what it lacks after an import.
func (r *accountResource) completed(h holder) holder {
	of := &r.Backend.Settings
	h.Namespace, h.Kind, h.Keys = cmp.Or(h.Namespace, r.pool.Namespace()), cmp.Or(h.Kind, of.Kind), cmp.Or(h.Keys, of.Keys)
	return h
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
