package namespaces_test

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/namespaces"
)

func TestMain(m *testing.M) { os.Exit(testbed.Main(m)) }

// A namespace that is deleted goes with all that is in it, and not before: what has a finalizer of another party keeps it. A namespace of the
// Garden itself is neither emptied nor finalized.
func TestNamespaceGoesWithWhatIsInIt(t *testing.T) {
	t.Parallel()
	if os.Getenv("TF_ACC") == "" {
		t.Skip("it needs TF_ACC=1")
	}
	garden := testbed.New(t, testbed.Options{PlatformOnly: true}) // on the shared one other tests let namespaces go, too
	api, ctx := garden.AdminClient(), t.Context()
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	house := func(name string) {
		t.Helper()
		do(api.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}))
		meta := metav1.ObjectMeta{Namespace: name, Name: "plain"}
		do(api.Create(ctx, &corev1.ConfigMap{ObjectMeta: meta}))
		meta.Finalizers = []string{"example.com/kept"}
		do(api.Create(ctx, &corev1.Secret{ObjectMeta: meta}))
	}
	house("own")
	controller, err := namespaces.New(ctx, garden.AdminConfig())
	do(err)
	house("later")
	for _, name := range []string{"own", "later"} {
		do(api.Delete(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}))
	}
	t.Cleanup(controller.Start(context.Background()))

	gone := func(object client.Object, name string) func(context.Context) error {
		key := client.ObjectKey{Namespace: name, Name: "plain"}
		if _, is := object.(*corev1.Namespace); is {
			key = client.ObjectKey{Name: name}
		}
		return func(ctx context.Context) error {
			err := api.Get(ctx, key, object)
			if err == nil {
				return errors.New("it is there")
			}
			return client.IgnoreNotFound(err)
		}
	}
	do(local.Poll(ctx, time.Minute, gone(&corev1.ConfigMap{}, "later")))
	do(controller.Round(ctx))
	kept := &corev1.Secret{}
	do(api.Get(ctx, client.ObjectKey{Namespace: "later", Name: "plain"}, kept))
	do(api.Get(ctx, client.ObjectKey{Name: "later"}, &corev1.Namespace{}))
	kept.Finalizers = nil
	do(api.Update(ctx, kept))
	do(local.Poll(ctx, time.Minute, gone(&corev1.Namespace{}, "later")))

	do(api.Get(ctx, client.ObjectKey{Namespace: "own", Name: "plain"}, &corev1.ConfigMap{}))
	do(api.Get(ctx, client.ObjectKey{Name: "own"}, &corev1.Namespace{}))
	if err := api.Get(ctx, client.ObjectKey{Namespace: "later", Name: "plain"}, &corev1.ConfigMap{}); !apierrors.IsNotFound(err) {
		t.Errorf("what was in the namespace: %v", err)
	}
}
