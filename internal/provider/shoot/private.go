package shoot

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/provider/settings"
	"github.com/hap-project/terraform-provider-hap/internal/shoots"
)

// place says where a cluster was made, and what a refresh has found that no attribute has.
type place struct {
	Namespace string `json:"namespace"`          // that of the Gardener project
	Name      string `json:"name,omitempty"`     // empty = a release wrote it that did not keep the name
	Server    string `json:"server"`             // the API server that it was last seen behind
	Protected bool   `json:"protected"`          // its deletion protection: a replacement goes by it
	Found     bool   `json:"found,omitempty"`    // see [family.Guarded]
	ReadyAt   int64  `json:"ready_at,omitempty"` // the generation at which it was ready; 0 = it was not
	Lost      bool   `json:"lost,omitempty"`     // see [family.LacksProtection]
	Imported  bool   `json:"imported,omitempty"` // the template is what an import has read: no apply has come since
	Authority string `json:"authority"`          // whose certificate the state has, see [shoots.Shoot]
	// Account is where this resource has put the cluster; nil for a workerless one. Another account in the state is another party's
	// doing.
	Account *string `json:"account,omitempty"`
	// Older is the SecretBinding that the cluster names although the accounts are CredentialsBindings by now.
	Older string `json:"older,omitempty"`
	// Cluster is the Cluster of openMCP that the labels of the Shoot name, zero where they name none; nil where a release has noted nothing
	// that knew no such place, see [place.clusterOf].
	Cluster *api.Ref `json:"cluster,omitempty"`
	// Drift is what the last refresh found changed, in lines.
	Drift []string `json:"drift,omitempty"`
	// Stopped is set where Gardener had given the cluster up when it was last seen.
	Stopped *stopped `json:"stopped,omitempty"`
}

// Restore completes the place where private state is lost: Terraform keeps none where the provider dies within an update. The namespace is
// in the ID. Without it, a provider block that leads to another namespace would find the cluster gone.
func (r *shootResource) Restore(of *kept) {
	if namespace, _, both := strings.Cut(of.Model.ID.ValueString(), "/"); both && of.Place.Namespace == "" {
		of.Place.Namespace = namespace
		of.Place.Found = true // the update that was cut short may have protected it
	}
}

// named reports whether the place is that of a cluster of this name.
func (p place) named(namespace, name string) bool {
	return p.Namespace == namespace && (p.Name == name || p.Name == "")
}

// stopped is an operation that Gardener has given up.
type stopped struct {
	At       string `json:"at"`                 // how far it came, see [shoots.Status.Brief]
	Deleting bool   `json:"deleting,omitempty"` // it was the deletion
}

// tended is a cluster as it was seen, and ready where Gardener reconciles it and its spec has not changed since it was ready.
func (p place) tended(s shoots.Shoot) shoots.Shoot {
	s.Status.Ready = s.Status.Ready || s.Status.Tended && s.Generation == p.ReadyAt
	return s
}

// readyAt is what is kept of a cluster that is ready.
func readyAt(s shoots.Shoot) int64 {
	if s.Status.Ready {
		return s.Generation
	}
	return 0
}

// placed is the place of a cluster that was just seen.
func (r *shootResource) placed(m shootModel, s shoots.Shoot) place {
	return place{
		Namespace: s.Namespace, Name: s.Name, Server: r.Backend.Garden.Server(), Protected: m.DeletionProtection.ValueBool(),
		Account: m.CredentialsBindingName.ValueStringPointer(), Stopped: stoppedOf(s), ReadyAt: readyAt(s), Older: r.olderOf(s),
		Cluster: new(api.Ref(s.OfCluster())),
	}
}

// clusterOf is the Cluster that the labels of the Shoot name as far as the place has noted it, else that of the configuration.
func (p place) clusterOf(m shootModel) api.Ref {
	if p.Cluster == nil {
		return m.cluster()
	}
	return *p.Cluster
}

// stoppedOf is what Gardener has given up of a cluster; nil = nothing.
func stoppedOf(s shoots.Shoot) *stopped {
	if !s.Status.GivenUp {
		return nil
	}
	return &stopped{At: s.Status.Brief(), Deleting: s.Deleting}
}

// shootsOf returns the Shoots of the place, and an error where the provider leads to another namespace by now: there nothing is found,
// and "not found" would read as "gone".
func (r *shootResource) shootsOf(p place) (*shoots.Shoots, error) {
	all, err := r.Backend.Garden.Shoots()
	if err != nil {
		return nil, err
	}
	return all, settings.Same(theCluster, "namespace", p.Namespace, all.Namespace())
}

// find reads the cluster of a place by its UID; an empty UID means any. Behind another API server than before a cluster that is not
// found may exist all the same; one that is found is the same, and the server has another URL by now.
//
// Errors: [*shoots.GoneError], [*settings.ChangedError]; those of the read.
func (r *shootResource) find(ctx context.Context, read readShoot, p place, name, uid string) (shoots.Shoot, error) {
	found, err := read(ctx, name)
	if err == nil && uid != "" && found.UID != uid {
		err = &shoots.GoneError{Name: name, UID: uid}
	}
	if errors.As(err, new(*shoots.GoneError)) {
		err = cmp.Or(r.Backend.Garden.SameServer(theCluster, p.Server), err)
	}
	return found, err
}

// theCluster is the object of messages about where the provider leads.
const theCluster = "the cluster"

// readShoot is [shoots.Shoots.Read] or [shoots.Shoots.Get].
type readShoot func(ctx context.Context, name string) (shoots.Shoot, error)
