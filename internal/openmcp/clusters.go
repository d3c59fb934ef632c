package openmcp

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/words"
)

// What the labels and annotations of a Cluster have from others: the cluster provider, and the schedulers. A key that ends with a slash
// means all that begin with it.
var (
	ReservedClusterLabels      = []string{ProviderLabel, VersionLabel, ProfileLabel}
	ReservedClusterAnnotations = []string{markAnnotation, grantAnnotation, ProviderLabel, VersionLabel, ProfileLabel}
)

// WantedCluster is what a configuration says of a Cluster.
type WantedCluster struct {
	Ref
	Profile, Tenancy    string
	Version             string   // of Kubernetes; empty = not said
	Purposes            []string // none = not said
	Configs             []string // the names of spec.clusterConfigs; none = not said
	Labels, Annotations map[string]string
}

func (w WantedCluster) spec() ClusterSpec {
	return ClusterSpec{
		Profile: w.Profile, Tenancy: w.Tenancy, Purposes: w.Purposes, Kubernetes: Kubernetes{w.Version}, ClusterConfigs: w.configs(),
	}
}

func (w WantedCluster) configs() (refs []Ref) {
	for _, name := range w.Configs {
		refs = append(refs, Ref{Name: name})
	}
	return refs
}

// HeldError says that requests hold a Cluster, and what cannot be done for it.
type HeldError struct {
	Ref
	What      string // such as "it cannot be deleted"
	Attribute string // the attribute that wants it; empty = none does
	Holders   []Grant
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
	ClusterNotDeleted  = "it cannot be deleted"
	ClusterNotReplaced = "it cannot be replaced by another"
)

// MakeCluster makes a Cluster, or finds the one that this configuration has made in a run that was cut short: found says which.
//
// Errors: [*ExistsError]; those of [kube.Write].
func (p *Platform) MakeCluster(ctx context.Context, w WantedCluster) (cluster *Cluster, found bool, err error) {
	mark := markOf(w)
	annotations := maps.Clone(w.Annotations)
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[markAnnotation] = mark
	return made(ctx, p.clusters, w.Ref, mark, func(ctx context.Context) (*Cluster, error) {
		return p.clusters.create(ctx, metav1.ObjectMeta{
			Namespace: w.Namespace, Name: w.Name, Labels: w.Labels, Annotations: annotations,
		}, w.spec())
	})
}

// Refusal is RefusalOf with the names of the requests, as far as they can be seen.
func (p *Platform) Refusal(ctx context.Context, live *Cluster, w, before WantedCluster) *HeldError {
	refusal := RefusalOf(live, w, before)
	if refusal == nil {
		return nil
	}
	return p.named(ctx, refusal)
}

// RefusalOf says why requests that hold a Cluster keep it from becoming what is wanted: they were granted it for its purposes, and it is
// shared among them. nil = nothing does.
func RefusalOf(live *Cluster, w, before WantedCluster) *HeldError {
	holders := Grants(live)
	held := HeldError{Ref: live.Ref(), Holders: holders}
	lost := slices.DeleteFunc(slices.Clone(live.Spec.Purposes), func(purpose string) bool {
		return slices.Contains(purposesOf(live, w, before), purpose)
	})
	switch {
	case len(holders) > 0 && len(lost) > 0:
		held.Attribute, held.What = "purposes", fmt.Sprintf("its purposes cannot lose %q", lost)
	case len(holders) > 1 && live.Spec.Tenancy == Shared && w.Tenancy == Exclusive:
		held.Attribute, held.What = "tenancy", "it cannot become Exclusive"
	default:
		return nil
	}
	return &held
}

// purposesOf are the purposes that a Cluster is to have: those that are wanted, and those that another party has added.
func purposesOf(live *Cluster, w, before WantedCluster) []string {
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
func (w WantedCluster) change(live *Cluster, before WantedCluster) map[string]any {
	spec := map[string]any{"tenancy": w.Tenancy}
	if purposes := purposesOf(live, w, before); len(purposes) > 0 {
		spec["purposes"] = purposes
	} else if len(live.Spec.Purposes) > 0 {
		spec["purposes"] = nil
	}
	if w.Version != "" {
		spec["kubernetes"] = Kubernetes{w.Version}
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

// ChangeCluster makes this Cluster what the configuration wants, and takes away what it wanted before. It takes from no request what
// that holds the Cluster for: what was judged is what is changed.
//
// Errors: [*GoneError], [*HeldError]; those of [kube.Read] and [kube.Write].
func (p *Platform) ChangeCluster(ctx context.Context, uid string, w, before WantedCluster) (written *Cluster, err error) {
	err = p.onCluster(ctx, w.Ref, uid, func(live *Cluster) error {
		if refusal := p.Refusal(ctx, live, w, before); refusal != nil {
			return refusal
		}
		written, err = p.clusters.merge(ctx, live, map[string]any{
			"metadata": map[string]any{"labels": changed(w.Labels, before.Labels), "annotations": changed(w.Annotations, before.Annotations)},
			"spec":     w.change(live, before),
		})
		return err
	})
	return written, err
}

// onCluster does something to this Cluster under the version that was judged. Where it has changed meanwhile it reads again.
func (p *Platform) onCluster(ctx context.Context, of Ref, uid string, do func(live *Cluster) error) (err error) {
	for range clusterTries {
		live, readErr := p.clusters.get(ctx, of)
		if readErr == nil && string(live.UID) != uid || IsGone(readErr) {
			readErr = &GoneError{Kind: kindCluster, Ref: of, UID: uid}
		}
		if readErr != nil {
			return alsoLost(err, readErr)
		}
		err = do(live)
		switch reason(err) {
		case kube.Conflict, kube.UnknownOutcome, kube.Throttled:
		default:
			return err
		}
		if !pause(ctx) {
			return err
		}
	}
	return err
}

// clusterTries bounds how often a Cluster is read again that changes under a write. Its provider writes it many times a minute while
// it comes up.
const clusterTries = 100

// HoldersOf returns an error where requests hold a Cluster, apart from those for which but says true. It names them as far as they can be
// seen.
func (p *Platform) HoldersOf(ctx context.Context, c *Cluster, what string, but func(uid string) bool) *HeldError {
	holders := slices.DeleteFunc(Grants(c), func(g Grant) bool { return but(g.UID) })
	if len(holders) == 0 {
		return nil
	}
	return p.named(ctx, &HeldError{Ref: c.Ref(), What: what, Holders: holders})
}

// named names the requests that the operator has granted: the Cluster has their UIDs alone. Requests are searched in the namespace of
// the Cluster, and elsewhere keep their UIDs.
func (p *Platform) named(ctx context.Context, e *HeldError) *HeldError {
	requests, err := p.requests.of(e.Namespace)
	if err != nil {
		return e
	}
	all, err := requests.recent.All(ctx, requests.named)
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

// PendingFor returns the requests of a namespace that ask for a purpose, and have no Cluster yet. Those that the built-in scheduler serves
// are none of them.
//
// Errors: those of [kube.Group.List].
func (p *Platform) PendingFor(ctx context.Context, namespace, purpose string) (all []Ref, err error) {
	requests, err := p.requests.of(namespace)
	if err != nil {
		return nil, err
	}
	seen, err := requests.recent.All(ctx, requests.named)
	for _, r := range seen {
		if r.Spec.Purpose == purpose && r.Status.Cluster == nil && !IsBuiltin(r) && r.DeletionTimestamp == nil {
			all = append(all, r.Ref())
		}
	}
	slices.SortFunc(all, func(a, b Ref) int { return strings.Compare(a.String(), b.String()) })
	return all, err
}

// AwaitReady waits until this Cluster is ready, as it is now or later. Each new phase is reported. The Cluster as it was seen last comes
// back beside an error too.
//
// Errors: [*GoneError]; [*WaitError].
func (p *Platform) AwaitReady(ctx context.Context, from *Cluster, tell func(phase string)) (last *Cluster, err error) {
	last = from
	told := ""
	err = p.clusters.watcher.Await(ctx, from.Namespace, from.Name, func(live *Cluster) (bool, error) {
		if live == nil || live.UID != from.UID {
			return false, p.clusters.exists(ctx, from.Ref(), from.UID)
		}
		if live.Generation < from.Generation { // the list is older than what was written
			return false, nil
		}
		last = live
		if phase := live.Status.Phase; phase != told {
			told = phase
			tell(phase)
		}
		return IsReady(live), nil
	})
	if err != nil && !IsGone(err) {
		now := last.Status
		err = &WaitError{Kind: kindCluster, Ref: from.Ref(), For: "it is ready", Phase: now.Phase, Failing: now.Failing(), Err: err}
	}
	return last, err
}

// UntilDeleted is what a wait for the end of a Cluster waits for, where that was destroyed by itself.
const UntilDeleted = "it is deleted"

// RemoveCluster deletes this Cluster, where no request holds it, and waits until it is gone. A grant that comes at the same moment has
// the server refuse the deletion. Where the Cluster is gone already nothing is done. Each new phase is reported, and what holds the
// Cluster.
//
// Errors: [*HeldError], [*WaitError]; those of [kube.Read] and [kube.Write].
func (p *Platform) RemoveCluster(ctx context.Context, of Ref, uid string, tell func(phase string)) error {
	var last *Cluster
	err := p.onCluster(ctx, of, uid, func(live *Cluster) error {
		last = live
		if live.DeletionTimestamp != nil {
			return nil
		}
		if held := p.HoldersOf(ctx, live, ClusterNotDeleted, func(string) bool { return false }); held != nil {
			return held
		}
		err := p.clusters.remove(ctx, live)
		if reason(err) == kube.NotFound {
			return nil
		}
		return err
	})
	if IsGone(err) {
		return nil
	}
	if err != nil {
		return err
	}
	told := ""
	err = p.clusters.awaitGone(ctx, of, types.UID(uid), tell, func(c *Cluster) {
		last = c
		if phase := c.Status.Phase; phase != told {
			told = phase
			tell(phase)
		}
	})
	if err != nil {
		failing := append(last.Status.Failing(), keptBy(last.Finalizers)...)
		return &WaitError{Kind: kindCluster, Ref: of, For: UntilDeleted, Phase: last.Status.Phase, Failing: failing, Err: err}
	}
	return nil
}

// ProfileNames are the names of the profiles that a cluster can be made by, sorted.
//
// Errors: those of [kube.Group.List].
func (p *Platform) ProfileNames(ctx context.Context) ([]string, error) {
	all, err := p.Profiles(ctx)
	names := make([]string, len(all))
	for i, one := range all {
		names[i] = one.Name
	}
	slices.Sort(names)
	return names, err
}
