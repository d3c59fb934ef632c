package shoot

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"

	"github.com/hap-project/terraform-provider-hap/internal/provider/backend"
	"github.com/hap-project/terraform-provider-hap/internal/shoots"
)

// placeKey is where private state keeps a place.
const placeKey = "place"

// place says where a cluster was made, and what a refresh has found that no attribute has.
type place struct {
	Namespace string `json:"namespace"` // that of the Gardener project
	Server    string `json:"server"`    // the API server that it was last seen behind
	Protected bool   `json:"protected"` // its deletion protection: a replacement goes by it
	Authority string `json:"authority"` // whose certificate the state has, see [shoots.Shoot]
	// Account is where this resource has put the cluster; nil for a workerless one. Another account in the state is another party's
	// doing.
	Account *string `json:"account,omitempty"`
	// Drift is what the last refresh found changed, in lines.
	Drift []string `json:"drift,omitempty"`
}

// placed is the place of a cluster that was just seen.
func (r *shootResource) placed(m shootModel, s shoots.Shoot) place {
	return place{
		Namespace: s.Namespace, Server: r.backend.Server(), Protected: m.DeletionProtection.ValueBool(),
		Account: m.CredentialsBindingName.ValueStringPointer(),
	}
}

// placeOf returns what was kept last; the zero value where nothing was, and whether anything was.
func placeOf(ctx context.Context, private interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
}, diags *diag.Diagnostics) (p place, kept bool) {
	text, more := private.GetKey(ctx, placeKey)
	diags.Append(more...)
	return p, text != nil && json.Unmarshal(text, &p) == nil
}

// shootsOf returns the Shoots of the place, and an error where the provider leads to another namespace by now: there nothing is found,
// and "not found" would read as "gone".
func (r *shootResource) shootsOf(p place) (*shoots.Shoots, error) {
	all, err := r.backend.Shoots()
	if err != nil {
		return nil, err
	}
	if now := all.Namespace(); cmp.Or(p.Namespace, now) != now {
		return nil, &backend.ShootElsewhereError{What: "namespace", Shoot: p.Namespace, Provider: now}
	}
	return all, nil
}

// find reads the very cluster of a place; an empty UID stands for any. That it is not found behind another API server than before
// says nothing; one that is found there is the same, and the server has another URL by now.
//
// Errors: [*shoots.GoneError], [*backend.ShootElsewhereError]; those of the read.
func (r *shootResource) find(ctx context.Context, read readShoot, p place, name, uid string) (shoots.Shoot, error) {
	found, err := read(ctx, name)
	if err == nil && uid != "" && found.UID != uid {
		err = &shoots.GoneError{Name: name, UID: uid}
	}
	if errors.As(err, new(*shoots.GoneError)) && r.otherServer(p) {
		err = &backend.ShootElsewhereError{What: "API server", Shoot: p.Server, Provider: r.backend.Server()}
	}
	return found, err
}

// otherServer reports whether the provider leads to another API server than the cluster was last seen behind.
func (r *shootResource) otherServer(p place) bool {
	return p.Server != "" && p.Server != r.backend.Server()
}

// readShoot is [shoots.Shoots.Read] or [shoots.Shoots.Get].
type readShoot func(ctx context.Context, name string) (shoots.Shoot, error)

// stored is where Terraform keeps a cluster.
type stored struct {
	state    *tfsdk.State
	identity *tfsdk.ResourceIdentity
	private  interface {
		SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
	}
}

// set keeps what the user sees, the identity, and the place.
func (s stored) set(ctx context.Context, m shootModel, p place) diag.Diagnostics {
	diags := s.state.Set(ctx, &m)
	diags.Append(s.identity.Set(ctx, identityOf(p.Namespace, m.Name))...)
	text, _ := json.Marshal(p) // texts cannot fail
	diags.Append(s.private.SetKey(ctx, placeKey, text)...)
	return diags
}
