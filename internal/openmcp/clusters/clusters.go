// Package clusters has the Clusters that a configuration makes itself. None is deleted, or loses a purpose, that a request holds.
package clusters

import (
	"context"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/words"
)

// What the labels and annotations of a Cluster have from others: the cluster provider, and the schedulers. A key that ends with a slash
// means all that begin with it.
var (
	ReservedLabels      = []string{api.ProviderLabel, api.VersionLabel, api.ProfileLabel}
	ReservedAnnotations = []string{
		api.MarkAnnotation, kube.RunAnnotation, api.GrantAnnotation, kube.ProtectionAnnotation,
		api.ProviderLabel, api.VersionLabel, api.ProfileLabel,
	}
)

// Wanted is what a configuration says of a Cluster.
type Wanted struct {
	api.Ref
	Profile, Tenancy    string
	Version             string   // of Kubernetes; empty = not said
	Purposes            []string // none = not said
	Configs             []string // the names of spec.clusterConfigs; none = not said
	Labels, Annotations map[string]string
	// Protected has the Cluster be kept from deletion, see [kube.ProtectionAnnotation]. It says nothing of which configuration made it.
	Protected bool `json:"-"`
}

// meta is the metadata of a new Cluster.
func (w Wanted) meta() metav1.ObjectMeta {
	annotations := api.Marked(w.Annotations, w.Mark())
	if w.Protected {
		annotations[kube.ProtectionAnnotation] = "true"
	}
	return metav1.ObjectMeta{Namespace: w.Namespace, Name: w.Name, Labels: w.Labels, Annotations: annotations}
}

func (w Wanted) spec() api.ClusterSpec {
	return api.ClusterSpec{
		Profile: w.Profile, Tenancy: w.Tenancy, Purposes: w.Purposes, Kubernetes: api.Kubernetes{Version: w.Version}, ClusterConfigs: w.configs(),
	}
}

func (w Wanted) configs() (refs []api.Ref) {
	for _, name := range w.Configs {
		refs = append(refs, api.Ref{Name: name})
	}
	return refs
}

// HeldError says that requests hold a Cluster, and what cannot be done for it.
type HeldError struct {
	api.Ref
	What      string // such as "it cannot be deleted"
	Attribute string // the attribute that wants it; empty = none does
	Holders   []api.Grant
}

func (e *HeldError) Error() string {
	names := make([]string, len(e.Holders))
	for i, g := range e.Holders {
		names[i] = "one with the UID " + g.UID
		if g.Request.Name != "" {
			names[i] = g.Request.String()
		}
	}
	return fmt.Sprintf("Cluster %s is held by %s, and %s: %s", e.Ref, words.Count(len(names), "request"), e.What, strings.Join(names, ", "))
}

// What a [HeldError] says of a Cluster that is to go.
const (
	NotDeleted  = "it cannot be deleted"
	NotReplaced = "it cannot be replaced by another"
)

// Clusters are the Clusters that configurations make themselves.
type Clusters struct{ objects *api.Objects }

// New are the Clusters of a platform cluster.
func New(objects *api.Objects) *Clusters { return &Clusters{objects} }

// Mark is the mark of the configuration, see [api.MarkOf].
func (w Wanted) Mark() string { return api.MarkOf(w) }

// Make makes a Cluster, or finds the one that this configuration has made in a run that was cut short: found says which.
//
// Errors: [*api.ExistsError]; those of [kube.Write].
func (cs *Clusters) Make(ctx context.Context, w Wanted) (cluster *api.Cluster, found bool, err error) {
	return api.Make(ctx, cs.objects.Clusters, w.Ref, w.Mark(), func(ctx context.Context) (*api.Cluster, error) {
		return cs.objects.Clusters.Create(ctx, w.meta(), w.spec())
	})
}

// Check has the server check the creation of a Cluster, which makes none.
//
// Errors: those of [api.Kind.Check].
func (cs *Clusters) Check(ctx context.Context, w Wanted) error {
	return cs.objects.Clusters.Check(ctx, w.meta(), w.spec())
}

// Left returns the Cluster that Make would find, by a list that others share; nil = none.
//
// Errors: those of [kube.Group.List].
func (cs *Clusters) Left(ctx context.Context, w Wanted) (*api.Cluster, error) {
	live, err := cs.objects.Clusters.Read(ctx, w.Ref)
	if api.IsGone(err) || err == nil && !api.Left(live, w.Mark()) {
		return nil, nil
	}
	return live, err
}

// Refusal is RefusalOf with the names of the requests, as far as they can be seen.
func (cs *Clusters) Refusal(ctx context.Context, live *api.Cluster, w, before Wanted) *HeldError {
	refusal := RefusalOf(live, w, before)
	if refusal == nil {
		return nil
	}
	return cs.named(ctx, refusal)
}

// RefusalOf says why requests that hold a Cluster keep it from becoming what is wanted: they were granted it for its purposes, and it is
// shared among them. nil = nothing does.
func RefusalOf(live *api.Cluster, w, before Wanted) *HeldError {
	holders := api.Grants(live)
	held := HeldError{Ref: live.Ref(), Holders: holders}
	lost := slices.DeleteFunc(slices.Clone(live.Spec.Purposes), func(purpose string) bool {
		return slices.Contains(purposesOf(live, w, before), purpose)
	})
	switch {
	case len(holders) > 0 && len(lost) > 0:
		held.Attribute, held.What = "purposes", fmt.Sprintf("its purposes cannot lose %q", lost)
	case len(holders) > 1 && live.Spec.Tenancy == api.Shared && w.Tenancy == api.Exclusive:
		held.Attribute, held.What = "tenancy", "it cannot become Exclusive"
	default:
		return nil
	}
	return &held
}

// purposesOf are the purposes that a Cluster is to have: those that are wanted, and those that another party has added.
func purposesOf(live *api.Cluster, w, before Wanted) []string {
	purposes := slices.DeleteFunc(slices.Clone(live.Spec.Purposes), func(purpose string) bool {
		return slices.Contains(before.Purposes, purpose) && !slices.Contains(w.Purposes, purpose)
	})
	for _, purpose := range w.Purposes {
		if !slices.Contains(purposes, purpose) {
			purposes = append(purposes, purpose)
		}
	}
	return purposes
}

// change is a merge patch of the spec of a Cluster: what is wanted now, and null for what was wanted before and is not any more. What was
// never said is left as it is.
func (w Wanted) change(live *api.Cluster, before Wanted) map[string]any {
	spec := map[string]any{"tenancy": w.Tenancy}
	if purposes := purposesOf(live, w, before); len(purposes) > 0 {
		spec["purposes"] = purposes
	} else if len(live.Spec.Purposes) > 0 {
		spec["purposes"] = nil
	}
	if w.Version != "" {
		spec["kubernetes"] = api.Kubernetes{Version: w.Version}
	} else if before.Version != "" {
		spec["kubernetes"] = nil
	}
	if len(w.Configs) > 0 {
		spec["clusterConfigs"] = w.configs()
	} else if len(before.Configs) > 0 {
		spec["clusterConfigs"] = nil
	}
	return spec
}

// Change makes this Cluster what the configuration wants, and takes away what it wanted before. It takes from no request what
// that holds the Cluster for: what was judged is what is changed.
//
// Errors: [*api.GoneError], [*HeldError]; those of [kube.Read] and [kube.Write].
func (cs *Clusters) Change(ctx context.Context, uid string, w, before Wanted) (*api.Cluster, error) {
	return cs.objects.Clusters.Revise(ctx, w.Ref, types.UID(uid), func(live *api.Cluster) (map[string]any, error) {
		if refusal := cs.Refusal(ctx, live, w, before); refusal != nil {
			return nil, refusal
		}
		return map[string]any{
			"metadata": map[string]any{
				"labels": api.Changed(w.Labels, before.Labels), "annotations": api.Changed(w.Annotations, before.Annotations),
			},
			"spec": w.change(live, before),
		}, nil
	})
}

// Protect protects this Cluster from deletion, or takes the protection away; see [kube.ProtectionAnnotation]. Where it is so already, or
// the Cluster is being deleted, nothing is written.
//
// Errors: [*api.GoneError]; those of [kube.Read] and [kube.Write].
func (cs *Clusters) Protect(ctx context.Context, live *api.Cluster, on bool) (*api.Cluster, error) {
	if kube.IsProtected(live.Annotations) == on {
		return live, nil
	}
	return cs.objects.Clusters.Revise(ctx, live.Ref(), live.UID, func(now *api.Cluster) (map[string]any, error) {
		if kube.IsProtected(now.Annotations) == on || now.DeletionTimestamp != nil {
			return nil, nil
		}
		return map[string]any{"metadata": map[string]any{"annotations": kube.Protected(on)}}, nil
	})
}

// HoldersOf returns an error where requests hold a Cluster, apart from those for which but says true. It names them as far as they can be
// seen.
func (cs *Clusters) HoldersOf(ctx context.Context, c *api.Cluster, what string, but func(uid string) bool) *HeldError {
	holders := slices.DeleteFunc(api.Grants(c), func(g api.Grant) bool { return but(g.UID) })
	if len(holders) == 0 {
		return nil
	}
	return cs.named(ctx, &HeldError{Ref: c.Ref(), What: what, Holders: holders})
}

// named names the requests that the operator has granted: the Cluster has their UIDs alone. Requests are searched in the namespace of
// the Cluster, and elsewhere keep their UIDs.
func (cs *Clusters) named(ctx context.Context, e *HeldError) *HeldError {
	requests, err := cs.objects.Requests.In(e.Namespace)
	if err != nil {
		return e
	}
	all, err := requests.Recent(ctx)
	if err != nil { // their UIDs have to do
		return e
	}
	for i := range e.Holders {
		for _, r := range all {
			if string(r.UID) == e.Holders[i].UID {
				e.Holders[i].Request = r.Ref()
			}
		}
	}
	return e
}

// AwaitReady waits until this Cluster is ready, as it is now or later; see [api.AwaitReady]. Each new phase is reported. The Cluster as it
// was seen last comes back beside an error too.
//
// Errors: [*api.GoneError]; [*api.WaitError].
func (cs *Clusters) AwaitReady(ctx context.Context, from *api.Cluster, tell func(phase string)) (last *api.Cluster, err error) {
	last = from
	reported := ""
	err = api.AwaitReady(ctx, cs.objects.Clusters, from.Ref(), func(live *api.Cluster) (bool, error) {
		if live == nil || live.UID != from.UID {
			return false, cs.objects.Clusters.Exists(ctx, from.Ref(), from.UID)
		}
		if live.Generation < from.Generation { // the list is older than what was written
			return false, nil
		}
		last = live
		if phase := live.Status.Phase; phase != reported {
			reported = phase
			tell(phase)
		}
		return true, nil
	})
	if err != nil && !api.IsGone(err) {
		err = api.NotReady(from.Ref(), last, err)
	}
	return last, err
}

// UntilDeleted is what a wait for the end of a Cluster waits for, where that was destroyed by itself.
const UntilDeleted = "it is deleted"

// Remove deletes this Cluster, where no request holds it, and waits until it is gone. A grant that comes at the same moment has
// the server refuse the deletion. Where the Cluster is gone already nothing is done. Each new phase is reported, and what holds the
// Cluster.
//
// Errors: [*HeldError], [*kube.ProtectedError], [*api.WaitError]; those of [kube.Read] and [kube.Write].
func (cs *Clusters) Remove(ctx context.Context, of api.Ref, uid string, tell func(phase string)) error {
	last, err := cs.objects.Clusters.Get(ctx, of)
	if api.IsGone(err) || err == nil && string(last.UID) != uid {
		return nil
	}
	if err != nil {
		return err
	}
	err = cs.objects.Clusters.Withdraw(ctx, last, func(live *api.Cluster) error {
		last = live
		if held := cs.HoldersOf(ctx, live, NotDeleted, func(string) bool { return false }); held != nil {
			return held
		}
		if kube.IsProtected(live.Annotations) {
			return &kube.ProtectedError{Kind: api.KindCluster, Namespace: of.Namespace, Name: of.Name}
		}
		return nil
	})
	if err != nil {
		return err
	}
	reported := ""
	err = cs.objects.Clusters.AwaitGone(ctx, of, types.UID(uid), tell, func(c *api.Cluster) {
		last = c
		if phase := c.Status.Phase; phase != reported {
			reported = phase
			tell(phase)
		}
	})
	if err != nil {
		failing := append(last.Status.Failing(), api.KeptBy(last.Finalizers)...)
		return &api.WaitError{Kind: api.KindCluster, Ref: of, For: UntilDeleted, Phase: last.Status.Phase, Failing: failing, Err: err}
	}
	return nil
}
