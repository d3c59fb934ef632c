package testbed

import (
	"context"
	"fmt"
	"os"

	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	securityv1alpha1 "github.com/gardener/gardener/pkg/apis/security/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
)

const (
	gardenNamespace = "garden"
	gardenerService = "gardener-apiserver"
)

// gardenerAPIs are all groups gardener-apiserver v1.135 serves; it wants to see each of them served
// by the kube-apiserver, because its admission plug-ins watch objects of all of them.
var gardenerAPIs = []schema.GroupVersion{
	{Group: "core.gardener.cloud", Version: "v1"},
	gardencorev1beta1.SchemeGroupVersion,
	{Group: "operations.gardener.cloud", Version: "v1alpha1"},
	securityv1alpha1.SchemeGroupVersion,
	{Group: "seedmanagement.gardener.cloud", Version: "v1alpha1"},
	{Group: "settings.gardener.cloud", Version: "v1alpha1"},
}

// registerGardenerAPIs makes kube-apiserver forward Gardener's groups. It is called with a
// healthy gardener-apiserver: one that is found dead is tried again only after a while.
func (g *Garden) registerGardenerAPIs(ctx context.Context) error {
	authority, err := os.ReadFile(g.gardener.certs.CA)
	if err != nil {
		return err
	}
	port := int32(g.gardener.port)
	objects := []client.Object{
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: gardenNamespace}},
		&corev1.Service{
			ObjectMeta: metav1.ObjectMeta{Name: gardenerService, Namespace: gardenNamespace},
			// No network of a cluster here: the name is what kube-apiserver connects to.
			Spec: corev1.ServiceSpec{Type: corev1.ServiceTypeExternalName, ExternalName: "localhost"},
		},
	}
	for _, gv := range gardenerAPIs {
		objects = append(objects, &apiregistrationv1.APIService{
			ObjectMeta: metav1.ObjectMeta{Name: gv.Version + "." + gv.Group},
			Spec: apiregistrationv1.APIServiceSpec{
				Group:                gv.Group,
				Version:              gv.Version,
				GroupPriorityMinimum: 100,
				VersionPriority:      100,
				CABundle:             authority,
				Service: &apiregistrationv1.ServiceReference{
					Name: gardenerService, Namespace: gardenNamespace, Port: &port,
				},
			},
		})
	}
	for _, object := range objects {
		if err := g.client.Create(ctx, object); err != nil {
			return fmt.Errorf("registering the Gardener APIs: %w", err)
		}
	}
	return nil
}

// waitUntilServed returns once every kind the tests need can be listed through kube-apiserver.
func (g *Garden) waitUntilServed(ctx context.Context) error {
	for _, list := range []client.ObjectList{
		&securityv1alpha1.CredentialsBindingList{},
		&gardencorev1beta1.SecretBindingList{},
		&gardencorev1beta1.ShootList{},
		&corev1.SecretList{},
	} {
		err := local.Poll(ctx, programStartTimeout, func(ctx context.Context) error {
			return g.client.List(ctx, list, client.Limit(1))
		})
		if err != nil {
			return g.programError("gardener-apiserver", fmt.Errorf("%T cannot be listed: %w", list, err))
		}
	}
	return nil
}
