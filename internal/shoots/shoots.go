package shoots

import (
	"context"
	"fmt"

	authentication "github.com/gardener/gardener/pkg/apis/authentication/v1alpha1"
	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
)

const (
	resource = "shoots"
	// FieldManager is under which name the fields of a template are owned.
	FieldManager = "terraform-provider-hap"
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

// Shoots are the Shoots of one namespace in the Gardener API.
type Shoots struct {
	namespace        string
	core, kubernetes *kube.Group
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
	return s, nil
}

// Mode says whether a write is carried out, or only checked by the server with everything that it checks.
type Mode bool

// The modes of a write.
const (
	DryRun  Mode = true
	ForReal Mode = false
)

// Get reads a Shoot.
//
// Errors: those of [kube.Read].
func (s *Shoots) Get(ctx context.Context, name string) (shoot *gardencore.Shoot, err error) {
	call := s.call("get", name)
	err = kube.Read(ctx, call, func(ctx context.Context) (err error) {
		shoot, err = kube.Answer[*gardencore.Shoot](s.core.Request(call).Do(ctx))
		return err
	})
	return shoot, err
}

// List reads all Shoots of the namespace, page by page, and the version of the list, from which a watch goes on.
//
// Errors: those of [kube.Group.List].
func (s *Shoots) List(ctx context.Context) (all []gardencore.Shoot, version string, err error) {
	err = s.core.List(ctx, s.call("list", ""), metav1.ListOptions{}, func() { all, version = nil, "" },
		func(ctx context.Context, request *rest.Request) (string, error) {
			page, err := kube.Answer[*gardencore.ShootList](request.Do(ctx))
			if err != nil {
				return "", err
			}
			all, version = append(all, page.Items...), page.ResourceVersion
			return page.Continue, nil
		})
	return all, version, err
}

// Create makes a Shoot. It never touches one that is there.
//
// Errors: those of [kube.Write], Exists among them.
func (s *Shoots) Create(ctx context.Context, name string, object map[string]any, mode Mode) (*gardencore.Shoot, error) {
	return s.write(ctx, s.call("create", name), "", object, &metav1.CreateOptions{FieldManager: FieldManager, DryRun: mode.of()})
}

// Apply makes a live Shoot what the object says, by server-side apply: what the object names is taken over from other field
// managers, and what it does not name is left alone. The object bears the uid of the very Shoot that was judged, so that one that
// was deleted meanwhile is not made again.
//
// Errors: those of [kube.Write]; Conflict where the Shoot is gone, or another one.
func (s *Shoots) Apply(ctx context.Context, name string, uid types.UID, object map[string]any, mode Mode) (*gardencore.Shoot, error) {
	if uid == "" {
		return nil, fmt.Errorf("shoot %s is not to be written without its uid", name)
	}
	object = clone(object)
	metadata, _ := object["metadata"].(map[string]any)
	if metadata == nil {
		metadata = map[string]any{}
		object["metadata"] = metadata
	}
	metadata["uid"] = string(uid)
	force := true
	return s.write(ctx, s.call("patch", name), types.ApplyPatchType, object,
		&metav1.PatchOptions{FieldManager: FieldManager, Force: &force, DryRun: mode.of()})
}

// ConfirmDeletion puts the annotation on the very Shoot without which Gardener refuses to delete it.
//
// Errors: those of [kube.Write].
func (s *Shoots) ConfirmDeletion(ctx context.Context, shoot *gardencore.Shoot) (*gardencore.Shoot, error) {
	return s.write(ctx, s.call("patch", shoot.Name), types.MergePatchType, map[string]any{"metadata": map[string]any{
		"uid": string(shoot.UID), "annotations": map[string]any{confirmation: "true"},
	}}, &metav1.PatchOptions{FieldManager: FieldManager})
}

// confirmation is the annotation without which Gardener refuses to delete a Shoot.
const confirmation = "confirmation.gardener.cloud/deletion"

// Delete deletes the very Shoot. It is gone when Gardener has taken it down.
//
// Errors: those of [kube.Write]; NotFound where it is gone already, Conflict where another one has its name.
func (s *Shoots) Delete(ctx context.Context, name string, uid types.UID) error {
	call := s.call("delete", name)
	return kube.Write(ctx, call, func(ctx context.Context) error {
		return s.core.Request(call).Body(&metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid}}).Do(ctx).Error()
	})
}

func (s *Shoots) call(verb, name string) kube.Call {
	return kube.Call{Verb: verb, Resource: resource, Namespace: s.namespace, Name: name}
}

// of is what the options of a write say.
func (m Mode) of() []string {
	if m == DryRun {
		return []string{metav1.DryRunAll}
	}
	return nil
}
