package account

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/hap-project/terraform-provider-hap/internal/garden"
	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/provider/backend"
)

// holderKey is where private state keeps a holder.
const holderKey = "holder"

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
}

// seen is the holder of an account that was just written or imported.
func (r *accountResource) seen(p *pool.Pool, a pool.Account) holder {
	return holder{
		Namespace: p.Namespace(), Kind: r.backend.Kind, Server: r.backend.Server(), UID: a.UID, HyperscalerType: a.HyperscalerType,
		Keys: r.backend.Keys,
	}
}

func (h holder) bytes() []byte {
	text, _ := json.Marshal(h) // strings cannot fail
	return text
}

// privateState is the part of a request that holds private state.
type privateState interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
}

// holderOf returns what was last written; the zero value where nothing was.
func holderOf(ctx context.Context, private privateState, diags *diag.Diagnostics) (h holder) {
	text, more := private.GetKey(ctx, holderKey)
	diags.Append(more...)
	if text != nil && json.Unmarshal(text, &h) != nil {
		return holder{}
	}
	return h
}

// poolOf returns the pool that the account was put into, and an error where the provider leads elsewhere by now: there nothing
// is found, and "not found" would read as "gone". It returns the holder with what it lacks after an import.
func (r *accountResource) poolOf(h holder) (*pool.Pool, holder, error) {
	p, err := r.backend.Pool()
	if err != nil {
		return nil, h, err
	}
	h.Namespace, h.Kind, h.Keys = cmp.Or(h.Namespace, p.Namespace()), cmp.Or(h.Kind, r.backend.Kind), cmp.Or(h.Keys, r.backend.Keys)
	switch {
	case h.Namespace != p.Namespace():
		return nil, h, &backend.AccountElsewhereError{What: "namespace", Account: h.Namespace, Provider: p.Namespace()}
	case h.Kind != r.backend.Kind:
		return nil, h, &backend.AccountElsewhereError{What: "pool.kind", Account: string(h.Kind), Provider: string(r.backend.Kind)}
	case h.Keys != r.backend.Keys:
		return nil, h, &backend.AccountElsewhereError{
			What: "pool.label_keys", Account: strings.Join(h.Keys.All(), ", "), Provider: strings.Join(r.backend.Keys.All(), ", "),
		}
	}
	return p, h, nil
}

// sameServer returns an error where the account was last seen behind another API server.
func (r *accountResource) sameServer(h holder) error {
	if now := r.backend.Server(); h.Server != "" && h.Server != now {
		return &backend.AccountElsewhereError{What: "API server", Account: h.Server, Provider: now}
	}
	return nil
}
