// Package shoots makes Shoots out of templates, keeps them as their template says, waits for them and deletes them (ADR 020). It knows the
// Gardener API and nothing of accounts: which account a Shoot may use is judged by the package pool.
package shoots

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	authentication "github.com/gardener/gardener/pkg/apis/authentication/v1alpha1"
	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/client-go/rest"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
)

const (
	resource = "shoots"
	// fieldManager is under which name the fields of a template are owned.
	fieldManager = "terraform-provider-hap"
)

var (
	scheme = runtime.NewScheme()
	codecs = serializer.NewCodecFactory(scheme)
)

func init() {
	for _, add := range []func(*runtime.Scheme) error{
		gardencore.AddToScheme, authentication.AddToScheme, corev1.AddToScheme, metav1.AddMetaToScheme,
	} {
		if err := add(scheme); err != nil {
			panic(fmt.Sprintf("shoots: registering API types: %v", err)) // cannot happen: the types are compiled in
		}
	}
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"})
}

// Shoots are the Shoots of one namespace in the Gardener API. What waits for them shares one watch, and what reads many of them one
// list.
type Shoots struct {
	Run              string // the run that makes them, see [kube.RunAnnotation]; empty = not known
	namespace        string
	core, kubernetes *kube.Group
	watcher          *kube.Watcher[*gardencore.Shoot]
	recent           kube.Recent[Shoot]
}

// New returns the Shoots of a Gardener project's namespace. It does not dial.
func New(config *rest.Config, namespace string) (*Shoots, error) {
	client, err := kube.NewClient(config)
	if err != nil {
		return nil, err
	}
	s := &Shoots{namespace: namespace}
	if s.core, err = client.Group(gardencore.SchemeGroupVersion, codecs.WithoutConversion()); err != nil {
		return nil, err
	}
	if s.kubernetes, err = client.Group(corev1.SchemeGroupVersion, codecs.WithoutConversion()); err != nil {
		return nil, err
	}
	s.watcher = kube.NewWatcher(s.core, s.call("watch", ""), s.list)
	return s, nil
}

// Namespace returns the namespace of the Gardener project.
func (s *Shoots) Namespace() string { return s.namespace }

// mode says whether a write is carried out, or only checked by the server with everything that it checks.
type mode bool

const (
	dryRun  mode = true
	forReal mode = false
)

// Get reads a Shoot.
//
// Errors: [*GoneError] where there is none; those of [kube.Read].
func (s *Shoots) Get(ctx context.Context, name string) (Shoot, error) {
	live, err := s.get(ctx, name)
	if err != nil {
		return Shoot{}, gone(name, "", err)
	}
	return seen(live), nil
}

func (s *Shoots) get(ctx context.Context, name string) (shoot *gardencore.Shoot, err error) {
	call := s.call("get", name)
	err = kube.Read(ctx, call, func(ctx context.Context) (err error) {
		shoot, err = kube.Answer[*gardencore.Shoot](s.core.Request(call).Do(ctx))
		return err
	})
	return shoot, err
}

// Read reads a Shoot for a refresh, as [kube.Recent] does.
//
// Errors: those of [Shoots.Get].
func (s *Shoots) Read(ctx context.Context, name string) (Shoot, error) {
	return s.recent.Read(ctx, types.NamespacedName{Name: name},
		func(ctx context.Context) (Shoot, error) { return s.Get(ctx, name) },
		func(ctx context.Context) (map[types.NamespacedName]Shoot, error) {
			all, err := s.All(ctx)
			named := make(map[types.NamespacedName]Shoot, len(all))
			for i := range all {
				named[types.NamespacedName{Name: all[i].Name}] = all[i]
			}
			return named, err
		})
}

// All reads all Shoots of the namespace.
//
// Errors: those of [kube.Group.List].
func (s *Shoots) All(ctx context.Context) ([]Shoot, error) {
	live, _, err := s.list(ctx)
	return allSeen(live), err
}

// CanBind reports whether a label can have the name of a Cluster.
func CanBind(cluster string) bool { return len(cluster) <= validation.LabelValueMaxLength }

// BoundTo reads the Shoots that have the labels of a Cluster, by which its cluster provider finds them.
//
// Errors: those of [kube.Group.List], and of [kube.Group.Lacks] where the answer says that there are no Shoots at all.
func (s *Shoots) BoundTo(ctx context.Context, namespace, name string) ([]Shoot, error) {
	if !CanBind(name) {
		return nil, nil
	}
	of := labels.Set{clusterNamespaceLabel: namespace, clusterNameLabel: name}
	live, _, err := s.listOf(ctx, metav1.ListOptions{LabelSelector: of.String()})
	if failed, ok := errors.AsType[*kube.Error](err); ok && failed.Reason == kube.NoAPI { // a gateway answers so, too
		err = cmp.Or(s.core.Lacks(ctx, gardencore.SchemeGroupVersion.WithResource("shoots")), err)
	}
	return allSeen(live), err
}

// Cluster names a Cluster of openMCP.
type Cluster struct{ Namespace, Name string }

// BoundError says that another Shoot has the labels of a Cluster than the one that is to get them.
type BoundError struct {
	Cluster Cluster
	Shoot   string
	UID     string // empty = it is to be made
}

func (e *BoundError) Error() string {
	is := "has"
	if e.UID == "" {
		is = "is to get"
	}
	return fmt.Sprintf("Shoot %s %s the labels of Cluster %s/%s", e.Shoot, is, e.Cluster.Namespace, e.Cluster.Name)
}

// MayBind judges whether a Shoot may have the labels of the Cluster that it is to be of: a cluster provider takes one Shoot for a Cluster.
//
// Errors: [*BoundError]; those of [Shoots.BoundTo].
func (s *Shoots) MayBind(ctx context.Context, w Wanted) error {
	if w.ClusterName == "" {
		return nil
	}
	bound, err := s.BoundTo(ctx, w.ClusterNamespace, w.ClusterName)
	for _, other := range bound {
		if other.Name != w.Name && other.IsOf(w.ClusterNamespace, w.ClusterName) {
			return &BoundError{Cluster{w.ClusterNamespace, w.ClusterName}, other.Name, other.UID}
		}
	}
	return err
}

// ByCluster reads the Shoots that have the labels of any Cluster: the name of one for each Cluster.
//
// Errors: those of [kube.Group.List].
func (s *Shoots) ByCluster(ctx context.Context) (map[Cluster]string, error) {
	live, _, err := s.listOf(ctx, metav1.ListOptions{LabelSelector: clusterNameLabel + "," + clusterNamespaceLabel})
	by := make(map[Cluster]string, len(live))
	for _, shoot := range live {
		by[Cluster{shoot.Labels[clusterNamespaceLabel], shoot.Labels[clusterNameLabel]}] = shoot.Name
	}
	return by, err
}

func allSeen(live []*gardencore.Shoot) []Shoot {
	all := make([]Shoot, len(live))
	for i := range live {
		all[i] = seen(live[i])
	}
	return all
}

// list reads all Shoots of the namespace, page by page, and the version of the list, from which a watch goes on.
func (s *Shoots) list(ctx context.Context) (all []*gardencore.Shoot, version string, err error) {
	return s.listOf(ctx, metav1.ListOptions{})
}

func (s *Shoots) listOf(ctx context.Context, options metav1.ListOptions) (all []*gardencore.Shoot, version string, err error) {
	err = s.core.List(ctx, s.call("list", ""), options, func() { all, version = nil, "" },
		func(ctx context.Context, request *rest.Request) (string, error) {
			page, err := kube.Answer[*gardencore.ShootList](request.Do(ctx))
			if err != nil {
				return "", err
			}
			for i := range page.Items {
				all = append(all, &page.Items[i])
			}
			version = page.ResourceVersion
			return page.Continue, nil
		})
	return all, version, err
}

// create makes a Shoot. It never touches one that is there. A field that the server does not know is refused, and never dropped.
func (s *Shoots) create(ctx context.Context, name string, object map[string]any, how mode) (*gardencore.Shoot, error) {
	return s.write(ctx, s.call("create", name), "", object,
		&metav1.CreateOptions{FieldManager: fieldManager, DryRun: how.of(), FieldValidation: metav1.FieldValidationStrict}, how)
}

// apply makes a live Shoot what the object says, by server-side apply: what the object names is taken over from other field
// managers, and what it does not name is left alone. The object has the uid and the version of the Shoot that was judged: one that
// was deleted meanwhile is not made again, and what another party has changed meanwhile, such as its account, is not changed back unseen.
// The server answers with a conflict.
func (s *Shoots) apply(ctx context.Context, judged *gardencore.Shoot, object map[string]any, how mode) (*gardencore.Shoot, error) {
	if judged.UID == "" || judged.ResourceVersion == "" {
		return nil, fmt.Errorf("shoot %s is not to be written without its uid and its version", judged.Name)
	}
	object = clone(object)
	metadata := child(object, "metadata")
	metadata["uid"], metadata["resourceVersion"] = string(judged.UID), judged.ResourceVersion
	force := true
	return s.write(ctx, s.call("patch", judged.Name), types.ApplyPatchType, object, &metav1.PatchOptions{
		FieldManager: fieldManager, Force: &force, DryRun: how.of(), FieldValidation: metav1.FieldValidationStrict,
	}, how)
}

// confirmDeletion puts the annotation on this Shoot, as it was judged, without which Gardener refuses to delete it.
func (s *Shoots) confirmDeletion(ctx context.Context, judged *gardencore.Shoot) (*gardencore.Shoot, error) {
	return s.write(ctx, s.call("patch", judged.Name), types.MergePatchType, map[string]any{"metadata": map[string]any{
		"uid": string(judged.UID), "resourceVersion": judged.ResourceVersion, "annotations": map[string]any{confirmation: "true"},
	}}, &metav1.PatchOptions{FieldManager: fieldManager}, forReal)
}

// confirmation is the annotation without which Gardener refuses to delete a Shoot.
const confirmation = "confirmation.gardener.cloud/deletion"

// delete deletes this Shoot as it was judged. It is gone when Gardener has taken it down.
func (s *Shoots) delete(ctx context.Context, judged *gardencore.Shoot) error {
	call := s.call("delete", judged.Name)
	only := metav1.Preconditions{UID: &judged.UID, ResourceVersion: &judged.ResourceVersion}
	return kube.Write(ctx, call, func(ctx context.Context) error {
		return s.core.Request(call).Body(&metav1.DeleteOptions{Preconditions: &only}).Do(ctx).Error()
	})
}

func (s *Shoots) call(verb, name string) kube.Call {
	return kube.Call{Verb: verb, Resource: resource, Namespace: s.namespace, Name: name}
}

// try sends a write once. One that is only checked changes nothing, and is sent as often as a read.
func (m mode) try(ctx context.Context, call kube.Call, send func(context.Context) error) error {
	if m == dryRun {
		return kube.Read(ctx, call, send)
	}
	return kube.Write(ctx, call, send)
}

// of is what the options of a write say.
func (m mode) of() []string {
	if m == dryRun {
		return []string{metav1.DryRunAll}
	}
	return nil
}
