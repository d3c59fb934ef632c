package landscape

import (
	"context"
	"fmt"
	"maps"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	security "github.com/gardener/gardener/pkg/apis/security/v1alpha1"
	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
)

// Seen is what is in a namespace, by kind and name.
type Seen struct {
	Versions map[string]string
	Labels   map[string]map[string]string
}

// Look lists the bindings, their credentials and the clusters of a namespace.
func Look(ctx context.Context, ns *testbed.Namespace) (Seen, error) {
	seen := Seen{map[string]string{}, map[string]map[string]string{}}
	for kind, list := range map[string]client.ObjectList{
		testbed.CredentialsBinding: &security.CredentialsBindingList{}, testbed.SecretBinding: &gardencore.SecretBindingList{},
		testbed.WorkloadIdentity: &security.WorkloadIdentityList{}, testbed.Secret: &core.SecretList{}, "Shoot": &gardencore.ShootList{},
	} {
		if err := ns.Client().List(ctx, list, client.InNamespace(ns.Name)); err != nil {
			return Seen{}, fmt.Errorf("listing each %s: %w", kind, err)
		}
		err := meta.EachListItem(list, func(item runtime.Object) error {
			object, err := meta.Accessor(item)
			if err == nil {
				name := kind + " " + object.GetName()
				seen.Versions[name], seen.Labels[name] = object.GetResourceVersion(), maps.Clone(object.GetLabels())
			}
			return err
		})
		if err != nil {
			return Seen{}, err
		}
	}
	return seen, nil
}
